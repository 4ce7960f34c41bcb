extension Parser {
  mutating func advance() {
    previousEnd = token.range.upperBound
    token = token(after: previousEnd)
  }

  /// Goes on behind text that the parser has read by itself.
  mutating func resume(at offset: Int) {
    previousEnd = offset
    token = token(after: offset)
  }

  func peek() -> Token { token(after: token.range.upperBound) }

  /// The token behind `offset`, as it is read where the parser is.
  func token(after offset: Int) -> Token {
    lexer.token(after: offset, lineEndsCount: lineEndsCount, clauses: clauses)
  }

  /// Reads something that lines with some clauses may continue.
  mutating func withClauses<Result>(
    _ clauses: ClauseWords, _ read: (inout Parser) throws(SyntaxError) -> Result
  ) throws(SyntaxError) -> Result {
    let outer = self.clauses
    self.clauses = clauses
    defer {
      self.clauses = outer
      // What ends here may be no end for what is around it.
      if clauses != outer, token.kind == .lineEnd { token = token(after: previousEnd) }
    }
    return try read(&self)
  }

  func text(of token: Token) -> String { source.text(in: token.range) }

  // MARK: Signs

  func isAt(_ punctuator: Punctuator) -> Bool { token.kind == .punctuator(punctuator) }

  mutating func take(_ punctuator: Punctuator) -> Bool {
    guard isAt(punctuator) else { return false }
    advance()
    return true
  }

  /// Takes one of some signs that must stand here.
  mutating func expect(_ punctuator: Punctuator) throws(SyntaxError) {
    guard take(punctuator) else { throw expected(.oneOf([punctuator.rawValue])) }
  }

  // MARK: Words

  func isAt(word: String) -> Bool {
    note(word: word)
    return token.kind == .word && isText(word, of: token)
  }

  func isText(_ text: String, of token: Token) -> Bool {
    token.range.count == text.utf8.count && source.bytes[token.range].elementsEqual(text.utf8)
  }

  mutating func take(word: String) -> Bool {
    guard isAt(word: word) else { return false }
    advance()
    return true
  }

  /// Takes a word that must stand here.
  mutating func expect(word: String) throws(SyntaxError) {
    skipLineEndsAtPrompt()
    guard take(word: word) else { throw expected(.oneOf([word])) }
  }

  /// Takes a name that must stand here.
  mutating func expectName(
    _ expectation: SyntaxError.Expectation
  ) throws(SyntaxError) -> Name {
    skipLineEndsAtPrompt()
    if case .oneOf(let words) = expectation { words.forEach(note(word:)) }
    guard token.kind == .word else { throw expected(expectation) }
    return takeName()
  }

  /// Takes the word that stands here.
  mutating func takeName() -> Name {
    let name = Name(text(of: token), range: token.range)
    advance()
    return name
  }

  // MARK: Line ends

  /// Goes on on the next line, behind a comma or an operator.
  mutating func skipLineEnd() {
    if token.kind == .lineEnd { advance() }
  }

  /// Goes on on the next line where something must follow.
  mutating func skipLineEndsAtPrompt() {
    if setting == .prompt { skipLineEnd() }
  }

  // MARK: Brackets

  /// Takes an opening bracket.
  mutating func open(_ opener: Punctuator) throws(SyntaxError) {
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
  /// `others` is what else might stand here, for the error.
  mutating func close(
    orExpected others: [String] = []
  ) throws(SyntaxError) {
    guard let bracket = brackets.last else { throw unexpected() }
    guard isAt(bracket.closer) else { throw notClosed(bracket, others: others) }
    leaveBracket()
    advance()
  }

  /// Forgets the innermost bracket; the token stays.
  mutating func leaveBracket() {
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

  /// Whether a token is the first of its line and a statement's word, so that
  /// what was open before is probably forgotten.
  func beginsStatement(_ token: Token) -> Bool {
    token.startsLine && token.kind == .word && StatementWord.begins(text(of: token))
      && !lexer.isNamed(behind: token.range.upperBound)
  }

  // MARK: Depth

  /// Goes one level deeper; whoever does comes back with `depth -= 1`.
  mutating func descend() throws(SyntaxError) {
    guard depth < ScriptParser.maximumDepth else {
      throw SyntaxError(.tooDeep(limit: ScriptParser.maximumDepth), range: errorRange)
    }
    depth += 1
  }
}
