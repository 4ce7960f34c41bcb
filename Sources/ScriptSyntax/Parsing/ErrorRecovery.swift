/// Finds where parsing can continue after an error.
struct ErrorRecovery {
  let cursor: TokenCursor

  init(_ cursor: TokenCursor) { self.cursor = cursor }

  /// Continues after a statement, or a part of one, that has an error.
  ///
  /// Blocks of the statement are still parsed, so that errors inside them are found too.
  ///
  /// - Parameters:
  ///   - outer: The number of brackets that were open before it.
  ///   - outerDepth: The nesting depth before it.
  func recover(
    from error: SyntaxError, brackets outer: Int, depth outerDepth: Int, hasBlock: Bool = false
  ) {
    var open = Array(cursor.brackets[outer...])
    cursor.brackets.removeSubrange(outer...)
    cursor.depth = outerDepth
    cursor.lineEndsCount = true
    // The clauses of a request with an error are skipped with it.
    let outerClauses = cursor.clauses
    cursor.clauses = .all
    defer { cursor.clauses = outerClauses }
    if case .unclosed = error.kind { _ = open.popLast() }
    // The closing brackets were probably meant to follow the string.
    if case .unterminatedString = error.kind { open = [] }
    if open.isEmpty, cursor.token.startsLine {
      // Because of open brackets, the parser has read past the end of the line.
      cursor.resume(at: cursor.previousEnd)
    } else {
      cursor.token = cursor.lexer.token(
        after: cursor.token.kind == .lineEnd ? cursor.previousEnd : cursor.token.range.lowerBound,
        lineEndsCount: true)
    }
    skipBrackets(open)
    skipToEnd(readsBlocks: hasBlock)
  }

  /// Skips to after the end of the outermost open bracket, or to the next line that begins a
  /// statement, whichever comes first.
  private func skipBrackets(_ open: [TokenCursor.Bracket]) {
    if let string = open.firstIndex(where: { $0.quote != nil }) {
      skipString(open[string])
      skipBrackets(Array(open[..<string]))
      return
    }
    guard !open.isEmpty else { return }
    let pairs = pairs()
    guard let end = open.lazy.compactMap({ pairs.closer(of: $0.offset) }).first else { return }
    while cursor.token.kind != .end, cursor.token.range.lowerBound <= end,
      !cursor.beginsStatement(cursor.token)
    {
      skipToken()
    }
  }

  /// Skips from inside an interpolation to after its string, which ends on the same line.
  private func skipString(_ interpolation: TokenCursor.Bracket) {
    guard let quote = interpolation.quote else { return }
    let end = cursor.lexer.endOfString(
      from: interpolation.offset + interpolation.text.utf8.count, quote: quote, isText: false)
    if end.offset > cursor.token.range.lowerBound { cursor.resume(at: end.offset) }
  }

  /// Skips to the end of a statement.
  private func skipToEnd(readsBlocks: Bool) {
    var continues = false
    while cursor.token.kind != .end, !cursor.isAt(.rightBrace) {
      if cursor.token.endsStatement {
        guard cursor.token.kind == .lineEnd else { return }
        let next = cursor.peek()
        // No statement begins with a brace, so this brace belongs to the statement before.
        let isBlock = next.kind == .punctuator(.leftBrace)
        guard isBlock || continues && !cursor.beginsStatement(next) else { return }
        cursor.advance()
      }
      if readsBlocks, cursor.isAt(.leftBrace), cursor.depth < ScriptParser.maximumDepth {
        readBlock()
        continue
      }
      continues = joinsLines(cursor.token)
      skipToken()
    }
  }

  /// Whether a line that ends with this token continues on the next line.
  private func joinsLines(_ token: Token) -> Bool {
    switch token.kind {
    case .punctuator(let sign): sign == .comma || sign.isOperator
    case .word: ["AND", "OR", "and", "or"].contains { cursor.isText($0, of: token) }
    case .variable, .number, .malformedNumber, .date, .quote, .unknown, .lineEnd, .end: false
    }
  }

  /// Skips a token, a string, or a bracket with its contents.
  private func skipToken() {
    switch cursor.token.kind {
    case .quote:
      let quote = cursor.source.bytes[cursor.token.range.lowerBound]
      cursor.resume(
        at: cursor.lexer.endOfString(from: cursor.token.range.upperBound, quote: quote).offset)
    case .punctuator(let sign) where sign.closer != nil:
      if let end = pairs().closer(of: cursor.token.range.lowerBound) {
        cursor.resume(at: end + 1)
      } else {
        cursor.advance()
      }
    case .word, .variable, .number, .malformedNumber, .date, .punctuator, .unknown, .lineEnd, .end:
      cursor.advance()
    }
  }

  /// Parses a block of a statement with an error, to find the errors inside the block.
  private func readBlock() {
    let outer = (cursor.brackets.count, cursor.depth)
    do throws(SyntaxError) {
      _ = try BlockParser(cursor).parseBlock()
    } catch {
      cursor.record(error)
      cursor.brackets.removeSubrange(outer.0...)
      cursor.depth = outer.1
    }
  }

  /// The pairs of brackets, computed when they are first needed.
  private func pairs() -> BracketPairs {
    if let pairs = cursor.bracketPairs { return pairs }
    let pairs = BracketPairs(cursor.lexer)
    cursor.bracketPairs = pairs
    return pairs
  }
}
