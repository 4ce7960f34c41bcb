" Vim syntax file
" Language: frc, scripts for fetched results controllers

if exists("b:current_syntax")
  finish
endif

syntax case match

" Statements begin a line, or stand behind ; { and try.
syntax match frcStatement /\(^\|[;{]\|\<try\>\)\s*\zs\<\(abstract\|automerge\|batch\|caches\|change\|context\|controller\|count\|delegate\|delete\|entity\|evaluate\|expect\|explain\|extension\|fetch\|for\|history\|if\|import\|include\|insert\|let\|merge\|model\|objects\|observe\|observer\|obtain\|perform\|print\|process\|quirk\|redo\|refresh\|reload\|repeat\|request\|reset\|resume\|return\|rollback\|save\|set\|show\|stats\|store\|suspend\|swift\|table\|trace\|try\|undo\|update\)\>\(\s*\(=\|+=\|-=\|\.\)\)\@!/
syntax match frcClause /\<\(where\|sort\s\+by\|section\s\+by\|limit\|offset\|batch\|cache\|keep\s\+limit\|track\s\+related\|values\|group\s\+by\|having\|distinct\|returning\|updates\|prefetch\|includesPendingChanges\|returnsObjectsAsFaults\|shouldRefreshRefetchedObjects\|using\|asc\|desc\)\>\(\s*\(:\|=\|+=\|-=\|\.\)\)\@!/
syntax match frcModel /\<\(transient\|derived\|display\|unique\|index\|indexed\|inverse\|on\s\+delete\|nullify\|cascade\|deny\|noAction\|ordered\|external\|was\)\>/
syntax keyword frcType String Int Int16 Int32 Int64 Double Float Decimal Bool Date UUID URI Data
syntax keyword frcPredicate AND OR NOT ANY SOME ALL NONE BETWEEN IN BEGINSWITH ENDSWITH LIKE MATCHES UNION INTERSECT MINUS TRUEPREDICATE FALSEPREDICATE SELF SUBQUERY CAST TERNARY FUNCTION FIRST LAST SIZE
" Vim takes this word for an argument of 'syntax keyword'.
syntax match frcPredicate /\<CONTAINS\>/
syntax keyword frcConstant true false YES NO nil NULL
syntax match frcVariable /\$\w\+/
syntax match frcNumber /\<\d[0-9_]*\(\.\d\+\)\?\>/
syntax match frcDate /@\d\{4}-\d\{2}-\d\{2}\(T[0-9:.]\+\(Z\|[+-]\d\{2}:\?\d\{2}\)\?\)\?/
syntax match frcObject /\<\u\w*\/\d\+\>/

syntax match frcEscape contained /\\\(u{\x\+}\|.\)/
syntax region frcInterpolation contained matchgroup=frcEscape start=/\\(/ end=/)/ contains=TOP
syntax region frcString start=/"/ skip=/\\"/ end=/"/ contains=frcInterpolation,frcEscape
syntax region frcString start=/'/ skip=/\\'/ end=/'/ contains=frcEscape

syntax match frcComment /\(^\s*#\|\s\zs#\(\s\|$\)\).*$/
syntax match frcExpected /^\s*#[>?].*$/
syntax match frcDirective /^\s*#[@|].*$/

highlight default link frcStatement Statement
highlight default link frcClause Keyword
highlight default link frcModel StorageClass
highlight default link frcType Type
highlight default link frcPredicate Operator
highlight default link frcConstant Constant
highlight default link frcVariable Identifier
highlight default link frcNumber Number
highlight default link frcDate Constant
highlight default link frcObject Identifier
highlight default link frcString String
highlight default link frcEscape SpecialChar
highlight default link frcInterpolation Normal
highlight default link frcComment Comment
highlight default link frcExpected String
highlight default link frcDirective PreProc

let b:current_syntax = "frc"
