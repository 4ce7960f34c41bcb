import Synchronization

/// A form of Swift, Core Data, SQL or a shell, and what to write instead.
///
/// The parser and the interpreter find the error. A form only improves the message; it never
/// becomes valid.
package struct ForeignForm: Sendable {
  /// Texts in lower case; each match contains one of them.
  ///
  /// Searching for them is faster than matching the pattern.
  let needles: [Needle]
  /// Matches a line that contains the form.
  let pattern: @Sendable (Substring) -> Match?
  /// The message.
  ///
  /// `$1` is the first group of the pattern, and `$^1` the same in capitals. `$0` is the message
  /// without the form, up to a semicolon. A message that begins with "write" is appended to that one.
  let message: String
  /// The errors that the form is looked for at.
  private var scope = Scope.names

  /// What an error is about.
  package enum Subject: Sendable {
    case syntax
    /// A name that is unknown, or of another kind than the statement needs.
    case name(String)
    /// A statement whose parts exist but do not go together.
    case use
  }

  /// The errors that a form is looked for at, besides those of syntax.
  enum Scope {
    /// None: what the form looks like can also be valid, such as an attribute 'join'.
    case syntax
    /// Of a name in the form, up to the end of the needle.
    case names
    /// Of a name that is a group of the form.
    case groups
    /// Of a statement whose parts do not go together.
    case uses
  }

  struct Needle: Sendable {
    let text: String
    let pairs: [Int]
  }

  /// A match: the range of the form in a line, and its groups.
  struct Match {
    let range: Range<Substring.Index>
    let groups: [Substring?]
  }

  /// Creates a form with any number of groups.
  ///
  /// Bars separate the needles.
  static func form<Output>(
    _ needles: String, _ pattern: @autoclosure @escaping @Sendable () -> Regex<Output>,
    _ message: String
  ) -> ForeignForm {
    let compiled = CompiledPattern { Regex<AnyRegexOutput>(pattern()) }
    return ForeignForm(
      needles: needles.split(separator: "|").map {
        Needle(text: String($0), pairs: LinePairs.hashes(of: String($0)))
      }, pattern: compiled.firstMatch, message: message)
  }

  private static let all: [ForeignForm] =
    coreData + swift + sql.map { $0.finding(.syntax) } + shell + frc

  /// Returns the form, looked for at other errors.
  func finding(_ scope: Scope) -> ForeignForm {
    var form = self
    form.scope = scope
    return form
  }

  /// Returns the diagnostic with a message that says what to write, if there is a foreign form at
  /// its place.
  ///
  /// Warnings are not changed, and texts in quotes are no forms.
  ///
  /// - Complexity: O(*n*) in the length of the line.
  package static func improved(
    _ diagnostic: Diagnostic, about subject: Subject = .syntax, in source: SourceText
  ) -> Diagnostic {
    // A missing feature has its own message, and so has a file with errors.
    guard diagnostic.severity == .error, !diagnostic.message.hasPrefix("frc has no "),
      !diagnostic.message.contains(" has errors: "),
      // An index in a predicate says itself what to write.
      !diagnostic.message.contains(" a list, so it has no ["),
      diagnostic.range.lowerBound <= source.bytes.count
    else {
      return diagnostic
    }
    let lineRange = source.range(ofLine: source.line(of: diagnostic.range.lowerBound))
    guard lineRange.count <= longestLine else { return diagnostic }
    let line = Substring(source.text(in: lineRange))
    let lowercased = line.lowercased()
    let pairs = LinePairs(line)
    func isThere(_ needle: Needle) -> Bool {
      pairs.mayContain(needle.pairs) && lowercased.contains(needle.text)
    }
    // The error is about an interpolation if it is inside a text.
    let texts = textLiterals(in: line.utf8).map {
      lineRange.lowerBound + $0.lowerBound..<lineRange.lowerBound + $0.upperBound
    }
    .filter { !$0.contains(diagnostic.range.lowerBound) }
    for form in all
    where form.isLookedFor(at: subject) && form.needles.contains(where: isThere) {
      guard let match = form.pattern(line) else { continue }
      let start =
        lineRange.lowerBound + line.utf8.distance(from: line.startIndex, to: match.range.lowerBound)
      let end = start + line[match.range].utf8.count
      // The error must touch the form, so that it is about the form.
      guard diagnostic.range.lowerBound <= end, diagnostic.range.upperBound >= start else {
        continue
      }
      let needles = form.needleRanges(in: line[match.range], at: start)
      let outside = needles.filter { needle in !texts.contains { $0.contains(needle.lowerBound) } }
      guard needles.isEmpty || !outside.isEmpty, !texts.contains(where: { $0.contains(start) }),
        form.isAbout(
          subject, match, start..<(outside.map(\.upperBound).min() ?? start), diagnostic, source)
      else { continue }
      var improved = diagnostic
      improved.message = form.text(of: match, besides: diagnostic.message)
      improved.replacement = nil
      return improved
    }
    return diagnostic
  }

  /// The longest line that is searched.
  ///
  /// Nobody writes longer lines by hand.
  private static let longestLine = 400

  private func isLookedFor(at subject: Subject) -> Bool {
    switch subject {
    case .syntax: true
    case .name: scope == .names || scope == .groups
    case .use: scope == .uses
    }
  }

  /// Whether an error is about a form, and not only beside it.
  ///
  /// - Parameter range: The form up to the end of its needle.
  private func isAbout(
    _ subject: Subject, _ match: Match, _ range: Range<Int>, _ diagnostic: Diagnostic,
    _ source: SourceText
  ) -> Bool {
    guard case .name(let name) = subject else { return true }
    if scope == .groups { return match.groups.contains { $0.map(String.init) == name } }
    let place = Array(source.text(in: diagnostic.range).utf8).firstRange(of: Array(name.utf8))
    return place.map { range.contains(diagnostic.range.lowerBound + $0.lowerBound) } ?? false
  }

  private func needleRanges(in form: Substring, at start: Int) -> [Range<Int>] {
    let bytes = form.utf8.map { byte in
      (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
    return needles.flatMap { bytes.ranges(of: Array($0.text.utf8)) }
      .map { start + $0.lowerBound..<start + $0.upperBound }
  }

  /// Returns the insides of the texts in quotes, with the closing quotes.
  private static func textLiterals(in line: Substring.UTF8View) -> [Range<Int>] {
    var texts: [Range<Int>] = []
    var opening: (quote: UInt8, start: Int)?
    var isEscaped = false
    for (index, byte) in line.enumerated() {
      if isEscaped {
        isEscaped = false
      } else if let text = opening {
        isEscaped = byte == UInt8(ascii: "\\")
        guard byte == text.quote else { continue }
        texts.append(text.start..<index + 1)
        opening = nil
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        opening = (byte, index + 1)
      }
    }
    return texts
  }

  private func text(of match: Match, besides original: String) -> String {
    let head = original.prefix(upTo: original.firstRange(of: "; ")?.lowerBound ?? original.endIndex)
    // These errors are about what the parser took the form for.
    let isMisread = [
      "a value is not a statement", "comparisons cannot be chained", "a variable is set with",
    ].contains(where: head.hasPrefix)
    var text = message.hasPrefix("write ") ? "$0; " + message : message
    for (index, group) in match.groups.enumerated().reversed() {
      text = text.replacing("$^\(index + 1)", with: group?.uppercased() ?? "")
      text = text.replacing("$\(index + 1)", with: group ?? "")
    }
    return text.replacing("$0", with: isMisread ? "frc does not have this form" : head)
  }
}

/// A pattern that is compiled when it is first used.
///
/// To compile one takes longer than to match a line with it.
private final class CompiledPattern: Sendable {
  private let make: @Sendable () -> Regex<AnyRegexOutput>
  private let made = Mutex<Regex<AnyRegexOutput>?>(nil)

  init(_ make: @escaping @Sendable () -> Regex<AnyRegexOutput>) { self.make = make }

  func firstMatch(in line: Substring) -> ForeignForm.Match? {
    made.withLock { made in
      let pattern = made ?? make()
      made = pattern
      guard let match = try? pattern.firstMatch(in: line) else { return nil }
      return ForeignForm.Match(
        range: match.range, groups: (1..<match.output.count).map { match.output[$0].substring })
    }
  }
}

/// The set of adjacent bytes in a line.
///
/// If a line lacks one pair of a text's bytes, it cannot contain the text. This excludes almost
/// every form at once, so an error costs little although there are hundreds of forms.
struct LinePairs {
  /// One bit for each hash of two bytes.
  private var bits = ContiguousArray<UInt64>(repeating: 0, count: 64)

  /// Creates the set of a line's pairs and single bytes.
  ///
  /// ASCII letters count as lower case.
  init(_ line: Substring) {
    var previous: UInt8 = 0
    for byte in line.utf8 {
      let folded = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
      insert(Self.hash(0, folded))
      insert(Self.hash(previous, folded))
      previous = folded
    }
  }

  private mutating func insert(_ hash: Int) { bits[hash >> 6] |= 1 << UInt64(hash & 63) }

  /// Whether the line may contain a text, given the hashes of the text's pairs.
  func mayContain(_ hashes: [Int]) -> Bool {
    for hash in hashes where bits[hash >> 6] & (1 << UInt64(hash & 63)) == 0 { return false }
    return true
  }

  /// Returns the hashes of a text's pairs, or of its only byte.
  ///
  /// A text that is not ASCII has none.
  static func hashes(of text: String) -> [Int] {
    let bytes = Array(text.utf8)
    guard bytes.allSatisfy({ $0 < 0x80 }), let first = bytes.first else { return [] }
    return bytes.count == 1 ? [hash(0, first)] : zip(bytes, bytes.dropFirst()).map(hash)
  }

  private static func hash(_ first: UInt8, _ second: UInt8) -> Int {
    (Int(first) &* 67 &+ Int(second)) & 4095
  }
}

extension ForeignForm {
  /// Forms of SQL.
  static let sql: [ForeignForm] = [
    form(
      "select", #/(?i)^\s*select\s+count\(.*?\)\s+from\s+(\w+)(.*)/#,
      "frc has no SQL; write 'count $1$2'"),
    form(
      "select", #/(?i)^\s*select\s+\*\s+from\s+(\w+)(.*)/#, "frc has no SQL; write 'fetch $1$2'"),
    form(
      "select", #/(?i)^\s*select\s+distinct\s+([\w.,\s]+?)\s+from\s+(\w+)(.*)/#,
      "frc has no SQL; write 'fetch $2 values $1 distinct$3'"),
    form(
      "select", #/(?i)^\s*select\s+([\w.,\s]+?)\s+from\s+(\w+)(.*)/#,
      "frc has no SQL; write 'fetch $2 values $1$3'"),
    form("select", #/(?i)^\s*select\b/#, "frc has no SQL; write 'fetch Book where … sort by …'"),
    form(
      "insert into", #/(?i)^\s*insert\s+into\s+(\w+)\s*\((\w+).*?\)\s*values\s*\((.+?)[,)].*/#,
      "frc has no SQL; write 'insert $1($2: $3)'"),
    form(
      "insert into", #/(?i)^\s*insert\s+into\s+(\w+).*/#,
      "frc has no SQL; write 'insert $1(title: \"Dune\")'"),
    form(
      "update", #/(?i)^\s*update\s+(\w+)\s+set\s+(.+?)\s+where\s+(.+)/#,
      "frc has no SQL; write 'update $1 where $3 { $2 }'"),
    form(
      "update", #/(?i)^\s*update\s+(\w+)\s+set\s+(.+)/#, "frc has no SQL; write 'update $1 { $2 }'"),
    form(
      "delete from", #/(?i)^\s*delete\s+from\s+(\w+)(.*)/#, "frc has no SQL; write 'delete $1$2'"),
    form(
      "create", #/(?i)^\s*create\s+table\s+(?:if\s+not\s+exists\s+)?(\w+).*/#,
      "frc has no SQL; write 'entity $1 { title: String }'"),
    form(
      "create", #/(?i)^\s*create\s+unique\s+index\b.*/#,
      "frc has no SQL; 'unique title' in an entity allows no two same values"),
    form(
      "create", #/(?i)^\s*create\s+index\b.*/#,
      "frc has no SQL; write 'title: String indexed' in an entity"),
    form(
      "drop", #/(?i)^\s*drop\s+table\b.*/#,
      "an entity cannot be removed; 'delete Book' deletes its objects"),
    form(
      "alter", #/(?i)^\s*alter\s+table\b.*/#,
      "an entity cannot be changed later; write the property in 'entity Book { … }'"),
    form("truncate", #/(?i)^\s*truncate\s+(?:table\s+)?(\w+)/#, "write 'delete $1'"),
    form("order by", #/(?i)\border\s+by\s+([\w.]+(?:\s*,\s*[\w.]+)*)/#, "write 'sort by $1'"),
    form(
      "join", #/(?i)\b(?:inner\s+|left\s+)?join\b.*/#,
      "frc has no joins; a key path crosses a relationship: where author.name == \"Lem\""),
    form("is not null", #/(?i)([\w.]+)\s+is\s+not\s+(?:null|nil)/#, "write '$1 != nil'"),
    form("is null", #/(?i)([\w.]+)\s+is\s+(?:null|nil)/#, "write '$1 == nil'"),
    form("is nil", #/(?i)([\w.]+)\s+is\s+nil/#, "write '$1 == nil'"),
    form("is not nil", #/(?i)([\w.]+)\s+is\s+not\s+nil/#, "write '$1 != nil'"),
    form(
      "not like", #/(?i)([\w.]+)\s+not\s+(like|matches|contains|between)\s+(\S+)/#,
      "write 'NOT $1 $2 $3'"),
    form(" in (", #/(?i)([\w.]+)\s+in\s+\(([^)]*)\)/#, "a list has braces; write '$1 IN {$2}'"),
    form(
      "between", #/(?i)([\w.]+)\s+between\s+(\S+)\s+and\s+(\S+)/#, "write '$1 BETWEEN {$2, $3}'"),
    form("limit", #/(?i)\blimit\s+(\d+)\s*,\s*(\d+)/#, "write 'limit $2 offset $1'"),
    form(
      "begin", #/(?i)^\s*begin(?:\s+transaction)?\s*;?\s*$/#,
      "write 'perform { … }' for the changes of one turn, and 'save' to keep them"),
    form(
      "start transaction", #/(?i)^\s*start\s+transaction\b.*/#,
      "write 'perform { … }' for the changes of one turn, and 'save' to keep them"),
    form("commit", #/(?i)^\s*commit\b.*/#, "write 'save'"),
    form("desc", #/(?i)^\s*desc(?:ribe)?\s+(\w+)/#, "write 'show model'"),
    form(
      ".tables|.schema|.databases", #/(?i)^\s*\.(?:tables|schema|databases)\b.*/#,
      "write 'show model'"),
    form(".", #/(?i)^\s*\.(?:quit|exit)\b.*/#, "write ':quit' at the prompt"),
    form(".", #/(?i)^\s*\.(mode|help|timer)\b\s*(\w*)/#, "write ':$1 $2' at the prompt"),
    form("\\d", #/(?i)^\s*\\d\b.*/#, "write 'show model'"),
    form(
      "explain", #/(?i)^\s*explain\s+(?:query\s+plan\s+)?select\b.*/#,
      "'explain' is about the last turn; 'set sql on' prints the SQL of a fetch"),
    form(
      "pragma", #/(?i)^\s*pragma\b.*/#, "frc has no SQL; 'set sql on' prints the store's statements"
    ),
    form("--", #/(?i)(?:^|\s)--\s.*/#, "a comment begins with '# '"),
    form(" set ", #/(?i)^\s*set\s+(\w+)\s*=\s*(.+)/#, "write 'let $1 = $2'"),
    form(
      "set ", #/(?i)^\s*set\s+(\w[\w.\/]*)\s*=\s*(.+)/#,
      "write '$1 = $2' for a property, and 'let $1 = $2' for a variable"),
    form("count(*)", #/(?i)\bcount\(\*\)/#, "write 'count Book', or 'values count(title)'"),
  ]
}

extension ForeignForm {
  /// Forms of shells and of other prompts.
  static let shell: [ForeignForm] = [
    form("show tables", #/(?i)^\s*show\s+tables\b.*/#, "write 'show model'"),
    form(
      "entities|schema|databases", #/(?i)^\s*show\s+(?:entities|schema|databases)\b.*/#,
      "write 'show model'"),
    form(
      "exit|bye|logout", #/(?i)^\s*(?:exit|quit|bye|logout)\s*(?:\(\))?\s*$/#,
      "write ':quit' at the prompt"),
    form("quit", #/(?i)^\s*quit\s*(?:\(\))?\s*$/#, "write ':quit' at the prompt"),
    form(
      ":",
      #/^\s*:(help|try|keys|history|load|undo|redo|goto|record|play|pane|mode|theme|quit)\b.*/#,
      "':$1' is a command of the prompt, which 'frc' starts in a terminal"),
    form("help", #/(?i)^\s*help(?:\(\))?\s*$/#, "write ':help' at the prompt"),
    form("help", #/(?i)^\s*help\s+(\w+)\s*$/#, "write ':help $1' at the prompt"),
    form("man ", #/(?i)^\s*man\s+(\w+)/#, "write ':help $1' at the prompt"),
    form("clear|cls", #/(?i)^\s*(?:clear|cls)\s*$/#, "write ':clear' at the prompt"),
    form(
      "undo", #/(?i)^\s*(undo|redo)\s+(\d+)\s*$/#,
      "'$1' takes no number; ':$1 $2' at the prompt goes $2 statements"),
    form("history", #/(?i)^\s*history\s+(\d+)\s*$/#, "write ':history' at the prompt"),
    form(
      "frc ", #/(?i)^\s*frc\s+(test|run|check|fmt|play|learn)\b(.*)/#,
      "'frc $1' is a command of the shell; leave the prompt first with ':quit'"),
    form("source", #/(?i)^\s*source\s+["']?([^"'\s]+)["']?/#, "write 'include \"$1\"'"),
    form(
      "load|run |open ", #/(?i)^\s*(?:load|run|open)\s+["']([^"']+\.frc)["']/#,
      "write 'include \"$1\"'"),
    form(
      "load", #/(?i)^\s*load\s+["']([^"']+\.(?:csv|json))["'].*/#, "write 'import \"$1\" into Book'"
    ),
    form(
      "open", #/(?i)^\s*(?:open|attach|connect)\s+["']?([^"'\s]+\.(?:sqlite3?|db))["']?/#,
      "write 'store sqlite \"$1\"'"),
    form("store", #/(?i)^\s*store\s+["']([^"']+)["']/#, "write 'store sqlite \"$1\"'"),
    form(
      ".sqlite|.db", #/(?i)^\s*store\s+(?:sqlite\s+)?([\w.\/-]+\.(?:sqlite3?|db))\s*$/#,
      "write 'store sqlite \"$1\"'"),
    form("store", #/(?i)^\s*store\s+(?:in[- ]?memory|ram)\b/#, "write 'store memory'"),
    form(
      "read-only|readonly|read_only",
      #/^\s*store\s+sqlite\s+("[^"]*"|'[^']*')\s(?:.*\s)?(?:read-only|readOnly|read_only)\b.*/#,
      "write 'store sqlite $1 readonly'"
    ).finding(.syntax),
    form(
      ".xcdatamodel", #/(?i)^\s*model\s+([\w.\/-]+\.xcdatamodeld?)\s*$/#, "write 'model \"$1\"'"),
    form(
      "import", #/(?i)^\s*import\s+(?:csv|json)?\s*["']([^"']+)["']\s*$/#,
      "write 'import \"$1\" into Book'"),
    form(
      ".csv|.json", #/(?i)^\s*import\s+([\w.\/-]+\.(?:csv|json))\s+into\s+(\w+)/#,
      "write 'import \"$1\" into $2'"),
    form(".frc", #/(?i)^\s*include\s+([\w.\/-]+\.frc)\s*$/#, "write 'include \"$1\"'"),
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
    form("elseif|elsif", #/(?i)\bels(?:eif|if)\b/#, "write 'else if'"),
    form("unless", #/(?i)^\s*unless\s+([^{]+?)\s*\{/#, "write 'if NOT ($1) { … }'"),
    form("fi|endif|esac", #/(?i)^\s*(?:fi|done|end|endif|esac)\s*$/#, "a block ends with '}'"),
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
    form("range(", #/(?i)^\s*for\s+(\w+)\s+in\s+range\((\d+)\)/#, "write 'for $1 in 0..<$2 { … }'"),
    form(
      "times", #/(?i)^\s*(?:repeat\s+)?(\d+)\s*(?:\.times|times)\b.*/#, "write 'repeat $1 { … }'"),
    form("loop", #/(?i)^\s*loop\b/#, "write 'repeat 10 { … }'"),
    form(
      "def |function|fn |sub ", #/(?i)^\s*(?:def|function|fn|sub)\s+(\w+)/#,
      "frc has no functions; write the statements where they run, or 'include' a file"),
    form("console.log", #/(?i)\bconsole\.log\((.+)\)/#, "write 'print $1'"),
    form(
      "println", #/(?i)\b(?:println|printf|puts|NSLog|debugPrint|dump)\b\s*\(?(.*?)\)?\s*$/#,
      "write 'print $1'"),
    form("nslog", #/(?i)\bNSLog\s*\((.*)\)/#, "write 'print $1'"),
    form(
      "dump|debugprint|puts", #/(?i)^\s*(?:dump|debugPrint|puts|printf)\b\s*\(?(.*?)\)?\s*$/#,
      "write 'print $1'"),
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
