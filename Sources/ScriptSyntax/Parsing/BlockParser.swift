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
      case .entity, .model, .context, .controller, .table: true
      case .variable, .request, .storedRequest: false
      }
    }
  }
}
