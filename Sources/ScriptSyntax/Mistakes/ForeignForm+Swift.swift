extension ForeignForm {
  /// Forms of Swift.
  static let swift: [ForeignForm] = [
    form(
      "let ", #/^\s*let\s+(\w+)\s*:\s*[\[\]\w<>?]+\s*=\s*(.+)/#,
      "a variable has no type; write 'let $1 = $2'"),
    form(
      "let ", #/^\s*let\s+(\w+)\s*:\s*([\[\]\w?]+)\s*$/#,
      "a variable needs a value; write 'let $1 = …'"),
    form(
      "var ", #/^\s*var\s+(\w+)\s*:\s*([\[\]\w?]+)\s*$/#,
      "a variable needs a value; write 'let $1 = …'"),
    form(
      "var |let ", #/\b(?:var|let)\s+(\w+)\s*:\s*([\[\]\w?]+)(?=[^{]*(?:\}|$))/#,
      "a property has no 'var' or 'let'; write '$1: $2'"),
    form(
      "var ", #/^\s*var\s+(\w+)(?:\s*:\s*[\[\]\w<>?]+)?\s*=\s*(.+)/#,
      "frc has no 'var'; write 'let $1 = $2'"),
    form(
      "if let", #/\bif\s+let\s+\w+\s*=\s*([^{]+?)\s*\{/#,
      "frc has no 'if let'; write 'if $1 != nil { … }'"),
    form(
      "if let", #/\bif\s+let\s+(\w+)\s*\{/#,
      "frc has no 'if let'; write 'if $1 != nil { … }'"),
    form("if case", #/\bif\s+case\b/#, "frc has no 'if case'; write 'if VALUE == OTHER { … }'"),
    form(
      "guard", #/^\s*guard\s+let\s+\w+\s*=\s*(.+?)\s+else\b.*/#,
      "frc has no 'guard'; write 'if $1 != nil { … }'"),
    form(
      "guard", #/^\s*guard\s+(?!let\b)(.+?)\s+else\b.*/#,
      "frc has no 'guard'; write 'if $1 { … }'"),
    form("guard", #/^\s*guard\b/#, "frc has no 'guard'; write 'if CONDITION { … }'"),
    form("switch", #/^\s*switch\b/#, "frc has no 'switch'; write 'if … { } else if … { }'"),
    form(
      "do", #/^\s*do\s*\{/#,
      "frc has no 'do' and 'catch'; write 'try STATEMENT', which prints an error and continues"),
    form(
      "catch", #/\}\s*catch\b/#,
      "frc has no 'do' and 'catch'; write 'try STATEMENT', which prints an error and continues"),
    form("try", #/\btry\s*[?!]\s*(\w.*)/#, "write 'try $1', which prints an error and continues"),
    form(
      "await", #/\bawait\s+(\w.*)/#,
      "frc has no 'await': each statement ends before the next begins; write '$1'"),
    form(
      "async", #/\basync\b(?:\s*\{)?/#,
      "frc has no 'async': each statement ends before the next begins"),
    form(
      "func", #/^\s*func\s+controllerDidChangeContent\b.*/#,
      "frc has no functions; write 'delegate books { didChangeContent { … } }'"),
    form(
      "func", #/^\s*func\s+controllerWillChangeContent\b.*/#,
      "frc has no functions; write 'delegate books { willChangeContent { … } }'"),
    form(
      "func", #/^\s*func\s+controller\(.*didChange:?.*/#,
      "frc has no functions; write 'delegate books { didChangeObject { … } }'"),
    form(
      "func", #/^\s*func\s+tableView\(.*/#,
      "frc has no functions; 'table view = books' makes a table with its rows"),
    form(
      "func", #/^\s*func\s+(\w+)/#,
      "frc has no functions; write the statements where they run, or 'include' a file"),
    form(
      "return", #/^\s*return\b/#,
      "only a hook and 'sectionIndexTitle' can 'return'; leave it out here"
    ).finding(.uses),
    form(
      "while", #/^\s*while\b/#,
      "frc has no 'while'; write 'repeat 10 { … }', or 'for i in 1...10 { … }'"),
    form(
      "enum", #/^\s*enum\b/#, "frc has no enumerations; write an attribute of type String or Int"),
    form(
      "import ", #/^\s*import\s+([A-Z]\w+)\s*$/#,
      "frc has no modules; leave the line out ('import \"FILE\" into Entity' reads rows)"),
    form("++", #/([\w\/.]+)\+\+/#, "frc has no '++'; write '$1 += 1'"),
    form("--", #/([\w\/.]+)--\s*$/#, "frc has no '--'; write '$1 -= 1'"),
    form("*=", #/([\w\/.]+)\s*\*=\s*(.+)/#, "frc has no '*='; write '$1 = $1 * $2'"),
    form("/=", #/([\w\/.]+)\s*\/=\s*(.+)/#, "frc has no '/='; write '$1 = $1 / $2'"),
    form("===", #/([\w\/.]+)\s*===\s*([\w\/.]+)/#, "frc has no '==='; write '$1 == $2'"),
    form("!==", #/([\w\/.]+)\s*!==\s*([\w\/.]+)/#, "frc has no '!=='; write '$1 != $2'"),
    form(
      "??", #/([\w\/.$]+)\s*\?\?\s*[^\s,;}]/#,
      "frc has no '??'; write 'if $1 == nil { … } else { … }'"),
    form(
      "?.", #/([\w\/$.]+)\?\.(\w+)/#, "frc has no '?.': a path through nil is nil; write '$1.$2'"),
    form("!.", #/([\w\/.$]+)!\.(\w+)/#, "frc has no '!'; write '$1.$2'"),
    form("!", #/([\w\/.$]*\w)!(?=\s|$|\))/#, "frc has no '!' after a value; write '$1'"),
    form(
      "?", #/([^?]+)\s\?\s([^:?]+)\s:\s(.+)/#,
      "frc has no '? :'; write 'if CONDITION { … } else { … }'"),
    form("\\", #/\\([A-Z]\w*)?\.([\w.]+)/#, "a key path has no backslash; write '$2'"),
    form("$0", #/\{\s*[^}]*\$0/#, "frc has no closures; write 'for x in LIST { … }'"),
    form(
      ".map|.compactmap|.flatmap|.reduce",
      #/([\w\/.$]+)\.(?:map|filter|forEach|reduce|compactMap|flatMap|sorted)\b/#,
      "frc has no closures; write 'for x in $1 { … }', or 'fetch Entity where … sort by …'"),
    form(
      ".filter", #/([\w\/.$]+)\.filter\b/#,
      "frc has no closures; write 'fetch Entity where …'"),
    form(".foreach", #/([\w\/.$]+)\.forEach\b/#, "frc has no closures; write 'for x in $1 { … }'"),
    form(
      ".sorted", #/([\w\/.$]+)\.sorted?\b/#, "frc has no closures; write 'fetch Entity sort by …'"),
    form(".uppercased", #/([\w\/.$]+|"[^"]*")\.uppercased\(\)/#, "write 'uppercase($1)'"),
    form(".lowercased", #/([\w\/.$]+|"[^"]*")\.lowercased\(\)/#, "write 'lowercase($1)'"),
    form(
      ".hasprefix", #/([\w\/.$]+)\.hasPrefix\((.+?)\)/#,
      "a script has no 'hasPrefix'; in a predicate write '$1 BEGINSWITH $2'"),
    form(
      ".hassuffix", #/([\w\/.$]+)\.hasSuffix\((.+?)\)/#,
      "a script has no 'hasSuffix'; in a predicate write '$1 ENDSWITH $2'"),
    form(
      ".contains", #/([\w\/.$]+)\.contains\((.+?)\)/#,
      "a script has no 'contains'; in a predicate write '$1 CONTAINS $2'"),
    form(".append", #/([\w\/.$]+)\.append\((.+)\)/#, "write '$1 += $2'"),
    form(".remove", #/([\w\/.$]+)\.remove\((.+)\)/#, "write '$1 -= $2'"),
    form(
      "string(format", #/String\(format:/#,
      "frc has no String(format:); write a string with \\(…), such as \"\\(book.pages) pages\""),
    form("date(", #/\bDate\(\)/#, "write 'now()', or a date such as @2026-01-31"),
    form("date(", #/\bDate\(.*?\)/#, "write a date such as @2026-01-31 or @2026-01-31T09:30:00Z"),
    form("uuid(", #/\bUUID\(uuidString:\s*("[^"]*")\)!?/#, "write 'uuid($1)'"),
    form(
      "uuid(", #/\bUUID\(\)/#,
      "a script has no random values; write 'uuid(\"E621E1F8-C36C-495A-93FC-0C247A3E6E5F\")'"),
    form(
      "url(", #/\bURL\(.*?\)/#, "write the address as a string, such as \"https://example.org\""),
    form("data(", #/\bData\(.*?\)/#, "write 'data(\"BASE64\")'"),
    form(
      "int(|double(|float(", #/\b(?:Int|Double|Float)\((.*?)\)/#,
      "frc converts no values; write '$1'"),
    form("string(", #/\bString\((.*?)\)/#, "write 'string($1)', or \"\\($1)\""),
    form("stride(", #/\bstride\(/#, "frc has no stride; write 'for i in 1...10 { … }'"),
    form("range(", #/\brange\((\d+)\)/#, "write 'for i in 0..<$1 { … }'"),
    form("\"\"\"", #/"""/#, "a string ends on its line; write \\n for a line end"),
    form(
      "@nsmanaged", #/@NSManaged\s+(?:public\s+)?var\s+(\w+)\s*:\s*([\[\]\w?]+)/#,
      "write '$1: $2' in 'entity NAME { … }'"),
    form(
      "@model|@managed|@entity", #/@(?:Model|Managed|Entity)\b/#,
      "write 'entity NAME { title: String }'"),
    form(
      "@relationship", #/@Relationship(?:\(.*?\))?\s*(?:var\s+)?(\w+)\s*:\s*([\[\]\w?]+)/#,
      "write '$1: $2 inverse NAME on delete nullify'"),
    form(
      "@attribute", #/@Attribute\(\s*\.indexed\s*\)\s*(?:var\s+)?(\w+)\s*:\s*([\[\]\w?]+)/#,
      "write '$1: $2 indexed'"),
    form(
      "@attribute", #/@Attribute(?:\(.*?\))?\s*(?:var\s+)?(\w+)\s*:\s*([\[\]\w?]+)/#,
      "write '$1: $2', and 'unique $1' if no two objects may have the same"),
    form(
      "@fetchrequest|@sectionedfetchrequest|@query",
      #/@(?:FetchRequest|SectionedFetchRequest|Query)\b/#,
      "not in frc; a controller comes nearest: write 'controller books = Book sort by title'"),
    form("@", #/^\s*@([A-Za-z]\w+)/#, "frc has no attributes such as '@$1'; leave it out"),
    form(
      "array<|orderedset<", #/\b(?:NSArray|Array|NSOrderedSet|OrderedSet)<(\w+)>/#,
      "write '[$1]', with 'ordered' after it to keep an order"),
    form("set<", #/\b(?:Set|NSSet)<(\w+)>/#, "write '[$1]'"),
    form("optional<", #/\bOptional<(\w+)>/#, "write '$1?'"),
    form("[]", #/:\s*(\w+)\[\]/#, "write '[$1]' for many objects"),
    form(
      ": [string]", #/:\s*\[(?:String|Int|Double|Date|Bool)\]/#,
      "an attribute has one value; write an entity for the values, and a relationship to it"
    ).finding(.uses),
    form("lazy ", #/\blazy\s+(?:var\s+)?/#, "leave 'lazy' out"),
    form(
      "class |struct ",
      #/^\s*(?:(?:public|open|private|final)\s+)*(?:class|struct)\s+(\w+)[^{]*\{?/#,
      "write 'entity $1 { … }'"),
    form(
      "override", #/^\s*override\b/#,
      "write a hook in the entity, such as 'on willSave { … }'"),
    form(
      "private|public|internal", #/^\s*(?:private|public|internal|fileprivate)\b(?!\s*[.=])/#,
      "frc has no access levels; leave the word out"),
    form(
      "nsmanagedobject", #/:\s*NSManagedObject\b/#,
      "an entity inherits only from entities; leave ': NSManagedObject' out"),
    form(
      "print(", #/\bprint\((.+),\s*(.+)\)/#,
      "'print' takes one value; write a string with \\(…), such as print \"\\(a) \\(b)\""),
  ]
}
