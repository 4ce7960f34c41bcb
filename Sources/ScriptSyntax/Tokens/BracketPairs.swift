/// Which bracket of a source closes which, whatever the text around them means.
///
/// Behind an error the parser goes by these, so that it finds the end of what
/// it skips without a search. A brace closes what is open inside it, too.
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
    // What a brace or a bracket of the same kind leaves open is open in vain.
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

  /// Where the bracket that opens at `offset` closes, or nil if it does not.
  func closer(of offset: Int) -> Int? { closers[offset] }
}
