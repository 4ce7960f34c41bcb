/// A value of a TOML file.
enum TOMLValue: Equatable {
  case text(String)
  case integer(Int)
  case boolean(Bool)
  /// A number with a fraction, a date or a time, as it is written. No setting is one.
  case other(String)
  case array([TOMLValue])
  case table(TOMLTable)

  var string: String? { if case .text(let text) = self { text } else { nil } }
  var int: Int? { if case .integer(let number) = self { number } else { nil } }
  var bool: Bool? { if case .boolean(let isTrue) = self { isTrue } else { nil } }
}

/// A table of a TOML file: its keys in the order of the file.
struct TOMLTable: Equatable {
  struct Entry: Equatable {
    let key: String
    /// The line of the key, counted from 1.
    let line: Int
    var value: TOMLValue
  }

  fileprivate(set) var entries: [Entry] = []
  fileprivate var origin = Origin.path

  /// What began the table, which decides what may add to it.
  fileprivate enum Origin {
    /// A part of `[a.b]` before the last.
    case path
    /// The last part of `[a.b]`.
    case head
    /// A part of the key `a.b` before the last.
    case key
    /// Braces.
    case braces
  }
}

/// The first error of a TOML file.
struct TOMLError: Error, Equatable {
  /// The line, counted from 1.
  let line: Int
  let reason: String
}

/// Reads TOML 1.0, <https://toml.io/en/v1.0.0>.
///
/// A reader of our own needs less than a library: a library in C++ took a fourteenth of the
/// program's whole build, ended the process on some wrong files, and did not say the lines of keys.
struct TOMLReader {
  private let bytes: [UInt8]
  private var place = 0
  private var line = 1
  private var root = TOMLTable()

  /// How deep arrays and tables may be nested.
  private static let deepest = 100

  private init(_ text: String) {
    bytes = Array(text.utf8)
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { place = 3 }
  }

  /// Returns the table that a file contains.
  ///
  /// - Complexity: O(*n* + *k*²) in bytes and the keys of one table.
  static func table(in text: String) throws(TOMLError) -> TOMLTable {
    var reader = TOMLReader(text)
    try reader.readLines()
    return reader.root
  }

  private func error(_ reason: String) -> TOMLError { TOMLError(line: line, reason: reason) }
}

// MARK: - Lines

extension TOMLReader {
  private mutating func readLines() throws(TOMLError) {
    var path: [String] = []
    while true {
      skipBlanks()
      switch next {
      case nil: return
      case UInt8(ascii: "#"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): break
      case UInt8(ascii: "["): path = try readHead()
      default: try readEntry(below: path)
      }
      try endLine()
    }
  }

  /// Reads `[a.b]` or `[[a.b]]`, and returns the path of the table that the next lines are of.
  private mutating func readHead() throws(TOMLError) -> [String] {
    let start = line
    place += 1
    let isList = take("[")
    skipBlanks()
    if next == UInt8(ascii: "]") { throw error("expected the name of a table after '['") }
    let path = try readKey("the name of a table")
    guard take("]"), !isList || take("]") else {
      throw error("expected '\(isList ? "]]" : "]")' after the name of a table")
    }
    try insert(nil, at: path, asList: isList, line: start)
    return path
  }

  private mutating func readEntry(below path: [String]) throws(TOMLError) {
    let start = line
    let key = try readKey("a key")
    let value = try readAssigned(depth: 0)
    try insert(value, at: path + key, asList: false, line: start, below: path.count)
  }

  private mutating func endLine() throws(TOMLError) {
    skipBlanks()
    if next == UInt8(ascii: "#") { try skipComment() }
    guard next != nil else { return }
    guard try takeLineEnd() else { throw error("expected the end of the line, found \(found)") }
  }

  /// Inserts a value, or begins a table if there is none.
  ///
  /// - Parameter written: How many parts of the path were written as a table's head.
  private mutating func insert(
    _ value: TOMLValue?, at path: [String], asList: Bool, line: Int, below written: Int = 0
  ) throws(TOMLError) {
    try Self.insert(value, path[...], asList, line, written, &root)
  }

  private static func insert(
    _ value: TOMLValue?, _ path: ArraySlice<String>, _ asList: Bool, _ line: Int, _ written: Int,
    _ table: inout TOMLTable
  ) throws(TOMLError) {
    guard let key = path.first else { return }
    let isLast = path.count == 1
    // Whether the part is in a table's head, and not in a key.
    let isInHead = value == nil || written > 0
    let twice = TOMLError(line: line, reason: "'\(key)' is there twice")
    func goOn(in inner: inout TOMLTable) throws(TOMLError) {
      try insert(value, path.dropFirst(), asList, line, written - 1, &inner)
    }
    guard let index = table.entries.firstIndex(where: { $0.key == key }) else {
      var new: TOMLValue
      if isLast {
        new = value ?? .table(TOMLTable(origin: .head))
        if asList { new = .array([new]) }
      } else {
        var inner = TOMLTable(origin: isInHead ? .path : .key)
        try goOn(in: &inner)
        new = .table(inner)
      }
      table.entries.append(.init(key: key, line: line, value: new))
      return
    }
    switch table.entries[index].value {
    case .table(var inner):
      if isLast {
        guard value == nil, !asList, inner.origin == .path else { throw twice }
        inner.origin = .head
      } else {
        guard isInHead ? inner.origin != .braces : inner.origin == .key else { throw twice }
        try goOn(in: &inner)
      }
      table.entries[index].value = .table(inner)
    case .array(var list):
      // A path goes through the last table of a list.
      guard isInHead, case .table(var inner)? = list.last, inner.origin != .braces else {
        throw twice
      }
      if isLast {
        guard asList else { throw twice }
        list.append(.table(TOMLTable(origin: .head)))
      } else {
        try goOn(in: &inner)
        list[list.count - 1] = .table(inner)
      }
      table.entries[index].value = .array(list)
    case .text, .integer, .boolean, .other: throw twice
    }
  }
}

// MARK: - Keys and values

extension TOMLReader {
  /// Reads a key with its parts, such as `a."b c"`.
  private mutating func readKey(_ what: String) throws(TOMLError) -> [String] {
    var parts: [String] = []
    repeat {
      skipBlanks()
      switch next {
      case UInt8(ascii: "\""), UInt8(ascii: "'"): parts.append(try readText())
      default:
        let start = place
        while let byte = next, byte.isBareKey { place += 1 }
        guard start < place else { throw error("expected \(what), found \(found)") }
        parts.append(text(start..<place))
      }
      skipBlanks()
      guard parts.count <= Self.deepest else { throw error("a key with too many parts") }
    } while take(".")
    return parts
  }

  /// Reads `= value`.
  private mutating func readAssigned(depth: Int) throws(TOMLError) -> TOMLValue {
    guard take("=") else { throw error("expected '=' after a key, found \(found)") }
    skipBlanks()
    return try readValue(depth: depth)
  }

  private mutating func readValue(depth: Int) throws(TOMLError) -> TOMLValue {
    guard depth < Self.deepest else { throw error("lists and tables are nested too deeply") }
    switch next {
    case UInt8(ascii: "\""), UInt8(ascii: "'"): return .text(try readText(mayBeLong: true))
    case UInt8(ascii: "["): return .array(try readArray(depth: depth + 1))
    case UInt8(ascii: "{"): return .table(try readInlineTable(depth: depth + 1))
    default: return try readWord()
    }
  }

  private mutating func readArray(depth: Int) throws(TOMLError) -> [TOMLValue] {
    place += 1
    var values: [TOMLValue] = []
    while true {
      try skipLines()
      if take("]") { return values }
      values.append(try readValue(depth: depth))
      try skipLines()
      if take(",") { continue }
      guard take("]") else { throw error("expected ',' or ']' in a list, found \(found)") }
      return values
    }
  }

  private mutating func readInlineTable(depth: Int) throws(TOMLError) -> TOMLTable {
    place += 1
    var table = TOMLTable()
    skipBlanks()
    while !take("}") {
      if !table.entries.isEmpty {
        guard take(",") else { throw error("expected ',' or '}' in a table, found \(found)") }
      }
      let start = line
      let key = try readKey("a key")
      let value = try readAssigned(depth: depth)
      try Self.insert(value, key[...], false, start, 0, &table)
      skipBlanks()
    }
    table.origin = .braces
    return table
  }

  /// Reads a number, a date, `true` or `false`.
  private mutating func readWord() throws(TOMLError) -> TOMLValue {
    let start = place
    while let byte = next, byte.isBareKey || "+.:".utf8.contains(byte) { place += 1 }
    var word = text(start..<place)
    // A date and its time may have a blank between them.
    if word.isDate, next == UInt8(ascii: " "), bytes.dropFirst(place + 1).first?.isDigit == true {
      place += 1
      while let byte = next, byte.isBareKey || "+.:".utf8.contains(byte) { place += 1 }
      word = text(start..<place)
    }
    switch word {
    case "": throw error("expected a value, found \(found)")
    case "true": return .boolean(true)
    case "false": return .boolean(false)
    default: break
    }
    if let number = Self.integer(word) { return .integer(number) }
    guard Self.isNumber(word) || word.isDate || word.isTime else {
      throw error("'\(word)' is not a value; write a text between quotes")
    }
    return .other(word)
  }

  private static func integer(_ word: String) -> Int? {
    let digits = word.replacing("_", with: "")
    guard areUnderscoresRight(word) else { return nil }
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] where digits.hasPrefix(prefix) {
      let rest = digits.dropFirst(2)
      return rest.first.map { $0 == "-" || $0 == "+" } == false ? Int(rest, radix: radix) : nil
    }
    let unsigned = digits.drop { $0 == "-" || $0 == "+" }
    guard unsigned.count == 1 || unsigned.first != "0" else { return nil }
    return Int(digits)
  }

  private static func isNumber(_ word: String) -> Bool {
    let unsigned = word.first == "-" || word.first == "+" ? word.dropFirst() : word[...]
    if unsigned == "inf" || unsigned == "nan" { return true }
    let parts = unsigned.split(
      maxSplits: 1, omittingEmptySubsequences: false, whereSeparator: { ".eE".contains($0) })
    guard parts.count == 2, let whole = parts.first, !whole.isEmpty, parts[1].first != "e",
      whole.count == 1 || whole.first != "0", areUnderscoresRight(word)
    else { return false }
    let digits = parts[1].split(separator: ".", omittingEmptySubsequences: false).first ?? ""
    return digits.last?.isNumber == true && Double(word.replacing("_", with: "")) != nil
  }

  /// Whether each underscore is between two digits.
  private static func areUnderscoresRight(_ word: String) -> Bool {
    let parts = word.split(separator: "_", omittingEmptySubsequences: false)
    guard parts.count > 1 else { return true }
    return parts.dropFirst().allSatisfy { $0.first?.isHexDigit == true }
      && parts.dropLast().allSatisfy { $0.last?.isHexDigit == true }
  }
}

// MARK: - Texts

extension TOMLReader {
  /// Reads a text between `"`, which may have escapes, or between `'`, which has none.
  private mutating func readText(mayBeLong: Bool = false) throws(TOMLError) -> String {
    let start = line
    let quote = bytes[place]
    let isLong = mayBeLong && bytes[place...].starts(with: repeatElement(quote, count: 3))
    place += isLong ? 3 : 1
    if isLong { _ = try takeLineEnd() }
    var result: [UInt8] = []
    while true {
      if next == quote {
        if !isLong {
          place += 1
          return String(decoding: result, as: UTF8.self)
        }
        if endsLong(quote, &result) { return String(decoding: result, as: UTF8.self) }
      } else if next == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
        try readEscape(isLong, &result)
      } else {
        try readPlain(String(UnicodeScalar(quote)), isLong, start, &result)
      }
    }
  }

  /// Takes quotes in a long text, and returns whether they end it.
  ///
  /// Up to two of five quotes are a part of the text.
  private mutating func endsLong(_ quote: UInt8, _ result: inout [UInt8]) -> Bool {
    var count = 0
    while count < 5, next == quote {
      place += 1
      count += 1
    }
    result += Array(repeating: quote, count: count < 3 ? count : count - 3)
    return count >= 3
  }

  private mutating func readPlain(
    _ quote: String, _ isLong: Bool, _ start: Int, _ result: inout [UInt8]
  ) throws(TOMLError) {
    guard let byte = next, isLong || byte != UInt8(ascii: "\n") else {
      let end = isLong ? String(repeating: quote, count: 3) : quote
      throw TOMLError(line: start, reason: "the text does not end; write \(end) at its end")
    }
    if isLong, try takeLineEnd() {
      result.append(UInt8(ascii: "\n"))
      return
    }
    try check(byte)
    result.append(byte)
    place += 1
  }

  private mutating func readEscape(_ isLong: Bool, _ result: inout [UInt8]) throws(TOMLError) {
    place += 1
    let escape = next
    if isLong, escape.map({ " \t\r\n".utf8.contains($0) }) == true {
      // A backslash at the end of a line drops the line end and the blanks of the next lines.
      skipBlanks()
      guard try takeLineEnd() else {
        throw error("expected the end of the line after '\\', found \(found)")
      }
      repeat { skipBlanks() } while try takeLineEnd()
      return
    }
    guard let escape else { return }
    place += 1
    switch escape {
    case UInt8(ascii: "b"): result.append(0x08)
    case UInt8(ascii: "t"): result.append(0x09)
    case UInt8(ascii: "n"): result.append(0x0A)
    case UInt8(ascii: "f"): result.append(0x0C)
    case UInt8(ascii: "r"): result.append(0x0D)
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): result.append(escape)
    case UInt8(ascii: "u"), UInt8(ascii: "U"):
      let count = escape == UInt8(ascii: "u") ? 4 : 8
      let digits = String(decoding: bytes[place...].prefix(count), as: UTF8.self)
      guard digits.utf8.count == count, digits.utf8.allSatisfy(\.isHexDigit),
        let scalar = UInt32(digits, radix: 16).flatMap(Unicode.Scalar.init)
      else { throw error("expected the \(count) digits of a character after '\\'") }
      place += count
      result += Array(String(scalar).utf8)
    default:
      place -= 1
      throw error("expected b, t, n, f, r, u, U, \" or \\ after '\\', found \(found)")
    }
  }
}

// MARK: - Characters

extension TOMLReader {
  private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

  /// The next character, for a message.
  private var found: String {
    guard let byte = next else { return "the end of the file" }
    if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") { return "the end of the line" }
    let text = String(decoding: bytes[place...].prefix(4), as: UTF8.self)
    guard let scalar = text.unicodeScalars.first else { return "nothing" }
    let isShown = scalar.properties.isWhitespace || scalar.properties.generalCategory == .control
    return isShown || scalar.properties.generalCategory == .format
      ? "U+" + String(scalar.value, radix: 16, uppercase: true) : "'\(scalar)'"
  }

  private func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: character) else { return false }
    place += 1
    return true
  }

  private mutating func takeLineEnd() throws(TOMLError) -> Bool {
    if next == UInt8(ascii: "\r") {
      guard bytes.dropFirst(place + 1).first == UInt8(ascii: "\n") else {
        throw error("a carriage return that does not end a line")
      }
      place += 1
    }
    guard take("\n") else { return false }
    line += 1
    return true
  }

  private mutating func skipBlanks() {
    while next == UInt8(ascii: " ") || next == UInt8(ascii: "\t") { place += 1 }
  }

  /// Skips blanks, comments and line ends.
  private mutating func skipLines() throws(TOMLError) {
    repeat {
      skipBlanks()
      if next == UInt8(ascii: "#") { try skipComment() }
    } while try takeLineEnd()
  }

  private mutating func skipComment() throws(TOMLError) {
    while let byte = next, byte != UInt8(ascii: "\n"), byte != UInt8(ascii: "\r") {
      try check(byte)
      place += 1
    }
  }

  /// Throws for a character that no text may have.
  private func check(_ byte: UInt8) throws(TOMLError) {
    guard byte >= 0x20 && byte != 0x7F || byte == UInt8(ascii: "\t") else {
      throw error("a character that text cannot have")
    }
  }
}

extension UInt8 {
  fileprivate var isDigit: Bool { UInt8(ascii: "0") <= self && self <= UInt8(ascii: "9") }

  fileprivate var isHexDigit: Bool {
    isDigit || (UInt8(ascii: "a") <= self | 0x20 && self | 0x20 <= UInt8(ascii: "f"))
  }

  /// Whether the character may be in a key without quotes.
  fileprivate var isBareKey: Bool {
    isDigit || (UInt8(ascii: "a") <= self | 0x20 && self | 0x20 <= UInt8(ascii: "z"))
      || self == UInt8(ascii: "-") || self == UInt8(ascii: "_")
  }
}

extension String {
  /// Whether the text is a date, such as `2026-11-25`, perhaps with a time and its zone.
  fileprivate var isDate: Bool {
    guard let rest = after("dddd-dd-dd") else { return false }
    guard let mark = rest.first else { return true }
    guard "Tt ".contains(mark), let zone = String(rest.dropFirst()).afterTime else { return false }
    return zone.isEmpty || zone == "Z" || zone == "z"
      || "+-".contains(zone.prefix(1)) && String(zone.dropFirst()).after("dd:dd")?.isEmpty == true
  }

  /// Whether the text is a time, such as `07:32:00.5`.
  fileprivate var isTime: Bool { afterTime?.isEmpty == true }

  /// What follows a time at the text's start; nil if there is no time.
  private var afterTime: Substring? {
    guard let rest = after("dd:dd:dd") else { return nil }
    guard rest.first == "." else { return rest }
    let end = rest.dropFirst().drop { $0.isNumber }
    return end.count < rest.count - 1 ? end : nil
  }

  /// What follows a part in which `d` stands for a digit; nil if the text begins otherwise.
  private func after(_ shape: String) -> Substring? {
    let matches = zip(utf8, shape.utf8).allSatisfy { byte, part in
      part == UInt8(ascii: "d") ? byte.isDigit : byte == part
    }
    return matches && utf8.count >= shape.utf8.count ? dropFirst(shape.count) : nil
  }
}
