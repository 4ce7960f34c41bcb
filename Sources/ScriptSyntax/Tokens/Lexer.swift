/// Divides a script's text into tokens, depending on their place.
///
/// The lexer has no state. Whether line ends count and what a `#` means depends on the parser's
/// place, and predicates are read by another parser from the same bytes.
struct Lexer {
  let bytes: [UInt8]

  init(_ source: SourceText) { bytes = source.bytes }

  func byte(at offset: Int) -> UInt8? {
    offset < bytes.count ? bytes[offset] : nil
  }

  /// Returns the first token after `offset`, past blanks and comments.
  ///
  /// - Parameter clauses: The clauses with which a line may continue the one before.
  func token(
    after offset: Int, lineEndsCount: Bool, clauses: ClauseWords = .all
  ) -> Token {
    let blanks = skipBlanks(from: offset)
    if lineEndsCount, let lineEnd = blanks.lineEnd, blanks.end < bytes.count,
      !beginsContinuation(at: blanks.end, clauses)
    {
      return Token(kind: .lineEnd, range: lineEnd..<blanks.end, startsLine: false)
    }
    let (kind, end) = kind(at: blanks.end)
    return Token(kind: kind, range: blanks.end..<end, startsLine: blanks.startsLine)
  }

  private func kind(at start: Int) -> (Token.Kind, end: Int) {
    guard let byte = byte(at: start) else { return (.end, start) }
    if let end = endOfName(at: start) { return (.word, end) }
    if Byte.isDigit(byte) { return number(at: start) }
    switch byte {
    case Byte.doubleQuote, Byte.singleQuote: return (.quote, start + 1)
    case Byte.dollar:
      guard let end = endOfName(at: start + 1) else { return (.unknown, start + 1) }
      return (.variable, end)
    case Byte.at where self.byte(at: start + 1).map(Byte.isDigit) == true:
      return (.date, endOfDate(at: start))
    default:
      if let (punctuator, length) = punctuator(at: start) {
        return (.punctuator(punctuator), start + length)
      }
      return (.unknown, start + (scalar(at: start)?.length ?? 1))
    }
  }

  // MARK: Signs

  private func punctuator(at start: Int) -> (Punctuator, length: Int)? {
    Punctuator.longest(at: start, in: bytes)
  }

  // MARK: Numbers and dates

  private func number(at start: Int) -> (Token.Kind, end: Int) {
    var end = endOfDigits(at: start)
    if byte(at: end) == Byte.dot, byte(at: end + 1).map(Byte.isDigit) == true {
      end = endOfDigits(at: end + 1)
    }
    if let letter = byte(at: end), letter | 0x20 == UInt8(ascii: "e") {
      var exponent = end + 1
      if let sign = byte(at: exponent), sign == Byte.plus || sign == Byte.minus { exponent += 1 }
      if byte(at: exponent).map(Byte.isDigit) == true { end = endOfDigits(at: exponent) }
    }
    guard let wordEnd = endOfName(at: end) else { return (.number, end) }
    return (.malformedNumber, wordEnd)
  }

  /// Returns the end of digits, which may have underscores between them.
  func endOfDigits(at start: Int) -> Int {
    var end = start
    while let byte = byte(at: end), Byte.isDigit(byte) || byte == Byte.underscore { end += 1 }
    return end
  }

  /// Returns the end of the text that looks like a part of the date at `start`.
  ///
  /// The parser decides whether it is a valid date.
  private func endOfDate(at start: Int) -> Int {
    var end = start + 1
    func skip(_ isPart: (UInt8, UInt8?) -> Bool) {
      while let byte = byte(at: end), isPart(byte, self.byte(at: end + 1)) { end += 1 }
    }
    skip { byte, next in
      Byte.isDigit(byte) || (byte == Byte.minus && next.map(Byte.isDigit) == true)
    }
    if byte(at: end) == UInt8(ascii: "T") {
      end += 1
      skip { byte, next in
        Byte.isDigit(byte) || byte == Byte.colon
          || (byte == Byte.dot && next.map(Byte.isDigit) == true)
      }
      if let sign = byte(at: end), sign == Byte.plus || sign == Byte.minus,
        byte(at: end + 1).map(Byte.isDigit) == true
      {
        end += 1
        skip { byte, _ in Byte.isDigit(byte) || byte == Byte.colon }
      }
    }
    return endOfName(at: end) ?? end
  }
}
