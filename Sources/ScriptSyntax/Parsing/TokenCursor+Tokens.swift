extension TokenCursor {
  func advance() {
    previousEnd = token.range.upperBound
    token = token(after: previousEnd)
  }

  /// Continues after text that the parser has read by itself.
  func resume(at offset: Int) {
    previousEnd = offset
    token = token(after: offset)
  }

  func peek() -> Token { token(after: token.range.upperBound) }

  /// Returns the token after `offset`, as the parser's present state reads it.
  func token(after offset: Int) -> Token {
    lexer.token(after: offset, lineEndsCount: lineEndsCount, clauses: clauses)
  }

  /// Reads something that lines with some clauses may continue.
  func withClauses<Result>(
    _ clauses: ClauseWords, _ read: () throws(SyntaxError) -> Result
  ) throws(SyntaxError) -> Result {
    let outer = self.clauses
    self.clauses = clauses
    defer {
      self.clauses = outer
      // A line end that ends this part may continue the outer one.
      if clauses != outer, token.kind == .lineEnd { token = token(after: previousEnd) }
    }
    return try read()
  }

  func text(of token: Token) -> String { source.text(in: token.range) }

  // MARK: Signs

  func isAt(_ punctuator: Punctuator) -> Bool { token.kind == .punctuator(punctuator) }

  func take(_ punctuator: Punctuator) -> Bool {
    guard isAt(punctuator) else { return false }
    advance()
    return true
  }

  /// Takes a sign that must be here.
  func expect(_ punctuator: Punctuator) throws(SyntaxError) {
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

  func take(word: String) -> Bool {
    guard isAt(word: word) else { return false }
    advance()
    return true
  }

  /// Takes a word that must be here.
  func expect(word: String) throws(SyntaxError) {
    skipLineEndsAtPrompt()
    guard take(word: word) else { throw expected(.oneOf([word])) }
  }

  /// Takes a name that must be here.
  func expectName(
    _ expectation: SyntaxError.Expectation
  ) throws(SyntaxError) -> Name {
    skipLineEndsAtPrompt()
    if case .oneOf(let words) = expectation { words.forEach(note(word:)) }
    guard token.kind == .word else { throw expected(expectation) }
    return takeName()
  }

  /// Takes the word that is here.
  func takeName() -> Name {
    let name = Name(text(of: token), range: token.range)
    advance()
    return name
  }

  // MARK: Line ends

  /// Continues on the next line, after a comma or an operator.
  func skipLineEnd() {
    if token.kind == .lineEnd { advance() }
  }

  /// At the prompt, continues on the next line, because something must follow.
  func skipLineEndsAtPrompt() {
    if setting == .prompt { skipLineEnd() }
  }

  /// Continues on the next line, unless that line begins a statement.
  ///
  /// In that case the value was forgotten.
  func skipLineEndAfterAssignment() {
    guard token.kind == .lineEnd else { return }
    let next = peek()
    let isValue = ["count", "fetch", "insert"].contains { isText($0, of: next) }
    if setting == .prompt || isValue || !beginsStatement(next) { advance() }
  }
}
