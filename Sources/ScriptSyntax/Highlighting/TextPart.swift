import Synchronization

/// A part of a text that is being typed, with its kind, for colouring.
package struct TextPart: Equatable, Sendable {
  /// The part, in UTF-8 bytes.
  package var range: Range<Int>
  package var role: Role

  package enum Role: Equatable, Sendable {
    /// A word of the language.
    case word
    /// The name of an entity or a type.
    case entity
    case name
    /// `$name`.
    case variable
    /// `Book/3`.
    case object
    case number
    case date
    case string
    case comment
    case sign
    /// A bracket, with the number of brackets around it.
    case bracket(depth: Int)
    /// A closing bracket without an opening one, or an opening bracket that is closed by another
    /// kind.
    case strayBracket
    /// A bracket that is not closed yet.
    case openBracket
    /// Text that the lexer cannot read.
    case unknown
  }

  /// The place of a name, which decides what it must be.
  package enum Place: Equatable, Sendable {
    /// The start of a statement.
    case first
    /// After `insert`, where an entity must be.
    case inserted
    /// Before a `.`, and not after another one.
    case base
    /// An attribute in the brackets of an insert of an entity.
    case attribute(of: String)
    case other
  }

  package var place = Place.other
  /// The text of a name.
  package var text = ""
}

/// The parts of a text, and the names that it defines.
package struct TextParts: Sendable {
  package private(set) var parts: [TextPart] = []
  /// The names that the text defines.
  package private(set) var defined: Set<String> = []
  /// The values in the strings, without `\(` and `)`.
  package private(set) var interpolations: [Range<Int>] = []
  /// Whether the text ends within a string.
  package private(set) var endsInString = false

  /// Divides a text into its parts, even if it has errors.
  ///
  /// - Parameter setting: Whether a string without a closing quote ends with its line, as in a file.
  /// - Complexity: O(*n*), where *n* is the length of the text; if it is one of the last two, no
  ///   more than a comparison.
  package init(_ text: String, as setting: ScriptParser.Setting = .prompt) {
    self = TextPartsMemory.parts(of: text, as: setting) {
      TextParts(reading: text, as: setting)
    }
  }

  private init(reading text: String, as setting: ScriptParser.Setting) {
    var reader = TextPartReader(Lexer(SourceText(name: "", text: text)), setting)
    reader.read()
    parts = reader.parts
    defined = reader.defined
    interpolations = reader.interpolations
    endsInString = reader.endsInString
  }
}

private struct TextPartReader {
  private let lexer: Lexer
  private let setting: ScriptParser.Setting
  private(set) var parts: [TextPart] = []
  private(set) var defined: Set<String> = []
  /// The open brackets: each with the index of its part, and the entity whose attributes are
  /// inside.
  private var open: [(sign: Punctuator, part: Int, entity: String?)] = []
  private var offset = 0
  private var isFirst = true
  /// The words before, the nearest one first.
  private var last = ""
  private var lastEntity: String?
  private var hasSubquery = false
  private(set) var interpolations: [Range<Int>] = []
  private(set) var endsInString = false

  init(_ lexer: Lexer, _ setting: ScriptParser.Setting) {
    self.lexer = lexer
    self.setting = setting
  }

  mutating func read() {
    while true {
      let countsLines = open.last.map { $0.sign == .leftBrace } ?? true
      let token = lexer.token(after: offset, lineEndsCount: countsLines)
      comments(upTo: token.kind == .lineEnd ? token.range.upperBound : token.range.lowerBound)
      let start = token.range.lowerBound
      offset = token.range.upperBound
      switch token.kind {
      case .end: return finish()
      case .lineEnd: begin()
      case .quote: string(start)
      case .word: word(start)
      case .variable: variable(start)
      case .number: add(start, .number)
      case .date: add(start, .date)
      case .malformedNumber, .unknown: add(start, .unknown)
      case .punctuator(let sign): punctuator(sign, start)
      }
    }
  }

  private mutating func begin() {
    isFirst = true
    last = ""
    lastEntity = nil
  }

  private mutating func finish() {
    for bracket in open { parts[bracket.part].role = .openBracket }
  }

  private func lexerText(_ start: Int) -> String {
    String(decoding: lexer.bytes[start..<offset], as: UTF8.self)
  }

  private mutating func add(_ start: Int, _ role: TextPart.Role, _ text: String = "") {
    parts.append(TextPart(range: start..<offset, role: role, text: text))
    isFirst = false
    last = text
  }

  /// Adds the comments in the text that was skipped before a token.
  private mutating func comments(upTo end: Int) {
    var place = parts.last?.range.upperBound ?? 0
    while place < end {
      guard let hash = lexer.bytes[place..<end].firstIndex(of: Byte.hash) else { return }
      let lineEnd = min(end, lexer.endOfLine(from: hash))
      parts.append(TextPart(range: hash..<lineEnd, role: .comment))
      place = max(lineEnd, hash + 1)
    }
  }

  private mutating func string(_ start: Int) {
    var end = lexer.endOfString(from: offset, quote: lexer.bytes[start])
    interpolations += end.interpolations
    // At the prompt, a string continues on the next line; in a file, only an interpolation does.
    while !end.isClosed, end.offset < lexer.bytes.count, setting == .prompt || !end.isText {
      end = lexer.endOfString(from: end.offset + 1, quote: lexer.bytes[start])
      interpolations += end.interpolations
    }
    offset = end.offset
    endsInString = !end.isClosed && offset == lexer.bytes.count
    add(start, .string)
  }

  /// A `SUBQUERY` has a variable of its own, with any name.
  private mutating func variable(_ start: Int) {
    let name = lexerText(start + 1)
    if hasSubquery { defined.insert(name) }
    add(start, .variable, name)
  }

  private mutating func word(_ start: Int) {
    if let end = lexer.endOfObject(at: start) {
      let name = lexerText(start)
      offset = end
      return add(start, .object, name)
    }
    let text = lexerText(start)
    if text.utf8.count == 8, text.uppercased() == "SUBQUERY" { hasSubquery = true }
    let isNamed = lexer.isNamed(after: offset)
    let wasFirst = isFirst
    let before = last
    if StatementWord.definesNext(before) { defined.insert(text) }
    if wasFirst, !isNamed, StatementWord.begins(text) {
      add(start, .word, text)
      // After `try` and `abstract` another first word follows.
      isFirst = text == "try" || text == "abstract"
      return
    }
    if lexer.isCapital(at: start), !Self.isUppercase(text) {
      add(start, .entity, text)
      lastEntity = text
      if before == "insert" { parts[parts.count - 1].place = .inserted }
      return
    }
    let isValue =
      (text == "insert" || text == "fetch")
      && lexer.isCapital(at: lexer.skipBlanks(from: offset).end)
    let isWord =
      before != "." && !isNamed
      && (isValue || Self.words.contains(text) || Self.isUppercase(text))
    add(start, isWord ? .word : .name, text)
    guard !isWord else { return }
    let isColon = nextByte == Byte.colon
    if isColon, case let bracket? = open.last, bracket.sign == .leftBrace { defined.insert(text) }
    if isColon, let entity = open.last?.entity {
      parts[parts.count - 1].place = .attribute(of: entity)
    } else if nextByte == Byte.dot, before != "." {
      parts[parts.count - 1].place = .base
    } else if wasFirst, open.isEmpty {
      parts[parts.count - 1].place = .first
    }
  }

  private var nextByte: UInt8? { lexer.byte(at: lexer.skipBlanks(from: offset).end) }

  private mutating func punctuator(_ sign: Punctuator, _ start: Int) {
    if sign.closer != nil {
      let entity = sign == .leftParenthesis && last == lastEntity ? lastEntity : nil
      add(start, .bracket(depth: open.count))
      open.append((sign, parts.count - 1, entity))
      if sign == .leftBrace { begin() }
      return
    }
    guard [.rightParenthesis, .rightBracket, .rightBrace].contains(sign) else {
      add(start, .sign, sign.rawValue)
      if sign == .semicolon { begin() }
      return
    }
    add(start, .strayBracket)
    // A brace also closes the brackets that are open inside it.
    while let bracket = open.last {
      if bracket.sign.closer == sign {
        open.removeLast()
        parts[parts.count - 1].role = .bracket(depth: open.count)
        break
      }
      guard sign == .rightBrace, bracket.sign != .leftBrace else { break }
      parts[bracket.part].role = .strayBracket
      open.removeLast()
    }
    if sign == .rightBrace { begin() }
  }

  private static func isUppercase(_ text: String) -> Bool {
    text.utf8.count > 1 && text.utf8.allSatisfy { (0x41...0x5A).contains($0) }
  }

  /// Words of the language that follow other words.
  private static let words: Set = [
    "all", "asc", "batch", "by", "cache", "caches", "cascade", "clock", "deny", "derived", "desc",
    "display", "else", "external", "false", "if", "in", "includesPendingChanges", "index",
    "indexed", "into", "inverse",
    "limit", "locale",
    "memory", "merging", "model", "nil", "noAction", "nullify", "off", "offset", "on", "ordered",
    "parent",
    "policy", "prefetch", "readonly", "returnsObjectsAsFaults", "section",
    "shouldRefreshRefetchedObjects", "sort", "sqlite", "stored", "transient", "true", "unique",
    "using", "version", "where",
  ]
}

extension TextParts {
  /// Returns the indentation of a new line after a text: two blanks for each line that leaves a
  /// bracket open.
  package static func indentation(
    after text: String, as setting: ScriptParser.Setting = .prompt
  ) -> String {
    let parts = TextParts(text, as: setting)
    guard !parts.endsInString else { return "" }
    let bytes = Array(text.utf8)
    var lines = 0
    var last = 0
    for part in parts.parts where part.role == .openBracket {
      // Several brackets on one line indent only once.
      let start = part.range.lowerBound
      if lines == 0 || bytes[last..<start].contains(Byte.lineFeed) { lines += 1 }
      last = start
    }
    return String(repeating: "  ", count: lines)
  }
}

/// The last two texts that were cut into parts.
///
/// At one key the same text is asked for several times: for its colours, for what can be
/// completed, and for what a string names. The other text is the part before the cursor.
enum TextPartsMemory {
  private struct Entry {
    let text: String
    let setting: ScriptParser.Setting
    let parts: TextParts
  }

  private static let entries = Mutex<[Entry]>([])
  private static let most = 2

  /// Returns the parts of a text, and reads it only where it is not one of the last.
  static func parts(
    of text: String, as setting: ScriptParser.Setting, read: () -> TextParts
  ) -> TextParts {
    let known = entries.withLock { entries in
      entries.first { $0.setting == setting && $0.text == text }?.parts
    }
    if let known { return known }
    let parts = read()
    entries.withLock { entries in
      if entries.count == most { entries.removeFirst() }
      entries.append(Entry(text: text, setting: setting, parts: parts))
    }
    return parts
  }
}
