extension ForeignForm {
  /// Forms of shells and of other prompts.
  static let shell: [ForeignForm] = [
    form(
      "exit", #/(?i)^\s*(?:exit|quit|bye|logout)\s*(?:\(\))?\s*$/#, "write ':quit' at the prompt"),
    form("quit", #/(?i)^\s*quit\s*(?:\(\))?\s*$/#, "write ':quit' at the prompt"),
    form("help", #/(?i)^\s*help(?:\(\))?\s*$/#, "write ':help' at the prompt"),
    form("help", #/(?i)^\s*help\s+(\w+)\s*$/#, "write ':help $1' at the prompt"),
    form("man ", #/(?i)^\s*man\s+(\w+)/#, "write ':help $1' at the prompt"),
    form("clear", #/(?i)^\s*(?:clear|cls)\s*$/#, "write ':clear' at the prompt"),
    form(
      "undo", #/(?i)^\s*(undo|redo)\s+(\d+)\s*$/#,
      "'$1' takes no number; ':$1 $2' at the prompt goes $2 statements"),
    form("history", #/(?i)^\s*history\s+(\d+)\s*$/#, "write ':history' at the prompt"),
    form(
      "frc ", #/(?i)^\s*frc\s+(test|run|check|fmt|play|learn)\b(.*)/#,
      "'frc $1' is a command of the shell; leave the prompt first with ':quit'"),
    form("source", #/(?i)^\s*source\s+["']?([^"'\s]+)["']?/#, "write 'include \"$1\"'"),
    form("load", #/(?i)^\s*(?:load|run|open)\s+["']([^"']+\.frc)["']/#, "write 'include \"$1\"'"),
    form(
      "load", #/(?i)^\s*load\s+["']([^"']+\.(?:csv|json))["'].*/#, "write 'import \"$1\" into Book'"
    ),
    form(
      "open", #/(?i)^\s*(?:open|attach|connect)\s+["']?([^"'\s]+\.(?:sqlite3?|db))["']?/#,
      "write 'store sqlite \"$1\"'"),
    form("store", #/(?i)^\s*store\s+["']([^"']+)["']/#, "write 'store sqlite \"$1\"'"),
    form(
      "store", #/(?i)^\s*store\s+(?:sqlite\s+)?([\w.\/-]+\.(?:sqlite3?|db))\s*$/#,
      "write 'store sqlite \"$1\"'"),
    form("store", #/(?i)^\s*store\s+(?:in-?memory|ram)\b/#, "write 'store memory'"),
    form(
      "import", #/(?i)^\s*import\s+(?:csv|json)?\s*["']([^"']+)["']\s*$/#,
      "write 'import \"$1\" into Book'"),
    form(
      "import", #/(?i)^\s*import\s+([\w.\/-]+\.(?:csv|json))\s+into\s+(\w+)/#,
      "write 'import \"$1\" into $2'"),
    form("include", #/(?i)^\s*include\s+([\w.\/-]+\.frc)\s*$/#, "write 'include \"$1\"'"),
    form("export", #/(?i)^\s*export\s+(\w+)=(\S+)/#, "write 'let $1 = \"$2\"'"),
    form("echo", #/(?i)^\s*echo\s+(.+)/#, "write 'print $1'"),
    form(
      "ls", #/(?i)^\s*(ls|pwd|cd|cat|mkdir|rm|cp|mv|grep|vim|vi|nano)\b.*/#,
      "'$1' is a command of the shell; at the prompt write '!$1 …'"),
    form(
      "cd", #/(?i)^\s*(cd|cat|rm|cp|mv|vi|pwd)\b.*/#,
      "'$1' is a command of the shell; at the prompt write '!$1 …'"),
    form(
      "cat", #/(?i)^\s*(cat)\s.*/#, "'$1' is a command of the shell; at the prompt write '!$1 …'"),
    form("pwd", #/(?i)^\s*(pwd)\s*$/#, "'$1' is a command of the shell; at the prompt write '!$1'"),
    form(
      "grep", #/(?i)^\s*(grep|vim|mkdir|nano)\b.*/#,
      "'$1' is a command of the shell; at the prompt write '!$1 …'"),
    form("then", #/(?i)^\s*(?:if|elif)\s+(.+?)[;\s]+then\b.*/#, "write 'if $1 { … }'"),
    form("elif", #/(?i)\belif\b/#, "write 'else if'"),
    form("elseif", #/(?i)\bels(?:eif|if)\b/#, "write 'else if'"),
    form("unless", #/(?i)^\s*unless\s+([^{]+?)\s*\{/#, "write 'if NOT ($1) { … }'"),
    form("fi", #/(?i)^\s*(?:fi|done|end|endif|esac)\s*$/#, "a block ends with '}'"),
    form("foreach", #/(?i)^\s*foreach\s+(\w+)\s+in\s+(.+?)\s*\{/#, "write 'for $1 in $2 { … }'"),
    form(
      "for", #/(?i)^\s*for\s*\((?:int\s+|var\s+|let\s+)?(\w+)\s*=\s*(\d+)\s*;.*/#,
      "write 'for $1 in $2...10 { … }'"),
    form(
      "for", #/(?i)^\s*for\s+(\w+)\s*(?:=|from)\s*(\d+)\s*(?:to|,)\s*(\d+).*/#,
      "write 'for $1 in $2...$3 { … }'"),
    form(
      "for", #/(?i)^\s*for\s+(\w+)\s+in\s+(\d+)\s*\.\.\s*(\d+)\b.*/#,
      "a range has three dots; write '$2...$3'"),
    form("for", #/(?i)^\s*for\s+(\w+)\s+in\s+range\((\d+)\)/#, "write 'for $1 in 0..<$2 { … }'"),
    form(
      "times", #/(?i)^\s*(?:repeat\s+)?(\d+)\s*(?:\.times|times)\b.*/#, "write 'repeat $1 { … }'"),
    form("loop", #/(?i)^\s*loop\b/#, "write 'repeat 10 { … }'"),
    form(
      "def ", #/(?i)^\s*(?:def|function|fn|sub)\s+(\w+)/#,
      "frc has no functions; write the statements where they run, or 'include' a file"),
    form(
      "function", #/(?i)^\s*function\s+(\w+)/#,
      "frc has no functions; write the statements where they run, or 'include' a file"),
    form("console.log", #/(?i)\bconsole\.log\((.+)\)/#, "write 'print $1'"),
    form(
      "println", #/(?i)\b(?:println|printf|puts|NSLog|debugPrint|dump)\b\s*\(?(.*?)\)?\s*$/#,
      "write 'print $1'"),
    form("nslog", #/(?i)\bNSLog\s*\((.*)\)/#, "write 'print $1'"),
    form(
      "dump", #/(?i)^\s*(?:dump|debugPrint|puts|printf)\b\s*\(?(.*?)\)?\s*$/#, "write 'print $1'"),
    form(
      "sleep", #/(?i)^\s*sleep\b.*/#,
      "a script does not wait; 'set clock @2026-01-31' changes the time"
    ),
    form("assert", #/(?i)^\s*(?:XCT)?[Aa]ssert\w*\(?\s*(.+?)\)?\s*$/#, "write 'expect $1'"),
    form("#expect", #/(?i)#expect\((.+)\)/#, "write 'expect $1'"),
    form("null", #/(?i)\b(?:None|undefined)\b/#, "write 'nil'"),
    form("none", #/(?i)\bNone\b/#, "write 'nil'"),
    form("undefined", #/(?i)\bundefined\b/#, "write 'nil'"),
  ]
}
