extension TokenCursor {
  func unexpected() -> SyntaxError {
    if let error = strange() { return error }
    return SyntaxError(.unexpected(found), range: errorRange)
  }

  func expected(_ expectation: SyntaxError.Expectation) -> SyntaxError {
    if let error = strange() { return error }
    return SyntaxError(.expected(expectation, found: found), range: errorRange)
  }

  /// Returns the error that the token itself is; nil if it is valid.
  private func strange() -> SyntaxError? {
    switch token.kind {
    case .unknown: SyntaxError(unknownCharacter(), range: token.range)
    case .malformedNumber: SyntaxError(.malformedNumber(text(of: token)), range: token.range)
    case .word, .variable, .number, .date, .quote, .punctuator, .lineEnd, .end: nil
    }
  }

  var found: SyntaxError.Found {
    switch token.kind {
    case .lineEnd: .endOfLine
    case .end: .endOfSource
    case .quote: .string
    case .word, .variable, .number, .malformedNumber, .date, .punctuator, .unknown:
      .text(text(of: token))
    }
  }

  /// The range of an error at the token.
  ///
  /// At the end of the text, this is directly after the last token.
  var errorRange: Range<Int> {
    switch token.kind {
    case .lineEnd, .end: previousEnd..<previousEnd
    case .word, .variable, .number, .malformedNumber, .date, .quote, .punctuator, .unknown:
      token.range
    }
  }

  func wrongOperator(_ instead: String) -> SyntaxError {
    SyntaxError(.wrongOperator(text(of: token), instead: instead), range: token.range)
  }

  /// The error for a comment with Swift's signs; nil if none begins here or began with the sign
  /// before.
  var foreignComment: SyntaxError? {
    for start in [token.range.lowerBound, token.range.lowerBound - 1] where start >= 0 {
      let range = start..<min(start + 2, source.bytes.count)
      let found = source.text(in: range)
      if found == "//" || found == "/*" { return SyntaxError(.foreignComment(found), range: range) }
    }
    return nil
  }

  private func unknownCharacter() -> SyntaxError.Kind {
    let text = text(of: token)
    if text == "#" { return .commentWithoutBlank }
    guard let scalar = text.unicodeScalars.first else {
      return .unknownCharacter("''", instead: nil)
    }
    let isVisible = scalar.value > 0x20 && scalar.value != 0x7F && scalar != "\u{FEFF}"
    let code = String(scalar.value, radix: 16, uppercase: true)
    let shown =
      isVisible ? "'\(text)'" : "U+" + String(repeating: "0", count: max(0, 4 - code.count)) + code
    return .unknownCharacter(shown, instead: lookalikes[scalar])
  }

  // MARK: Encoding

  /// Reports bytes that are not UTF-8, once per line.
  func checkEncoding() {
    var offset = 0
    while offset < source.bytes.count {
      if let length = source.bytes[offset] < 0x80 ? 1 : lexer.scalar(at: offset)?.length {
        offset += length
      } else {
        record(SyntaxError(.notUTF8, range: offset..<offset + 1))
        offset = lexer.endOfLine(from: offset)
      }
    }
  }
}

/// Characters that keyboards and word processors insert in place of a sign.
private let lookalikes: [Unicode.Scalar: String] = [
  "\u{201C}": "\"", "\u{201D}": "\"", "\u{201E}": "\"", "\u{2018}": "'", "\u{2019}": "'",
  "\u{FF08}": "(", "\u{FF09}": ")", "\u{FF3B}": "[", "\u{FF3D}": "]", "\u{FF5B}": "{",
  "\u{FF5D}": "}", "\u{FF0C}": ",", "\u{3001}": ",", "\u{FF1A}": ":", "\u{FF1B}": ";",
  "\u{FF1D}": "=", "\u{FF0B}": "+", "\u{2212}": "-", "\u{2013}": "-", "\u{FF02}": "\"",
  "\u{2026}": "...", "\u{2260}": "!=", "\u{2264}": "<=", "\u{2265}": ">=", "\u{FF0E}": ".",
]
