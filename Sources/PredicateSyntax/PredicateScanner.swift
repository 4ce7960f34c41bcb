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
