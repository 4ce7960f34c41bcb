/// The pairs of brackets in a source, found without regard to the text around them.
///
/// After an error, the parser uses these pairs to find the end of the text to skip without a
/// search. A brace also closes the brackets that are open inside it.
struct BracketPairs {
  /// The offset of each closing bracket, by the offset of its opening one.
  private var closers: [Int: Int] = [:]

  init(_ lexer: Lexer) {
    var open: [(sign: Punctuator, offset: Int)] = []
    var offset = 0
    while true {
      let token = lexer.token(after: offset, lineEndsCount: false)
      offset = token.range.upperBound
      switch token.kind {
      case .end: return
      case .quote:
        let quote = lexer.bytes[token.range.lowerBound]
        offset = lexer.endOfString(from: offset, quote: quote).offset
      case .punctuator(let sign) where sign.closer != nil:
        open.append((sign, token.range.lowerBound))
      case .punctuator(let sign) where sign.isCloser:
        close(sign, at: token.range.lowerBound, &open)
      case .word, .variable, .number, .malformedNumber, .date, .punctuator, .unknown, .lineEnd:
        break
      }
    }
  }

  private mutating func close(
    _ sign: Punctuator, at offset: Int, _ open: inout [(sign: Punctuator, offset: Int)]
  ) {
    // A closing brace drops the other brackets that are still open inside it.
    while let last = open.last {
      if last.sign.closer == sign {
        open.removeLast()
        closers[last.offset] = offset
        return
      }
      guard sign == .rightBrace, last.sign != .leftBrace else { return }
      open.removeLast()
    }
  }

  /// Returns the offset where the bracket at `offset` is closed; nil if it is not.
  func closer(of offset: Int) -> Int? { closers[offset] }
}
