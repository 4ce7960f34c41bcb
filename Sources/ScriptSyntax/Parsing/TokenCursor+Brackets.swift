extension TokenCursor {
  /// Takes an opening bracket.
  func open(_ opener: Punctuator) throws(SyntaxError) {
    guard let closer = opener.closer, isAt(opener) else {
      throw expected(.oneOf([opener.rawValue]))
    }
    try descend()
    brackets.append(
      Bracket(
        text: opener.rawValue, closer: closer, offset: token.range.lowerBound,
        outerLineEndsCount: lineEndsCount))
    lineEndsCount = opener == .leftBrace
    advance()
  }

  /// Takes the bracket that closes the innermost open one.
  ///
  /// - Parameter others: What else is allowed here, for the error message.
  func close(
    orExpected others: [String] = []
  ) throws(SyntaxError) {
    guard let bracket = brackets.last else { throw unexpected() }
    guard isAt(bracket.closer) else { throw notClosed(bracket, others: others) }
    leaveBracket()
    advance()
  }

  /// Removes the innermost bracket from the open ones, and takes no token.
  func leaveBracket() {
    guard let bracket = brackets.popLast() else { return }
    lineEndsCount = bracket.outerLineEndsCount
    depth -= 1
  }

  private func notClosed(_ bracket: Bracket, others: [String]) -> SyntaxError {
    let closer = bracket.closer.rawValue
    guard token.kind == .end || isAt(.rightBrace) || beginsStatement(token) else {
      return expected(.oneOf(others + [closer]))
    }
    return unclosed(bracket)
  }

  func unclosed(_ bracket: Bracket) -> SyntaxError {
    SyntaxError(
      .unclosed(bracket.closer.rawValue, opener: bracket.text, isAtEnd: token.kind == .end),
      range: bracket.offset..<bracket.offset + bracket.text.utf8.count)
  }

  /// Whether a token is the first of its line and begins a statement.
  ///
  /// If so, an open bracket was probably forgotten.
  func beginsStatement(_ token: Token) -> Bool {
    token.startsLine && token.kind == .word && StatementWord.begins(text(of: token))
      && !lexer.isNamed(after: token.range.upperBound)
  }

  // MARK: Lists

  /// Reads a list in brackets, its parts separated by commas.
  func parseList<Part>(
    of part: () throws(SyntaxError) -> Part
  ) throws(SyntaxError) -> [Part] {
    let opener = isAt(.leftBracket) ? Punctuator.leftBracket : .leftParenthesis
    var parts: [Part] = []
    try open(opener)
    while !isAtCloser {
      parts.append(try part())
      guard take(.comma) else { break }
    }
    try close(orExpected: [","])
    return parts
  }

  /// Whether a list ends here, or its closing bracket was forgotten.
  private var isAtCloser: Bool {
    guard let closer = brackets.last?.closer else { return true }
    return isAt(closer)
  }

  // MARK: Depth

  /// Increases the nesting depth.
  ///
  /// The caller must later run `depth -= 1`.
  func descend() throws(SyntaxError) {
    guard depth < ScriptParser.maximumDepth else {
      throw SyntaxError(.tooDeep(limit: ScriptParser.maximumDepth), range: errorRange)
    }
    depth += 1
  }

  func nested<Result>(
    _ parse: () throws(SyntaxError) -> Result
  ) throws(SyntaxError) -> Result {
    try descend()
    let result = try parse()
    depth -= 1
    return result
  }
}
