/// Reads strings, with their escapes and interpolations.
struct StringParser {
  let cursor: TokenCursor

  init(_ cursor: TokenCursor) { self.cursor = cursor }

  /// Reads the string that begins with the quote at the current token.
  func parse() throws(SyntaxError) -> ExpressionSyntax {
    let start = cursor.token.range.lowerBound
    let quote = cursor.source.bytes[start]
    var offset = cursor.token.range.upperBound
    var parts: [ExpressionSyntax.StringPart] = []
    var text = StringText()
    while true {
      guard let byte = cursor.lexer.byte(at: offset),
        byte != Byte.lineFeed || cursor.setting == .prompt
      else {
        let range = start..<min(offset, endWithoutReturn(offset))
        throw SyntaxError(
          .unterminatedString(quote: Character(Unicode.Scalar(quote))), range: range)
      }
      if byte == quote { break }
      if byte != Byte.backslash {
        text.bytes.append(byte)
        offset += 1
      } else if quote == Byte.doubleQuote, cursor.lexer.byte(at: offset + 1) == Byte.leftParenthesis
      {
        text.append(to: &parts)
        let (value, end) = try parseInterpolation(at: offset, quote: quote)
        parts.append(.interpolation(value))
        offset = end
      } else {
        offset = try parseEscape(at: offset, into: &text)
      }
    }
    text.append(to: &parts)
    cursor.resume(at: offset + 1)
    cursor.marks.strings[start] = offset + 1
    return ExpressionSyntax(.string(parts), range: start..<offset + 1)
  }

  /// The end of a line's text, where a carriage return belongs to its end.
  private func endWithoutReturn(_ offset: Int) -> Int {
    cursor.lexer.byte(at: offset - 1) == Byte.carriageReturn ? offset - 1 : offset
  }

  /// Reads `\(EXPRESSION)` and returns where it ends.
  private func parseInterpolation(
    at start: Int, quote: UInt8
  ) throws(SyntaxError) -> (ExpressionSyntax, end: Int) {
    try cursor.descend()
    cursor.brackets.append(
      TokenCursor.Bracket(
        text: "\\(", closer: .rightParenthesis, offset: start, quote: quote,
        outerLineEndsCount: cursor.lineEndsCount))
    cursor.lineEndsCount = false
    cursor.resume(at: start + 2)
    let value = try ExpressionParser(cursor).parse()
    guard cursor.isAt(.rightParenthesis) else {
      if let bracket = cursor.brackets.last,
        cursor.token.kind == .end || cursor.token.kind == .quote || cursor.token.startsLine
      {
        throw cursor.unclosed(bracket)
      }
      throw cursor.expected(.oneOf([")"]))
    }
    cursor.leaveBracket()
    return (value, cursor.token.range.upperBound)
  }

  // MARK: Escapes

  /// The text of a string between two interpolations.
  private struct StringText {
    var bytes: [UInt8] = []

    mutating func append(_ scalar: Unicode.Scalar) {
      bytes.append(contentsOf: Array(String(Character(scalar)).utf8))
    }

    mutating func append(to parts: inout [ExpressionSyntax.StringPart]) {
      guard !bytes.isEmpty else { return }
      parts.append(.text(String(decoding: bytes, as: UTF8.self)))
      bytes = []
    }
  }

  /// Reads the escape that begins at `start` and returns where it ends.
  private func parseEscape(
    at start: Int, into text: inout StringText
  ) throws(SyntaxError) -> Int {
    guard let letter = cursor.lexer.byte(at: start + 1), letter != Byte.lineFeed else {
      // The line ends here: the string is not closed, or at a prompt contains a line feed.
      return start + 1
    }
    if let scalar = Self.plainEscapes[letter] {
      text.append(scalar)
      return start + 2
    }
    switch letter {
    case UInt8(ascii: "0")...UInt8(ascii: "7"):
      return try parseCode(at: start, digits: start + 1, radix: 8, counts: 1...3, into: &text)
    case UInt8(ascii: "x"):
      return try parseCode(at: start, digits: start + 2, radix: 16, counts: 2...2, into: &text)
    case UInt8(ascii: "u") where cursor.lexer.byte(at: start + 2) == Byte.leftBrace:
      return try parseBracedCode(at: start, into: &text)
    case UInt8(ascii: "u"): return try parseUTF16(at: start, into: &text)
    default: return parseUnknownEscape(at: start, into: &text)
    }
  }

  private static let plainEscapes: [UInt8: Unicode.Scalar] = [
    UInt8(ascii: "a"): "\u{7}", UInt8(ascii: "b"): "\u{8}", UInt8(ascii: "f"): "\u{C}",
    UInt8(ascii: "n"): "\n", UInt8(ascii: "r"): "\r", UInt8(ascii: "t"): "\t",
    UInt8(ascii: "v"): "\u{B}", Byte.backslash: "\\", Byte.singleQuote: "'",
    Byte.doubleQuote: "\"",
  ]

  private func parseUnknownEscape(at start: Int, into text: inout StringText) -> Int {
    let end = start + 1 + (cursor.lexer.scalar(at: start + 1)?.length ?? 1)
    text.bytes.append(contentsOf: cursor.source.bytes[start + 1..<end])
    let character = cursor.source.text(in: start + 1..<end).first ?? "\u{FFFD}"
    cursor.record(SyntaxError(.unknownEscape(character), range: start..<end))
    return end
  }

  private func parseCode(
    at start: Int, digits: Int, radix: UInt32, counts: ClosedRange<Int>,
    into text: inout StringText
  ) throws(SyntaxError) -> Int {
    let (value, end) = code(at: digits, radix: radix, atMost: counts.upperBound)
    guard end - digits >= counts.lowerBound, let scalar = Unicode.Scalar(value) else {
      throw invalidEscape(start..<max(end, start + 2))
    }
    text.append(scalar)
    return end
  }

  /// Reads `\u{1F600}`.
  private func parseBracedCode(
    at start: Int, into text: inout StringText
  ) throws(SyntaxError) -> Int {
    let (value, end) = code(at: start + 3, radix: 16, atMost: 8)
    let isClosed = cursor.lexer.byte(at: end) == Byte.rightBrace
    guard isClosed, end > start + 3, let scalar = Unicode.Scalar(value) else {
      throw invalidEscape(start..<(isClosed ? end + 1 : end))
    }
    text.append(scalar)
    return end + 1
  }

  /// Reads `\u` and four digits, or a surrogate pair of two of these.
  private func parseUTF16(at start: Int, into text: inout StringText) throws(SyntaxError) -> Int {
    let (first, end) = code(at: start + 2, radix: 16, atMost: 4)
    guard end == start + 6 else { throw invalidEscape(start..<end) }
    if let scalar = Unicode.Scalar(first) {
      text.append(scalar)
      return end
    }
    guard first < 0xDC00, cursor.lexer.byte(at: end) == Byte.backslash,
      cursor.lexer.byte(at: end + 1) == UInt8(ascii: "u")
    else { throw invalidEscape(start..<end) }
    let (second, pairEnd) = code(at: end + 2, radix: 16, atMost: 4)
    guard pairEnd == end + 6, 0xDC00...0xDFFF ~= second,
      let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
    else { throw invalidEscape(start..<end) }
    text.append(scalar)
    return pairEnd
  }

  private func code(at start: Int, radix: UInt32, atMost count: Int) -> (UInt32, end: Int) {
    var value: UInt32 = 0
    var end = start
    while end - start < count, let byte = cursor.lexer.byte(at: end),
      let digit = Byte.digit(byte, radix: radix)
    {
      value = value << (radix == 16 ? 4 : 3) | digit
      end += 1
    }
    return (value, end)
  }

  private func invalidEscape(_ range: Range<Int>) -> SyntaxError {
    SyntaxError(.invalidEscape(cursor.source.text(in: range)), range: range)
  }
}
