extension StatementWord {
  /// The first words of the statements that have blocks, and `try`, which may come before them.
  static let blockWords = [Self.extension, .for, .if, .perform, .repeat, .try].map(\.rawValue)
}

/// Reads statements that contain others.
struct BlockParser {
  let cursor: TokenCursor

  init(_ cursor: TokenCursor) { self.cursor = cursor }

  /// `{ STATEMENTS }`.
  func parseBlock() throws(SyntaxError) -> [Statement] {
    cursor.skipLineEndsAtPrompt()
    try cursor.open(.leftBrace)
    var statements: [Statement] = []
    StatementParser(cursor).parseStatements(into: &statements)
    try cursor.close()
    return statements
  }

  /// `perform [NAME] [stepping] { … }`.
  func parsePerform() throws(SyntaxError) -> Statement.Kind {
    cursor.advance()
    if cursor.isAt(word: "stepping"), cursor.peek().kind == .punctuator(.leftBrace) {
      cursor.advance()
      return .perform(nil, isStepping: true, try parseBlock())
    }
    cursor.note(.context)
    let context = cursor.token.kind == .word ? cursor.takeName() : nil
    let isStepping = context != nil && cursor.take(word: "stepping")
    return .perform(context, isStepping: isStepping, try parseBlock())
  }

  /// `extension ["AUTHOR"] { … }`.
  func parseExtension() throws(SyntaxError) -> Statement.Kind {
    cursor.advance()
    let author = cursor.isAt(.leftBrace) ? nil : try ExpressionParser(cursor).parse()
    let body = try parseBlock()
    if let misplaced = Self.statementOfApps(in: body) {
      let word = cursor.source.text(in: misplaced.range).prefix { $0.isLetter }
      throw SyntaxError(.notInExtension(String(word)), range: misplaced.range)
    }
    return .extension(author, body)
  }

  /// Returns the first statement that only makes sense in the app's own process.
  private static func statementOfApps(in statements: [Statement]) -> Statement? {
    for statement in statements {
      if statement.isOfAppsOnly { return statement }
      if let inner = statementOfApps(in: statement.inner) { return inner }
    }
    return nil
  }

  /// `for NAME in EXPRESSION { … }`.
  func parseFor() throws(SyntaxError) -> Statement.Kind {
    cursor.advance()
    let name = try cursor.expectName(.name(of: "a variable"))
    try cursor.expect(word: "in")
    let values = try ExpressionParser(cursor).parse()
    let outer = cursor.locals
    cursor.locals.append(LocalVariable(name.text, .element(of: values)))
    let body = try parseBlock()
    cursor.locals = outer
    return .for(name, in: values, body)
  }

  /// `if EXPRESSION { … } [else { … }]`; `else if` becomes an `else` with one statement.
  func parseIf() throws(SyntaxError) -> Statement.Kind {
    cursor.advance()
    let condition = try ExpressionParser(cursor).parse()
    let then = try parseBlock()
    if cursor.token.kind == .lineEnd {
      let next = cursor.peek()
      if cursor.isCursor(next) { cursor.notes?.add(.word("else"), by: cursor) }
      if next.kind == .word, cursor.isText("else", of: next),
        !cursor.lexer.isNamed(after: next.range.upperBound)
      {
        cursor.advance()
      }
    }
    guard cursor.take(word: "else") else { return .if(condition, then: then, else: []) }
    cursor.skipLineEndsAtPrompt()
    guard cursor.isAt(word: "if") else { return .if(condition, then: then, else: try parseBlock()) }
    try cursor.descend()
    let nested = try StatementParser(cursor).parseStatement()
    cursor.depth -= 1
    return .if(condition, then: then, else: [nested])
  }

  func parseRepeat() throws(SyntaxError) -> Statement.Kind {
    cursor.advance()
    let count = try ExpressionParser(cursor).parse()
    let outer = cursor.locals
    let body = try parseBlock()
    cursor.locals = outer
    return .repeat(count, body)
  }

  /// `try STATEMENT`.
  func parseTry() throws(SyntaxError) -> Statement.Kind {
    cursor.advance()
    cursor.skipLineEndsAtPrompt()
    cursor.noteStatement()
    guard !cursor.token.endsStatement, !cursor.isAt(.rightBrace) else {
      throw cursor.expected(.statement)
    }
    try cursor.descend()
    let statement = try StatementParser(cursor).parseStatement()
    cursor.depth -= 1
    return .try(statement)
  }
}

extension Statement {
  /// Whether the statement sets up something that only the app's own process has.
  fileprivate var isOfAppsOnly: Bool {
    if case .extension = kind { return true }
    if case .storeMemory = kind { return true }
    if case .storeSQLite = kind { return true }
    if case .automerge = kind { return true }
    return traits.definitions.contains {
      switch $0 {
      case .entity, .model, .context, .controller, .observer, .table: true
      case .variable, .request, .storedRequest: false
      }
    }
  }
}

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
    cursor.note(.historyObserver)
    cursor.note(.table)
    cursor.note(word: "model")
    let name = try cursor.expectName(.name(of: "a controller, an observer or a table"))
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
    cursor.note(.historyObserver)
    cursor.note(.context)
    cursor.note(.entity)
    for word in Self.wordsWithCode { cursor.note(word: word.rawValue) }
    guard isAtStatementWithCode else {
      return .swift(try cursor.expectName(.name(of: "a controller or an entity")))
    }
    let word = cursor.token.range
    let statement = try StatementParser(cursor, isShownAsCode: true).parseStatement()
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
