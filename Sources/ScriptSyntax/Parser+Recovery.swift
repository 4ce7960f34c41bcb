extension Parser {
  /// Goes on behind a statement or a part of one that is wrong.
  ///
  /// `outer` is how many brackets were open before it, `outerDepth` how deep it
  /// stands. Where it has blocks, what stands in those is still read, so that
  /// its errors are found too.
  mutating func recover(
    from error: SyntaxError, brackets outer: Int, depth outerDepth: Int, hasBlock: Bool = false
  ) {
    var open = Array(brackets[outer...])
    brackets.removeSubrange(outer...)
    depth = outerDepth
    lineEndsCount = true
    // The clauses of a request that is wrong are wrong with it.
    let outerClauses = clauses
    clauses = .all
    defer { clauses = outerClauses }
    if case .unclosed = error.kind { _ = open.popLast() }
    // What would close the brackets was probably meant to stand behind the
    // string.
    if case .unterminatedString = error.kind { open = [] }
    if open.isEmpty, token.startsLine {
      // Brackets made the parser look past the line's end.
      resume(at: previousEnd)
    } else {
      token = lexer.token(
        after: token.kind == .lineEnd ? previousEnd : token.range.lowerBound, lineEndsCount: true)
    }
    skipBrackets(open)
    skipToEnd(readsBlocks: hasBlock)
  }

  /// Skips to behind the last of some open brackets, or to the next line that
  /// begins a statement, if that comes first.
  private mutating func skipBrackets(_ open: [Bracket]) {
    if let string = open.firstIndex(where: { $0.quote != nil }) {
      skipString(open[string])
      skipBrackets(Array(open[..<string]))
      return
    }
    guard !open.isEmpty else { return }
    let pairs = pairs()
    guard let end = open.lazy.compactMap({ pairs.closer(of: $0.offset) }).first else { return }
    while token.kind != .end, token.range.lowerBound <= end, !beginsStatement(token) {
      skipToken()
    }
  }

  /// Skips from inside an interpolation to behind its string, which ends on
  /// its line.
  private mutating func skipString(_ interpolation: Bracket) {
    guard let quote = interpolation.quote else { return }
    let end = lexer.endOfString(
      from: interpolation.offset + interpolation.text.utf8.count, quote: quote, isText: false)
    if end.offset > token.range.lowerBound { resume(at: end.offset) }
  }

  /// Skips to where a statement ends.
  private mutating func skipToEnd(readsBlocks: Bool) {
    var continues = false
    while token.kind != .end, !isAt(.rightBrace) {
      if token.endsStatement {
        guard token.kind == .lineEnd else { return }
        let next = peek()
        // No statement begins with a brace: it is one too late.
        let isBlock = next.kind == .punctuator(.leftBrace)
        guard isBlock || continues && !beginsStatement(next) else { return }
        advance()
      }
      if readsBlocks, isAt(.leftBrace), depth < ScriptParser.maximumDepth {
        readBlock()
        continue
      }
      continues = joinsLines(token)
      skipToken()
    }
  }

  /// Whether a line that ends with a token goes on on the next.
  private func joinsLines(_ token: Token) -> Bool {
    switch token.kind {
    case .punctuator(let sign): sign == .comma || sign.isOperator
    case .word: ["AND", "OR", "and", "or"].contains { isText($0, of: token) }
    case .variable, .number, .malformedNumber, .date, .quote, .unknown, .lineEnd, .end: false
    }
  }

  /// Skips a token, a string, or a bracket with all that it holds.
  private mutating func skipToken() {
    switch token.kind {
    case .quote:
      let quote = source.bytes[token.range.lowerBound]
      resume(at: lexer.endOfString(from: token.range.upperBound, quote: quote).offset)
    case .punctuator(let sign) where sign.closer != nil:
      if let end = pairs().closer(of: token.range.lowerBound) {
        resume(at: end + 1)
      } else {
        advance()
      }
    case .word, .variable, .number, .malformedNumber, .date, .punctuator, .unknown, .lineEnd, .end:
      advance()
    }
  }

  /// Reads a block of a statement that is wrong, for its errors.
  private mutating func readBlock() {
    let outer = (brackets.count, depth)
    do throws(SyntaxError) {
      _ = try parseBlock()
    } catch {
      record(error)
      brackets.removeSubrange(outer.0...)
      depth = outer.1
    }
  }

  /// The pairs of brackets, found when they are first asked for.
  private mutating func pairs() -> BracketPairs {
    if let pairs = bracketPairs { return pairs }
    let pairs = BracketPairs(lexer)
    bracketPairs = pairs
    return pairs
  }
}
