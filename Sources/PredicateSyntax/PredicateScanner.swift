/// Reads the text of a predicate token by token.
///
/// A token depends on the place. Where an operator may follow, the end of a script's line ends the
/// predicate. Where a value must follow, a line end counts as a blank.
struct PredicateScanner {
  let bytes: [UInt8]
  /// Whether the predicate is in a script, where lines and comments count.
  let isEmbedded: Bool
  /// The position where the search for the next token starts.
  var position: Int
  /// The end of the last token that was read.
  private(set) var end: Int
  /// The number of open brackets.
  ///
  /// Inside brackets, a line end counts as a blank.
  var openBrackets = 0
  private var lookahead: Token?

  init(_ bytes: [UInt8], from offset: Int = 0, isEmbedded: Bool) {
    self.bytes = bytes
    self.isEmbedded = isEmbedded
    position = offset
    end = offset
  }

  struct Token {
    var kind: Kind
    var start: Int
    var end: Int

    var range: Range<Int> { start..<end }
  }

  enum Kind: Equatable {
    case endOfText
    case endOfLine
    case word
    /// A number, which begins with a digit.
    case number
    /// A sequence of `=`, `<`, `>`, `!` and `~`.
    case relation
    /// `&&`
    case doubleAmpersand
    /// `||`
    case doubleBar
    /// `**`
    case doubleStar
    /// Any other byte, which is usually punctuation.
    case byte(UInt8)
  }

  // MARK: Tokens

  /// Returns the next token at a place where an operator may follow.
  mutating func peek() -> Token {
    if let lookahead { return lookahead }
    let token =
      skipBlanks()
      ? token(at: position) : Token(kind: .endOfLine, start: end, end: end)
    lookahead = token
    return token
  }

  /// Returns the next token at a place where a value must follow.
  ///
  /// Line ends count as blanks.
  mutating func peekOperand() -> Token {
    if let lookahead, lookahead.kind != .endOfLine { return lookahead }
    skipBlanksAndLines()
    let token = token(at: position)
    lookahead = token
    return token
  }

  /// Moves past a token, or past a value that ends at `end`.
  mutating func take(upTo end: Int) {
    position = end
    self.end = end
    lookahead = nil
  }

  mutating func take(_ token: Token) { take(upTo: token.end) }

  /// Reads the next token if it is this byte.
  mutating func take(byte: UInt8) -> Bool {
    let token = peek()
    guard token.kind == .byte(byte) else { return false }
    take(token)
    return true
  }

  func text(_ range: Range<Int>) -> String {
    String(decoding: bytes[range], as: UTF8.self)
  }

  func byte(at offset: Int) -> UInt8? {
    offset < bytes.count ? bytes[offset] : nil
  }

  private func token(at start: Int) -> Token {
    // An error about missing text is placed after the last token, not after blank lines.
    guard let byte = byte(at: start) else { return Token(kind: .endOfText, start: end, end: end) }
    if let end = endOfWord(at: start) { return Token(kind: .word, start: start, end: end) }
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"):
      return Token(kind: .number, start: start, end: start + 1)
    case UInt8(ascii: "="), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "!"),
      UInt8(ascii: "~"):
      var end = start + 1
      while let next = self.byte(at: end), Self.isRelation(next) { end += 1 }
      return Token(kind: .relation, start: start, end: end)
    case UInt8(ascii: "&") where self.byte(at: start + 1) == byte:
      return Token(kind: .doubleAmpersand, start: start, end: start + 2)
    case UInt8(ascii: "|") where self.byte(at: start + 1) == byte:
      return Token(kind: .doubleBar, start: start, end: start + 2)
    case UInt8(ascii: "*") where self.byte(at: start + 1) == byte:
      return Token(kind: .doubleStar, start: start, end: start + 2)
    default:
      return Token(kind: .byte(byte), start: start, end: endOfCharacter(at: start))
    }
  }

  private static func isRelation(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "="), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "!"),
      UInt8(ascii: "~"):
      true
    default: false
    }
  }

  /// Returns the end of the character at `start`, so that an error shows all of it.
  private func endOfCharacter(at start: Int) -> Int {
    var end = start + 1
    if bytes[start] >= 0x80 {
      while let next = byte(at: end), next & 0xC0 == 0x80 { end += 1 }
    }
    return end
  }
}

extension PredicateScanner {
  /// Skips separators at a place where an operator may follow.
  ///
  /// - Returns: False at a line end that ends the predicate. The position is then just before it.
  mutating func skipBlanks() -> Bool {
    guard isEmbedded, openBrackets == 0 else {
      skipBlanksAndLines()
      return true
    }
    skipBlanksOfLine()
    guard byte(at: position) == UInt8(ascii: "\n") else { return true }
    guard let next = logicalOperatorOnNextLine() else { return false }
    position = next
    return true
  }

  /// Skips blanks, line ends and comments.
  mutating func skipBlanksAndLines() {
    skipBlanksOfLine()
    while byte(at: position) == UInt8(ascii: "\n") {
      position += 1
      skipBlanksOfLine()
    }
  }

  /// Skips blanks, a comment, and a line end after a `\`.
  private mutating func skipBlanksOfLine() {
    while let byte = byte(at: position) {
      if Self.isBlank(byte) || (!isEmbedded && byte == UInt8(ascii: "\n")) {
        position += 1
      } else if isComment(at: position) {
        position = endOfLine(from: position)
        return
      } else if let next = joinedLine(at: position) {
        position = next
      } else {
        return
      }
    }
  }

  /// Returns the start of the next line, if the `\` here is the last character of its line.
  private func joinedLine(at start: Int) -> Int? {
    guard isEmbedded, byte(at: start) == UInt8(ascii: "\\") else { return nil }
    var offset = start + 1
    while let byte = byte(at: offset), Self.isBlank(byte) { offset += 1 }
    if isComment(at: offset) { offset = endOfLine(from: offset) }
    guard let byte = byte(at: offset) else { return offset }
    return byte == UInt8(ascii: "\n") ? offset + 1 : nil
  }

  /// Returns the position of AND or OR, if the next line that is neither blank nor a comment begins
  /// with it.
  private func logicalOperatorOnNextLine() -> Int? {
    var offset = position
    while let byte = byte(at: offset) {
      if Self.isBlank(byte) || byte == UInt8(ascii: "\n") {
        offset += 1
      } else if byte == UInt8(ascii: "#") {
        offset = endOfLine(from: offset)
      } else {
        return isLogicalOperator(at: offset) ? offset : nil
      }
    }
    return nil
  }

  private func isLogicalOperator(at offset: Int) -> Bool {
    if let byte = byte(at: offset), byte == self.byte(at: offset + 1) {
      return byte == UInt8(ascii: "&") || byte == UInt8(ascii: "|")
    }
    guard let end = endOfWord(at: offset), end - offset <= 3 else { return false }
    switch Keyword(text(offset..<end)) {
    case .and, .or: return !isAssigned(after: end)
    default: return false
    }
  }

  /// Whether a name that ends here begins a separate statement: `or = 1`, `and.title = "x"`.
  private func isAssigned(after end: Int) -> Bool {
    var offset = end
    while let byte = byte(at: offset), Self.isBlank(byte) { offset += 1 }
    switch byte(at: offset) {
    case UInt8(ascii: ":"), UInt8(ascii: "="), UInt8(ascii: "."): return true
    case UInt8(ascii: "+"), UInt8(ascii: "-"):
      return byte(at: offset + 1) == UInt8(ascii: "=")
    default: return false
    }
  }

  // MARK: Comments

  /// Whether a comment begins here.
  ///
  /// A comment is a `#` after a blank or at the start of a line, followed by a blank or the end of
  /// the line. At the start of a line, `#>`, `#?`, `#@` and `#|` are comments too. A `#` directly
  /// before a letter is the escape of a key.
  private func isComment(at offset: Int) -> Bool {
    guard isEmbedded, byte(at: offset) == UInt8(ascii: "#") else { return false }
    let before = offset == 0 ? UInt8(ascii: "\n") : bytes[offset - 1]
    guard Self.isBlank(before) || before == UInt8(ascii: "\n") else { return false }
    guard let next = byte(at: offset + 1) else { return true }
    return Self.isBlank(next) || next == UInt8(ascii: "\n")
      || (">?@|".utf8.contains(next) && beginsLine(offset))
  }

  private func beginsLine(_ offset: Int) -> Bool {
    var offset = offset
    while offset > 0, Self.isBlank(bytes[offset - 1]) { offset -= 1 }
    return offset == 0 || bytes[offset - 1] == UInt8(ascii: "\n")
  }

  private func endOfLine(from offset: Int) -> Int {
    var offset = offset
    while let byte = byte(at: offset), byte != UInt8(ascii: "\n") { offset += 1 }
    return offset
  }

  static func isBlank(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x20, 0x09, 0x0B, 0x0C, 0x0D: true
    default: false
    }
  }
}

extension PredicateScanner {
  /// Returns the end of the identifier that begins here; nil if there is none.
  ///
  /// Identifiers follow the rules of C, with letters of any script.
  func endOfWord(at start: Int) -> Int? {
    guard let first = byte(at: start) else { return nil }
    var end = start
    if Self.isLetter(first) {
      end += 1
    } else if first >= 0x80, let (scalar, length) = scalar(at: start),
      scalar.properties.isXIDStart
    {
      end += length
    } else {
      return nil
    }
    while let byte = byte(at: end) {
      if Self.isLetter(byte) || Self.isDigit(byte) {
        end += 1
      } else if byte >= 0x80, let (scalar, length) = scalar(at: end),
        scalar.properties.isXIDContinue
      {
        end += length
      } else {
        break
      }
    }
    return end
  }

  static func isLetter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "_"):
      true
    default: false
    }
  }

  static func isDigit(_ byte: UInt8) -> Bool {
    UInt8(ascii: "0") <= byte && byte <= UInt8(ascii: "9")
  }

  /// Returns the value of a digit in a base up to 16; nil if it is not a digit.
  static func digit(_ byte: UInt8, radix: UInt8) -> UInt8? {
    let value: UInt8
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): value = byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): value = byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): value = byte - UInt8(ascii: "A") + 10
    default: return nil
    }
    return value < radix ? value : nil
  }

  /// Returns the Unicode scalar of several bytes that begins here; nil if the bytes are not UTF-8.
  private func scalar(at offset: Int) -> (Unicode.Scalar, length: Int)? {
    let length = bytes[offset] >= 0xF0 ? 4 : bytes[offset] >= 0xE0 ? 3 : 2
    guard offset + length <= bytes.count else { return nil }
    var iterator = bytes[offset..<offset + length].makeIterator()
    var decoder = UTF8()
    guard case .scalarValue(let scalar) = decoder.decode(&iterator),
      UTF8.width(scalar) == length
    else { return nil }
    return (scalar, length)
  }
}
