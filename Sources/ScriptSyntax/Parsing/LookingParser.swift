/// Reads statements that show something.
struct LookingParser {
  let cursor: TokenCursor

  init(_ cursor: TokenCursor) { self.cursor = cursor }

  /// `history [by AUTHOR] [after NUMBER]`.
  func parseHistory() throws(SyntaxError) -> Statement.Kind {
    cursor.advance()
    let author = cursor.take(word: "by") ? try ExpressionParser(cursor).parse() : nil
    let number = cursor.take(word: "after") ? try ExpressionParser(cursor).parse() : nil
    return .history(by: author, after: number)
  }

  /// `show NAME`, `show NAME.request`.
  func parseShow() throws(SyntaxError) -> Statement.Kind {
    cursor.advance()
    cursor.note(.controller)
    cursor.note(.table)
    cursor.note(word: "model")
    let name = try cursor.expectName(.name(of: "a controller or a table"))
    guard cursor.take(.dot) else { return name.text == "model" ? .showModel : .show(name) }
    try cursor.expect(word: "request")
    return .showRequest(name)
  }

  func parseObjects() throws(SyntaxError) -> Name {
    cursor.advance()
    cursor.skipLineEndsAtPrompt()
    cursor.note(.entity)
    return try cursor.expectName(.name(of: "an entity"))
  }

  /// `explain [OBJECT]`.
  ///
  /// The object must be on the same line.
  func parseExplained() throws(SyntaxError) -> ExpressionSyntax? {
    cursor.advance()
    if cursor.token.endsStatement || cursor.isAt(.rightBrace) { return nil }
    return try ExpressionParser(cursor).parse()
  }

  /// `swift NAME` of a controller, a context or an entity; `swift STATEMENT`.
  func parseSwift() throws(SyntaxError) -> Statement.Kind {
    cursor.advance()
    cursor.skipLineEndsAtPrompt()
    cursor.note(.controller)
    cursor.note(.context)
    cursor.note(.entity)
    for word in Self.wordsWithCode { cursor.note(word: word.rawValue) }
    guard isAtStatementWithCode else {
      return .swift(try cursor.expectName(.name(of: "a controller or an entity")))
    }
    let word = cursor.token.range
    let statement = try StatementParser(cursor).parseStatement()
    guard let action = CodedStatement.Action(statement.kind) else {
      throw SyntaxError(
        .expected(.oneOf(["delete history"]), found: .text(cursor.source.text(in: word))),
        range: word)
    }
    return .swiftStatement(CodedStatement(action: action, range: statement.range))
  }

  /// The first words of the statements that `swift` shows as code of an app.
  private static let wordsWithCode: [StatementWord] = [
    .batch, .count, .delete, .fetch, .history, .merge, .obtain,
  ]

  /// Whether one of these words is here and is not a name: `swift batch` may be about something
  /// called `batch`.
  private var isAtStatementWithCode: Bool {
    guard let word = Self.wordsWithCode.first(where: { cursor.isAt(word: $0.rawValue) }) else {
      return false
    }
    let next = cursor.peek()
    return word == .history || !(next.endsStatement || next.kind == .punctuator(.rightBrace))
  }

  /// `evaluate PREDICATE on OBJECT`.
  func parseEvaluate() throws(SyntaxError) -> Statement.Kind {
    let word = cursor.takeName()
    cursor.skipLineEndsAtPrompt()
    // The entity is known only from the object after the predicate.
    let predicate = try EmbeddedPredicateParser(cursor).parse(on: Name("", range: word.range))
    cursor.skipLineEndsAtPrompt()
    cursor.note(.word("on"))
    try cursor.expect(word: "on")
    cursor.skipLineEndsAtPrompt()
    return .evaluate(predicate, on: try ExpressionParser(cursor).parse())
  }
}
