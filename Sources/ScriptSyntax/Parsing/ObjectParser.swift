/// Reads statements that insert and change objects.
struct ObjectParser {
  let cursor: TokenCursor

  init(_ cursor: TokenCursor) { self.cursor = cursor }

  /// `insert [COUNT] ENTITY [(ATTRIBUTE: VALUE, …)]`, as a statement and as a value.
  func parseInsert() throws(SyntaxError) -> InsertSyntax {
    cursor.advance()
    return try parseInserted()
  }

  /// Reads the text after `insert`.
  func parseInserted() throws(SyntaxError) -> InsertSyntax {
    cursor.skipLineEndsAtPrompt()
    var count: ExpressionSyntax?
    if !isAtInsertedEntity {
      count = try ExpressionParser(cursor).parse()
    }
    cursor.note(.insertedEntity)
    let entity = try cursor.expectEntity()
    var values: [AttributeAssignment] = []
    let outer = cursor.locals
    if count != nil { cursor.locals.append(.insertedNumber) }
    if cursor.isAt(.leftParenthesis) {
      cursor.marks.attachedBrackets.insert(cursor.token.range.lowerBound)
      var given: [String] = []
      values = try cursor.parseList { () throws(SyntaxError) in
        cursor.note(.attribute(of: entity.text, .inserted, besides: given))
        let value = try parseInsertedValue()
        given.append(value.attribute.text)
        return value
      }
    }
    cursor.locals = outer
    return InsertSyntax(count: count, entity: entity, values: values)
  }

  /// Whether the word here is the entity, not a count before it.
  private var isAtInsertedEntity: Bool {
    guard cursor.token.kind == .word, !cursor.isAtObject else { return false }
    let next = cursor.peek()
    switch next.kind {
    case .word where cursor.isCursor(next):
      return cursor.lexer.isCapital(at: cursor.token.range.lowerBound)
    case .word: return !cursor.lexer.isCapital(at: next.range.lowerBound)
    case .punctuator(.leftParenthesis): return true
    case .punctuator(let sign): return !sign.isOperator && sign != .dot && sign != .leftBracket
    case .number, .variable, .quote, .date: return false
    case .malformedNumber, .unknown, .lineEnd, .end: return true
    }
  }

  /// `ATTRIBUTE: VALUE`.
  private func parseInsertedValue() throws(SyntaxError) -> AttributeAssignment {
    let attribute = try cursor.expectName(.name(of: "an attribute"))
    if cursor.assignmentOperator != nil { throw wrongSeparator(after: attribute, instead: ":") }
    try cursor.expect(.colon)
    return AttributeAssignment(
      attribute: attribute, operator: .set, value: try ExpressionParser(cursor).parse())
  }

  private func wrongSeparator(after attribute: Name, instead: String) -> SyntaxError {
    SyntaxError(
      .wrongSeparator(
        attribute: attribute.text, found: cursor.text(of: cursor.token), instead: instead),
      range: cursor.token.range)
  }

  // MARK: let

  func parseLet() throws(SyntaxError) -> Statement.Kind {
    cursor.advance()
    let name = try cursor.expectName(.name(of: "a variable"))
    cursor.skipLineEndsAtPrompt()
    try cursor.expect(.assign)
    let value = try ExpressionParser(cursor).parseAssigned()
    if cursor.notes != nil { cursor.locals.append(LocalVariable(name.text, .value(value))) }
    return .let(name, value)
  }

  // MARK: obtain

  /// `obtain permanent ids [for OBJECT]`.
  func parseObtained() throws(SyntaxError) -> ExpressionSyntax? {
    cursor.advance()
    try cursor.expect(word: "permanent")
    try cursor.expect(word: "ids")
    guard cursor.take(word: "for") else { return nil }
    cursor.skipLineEndsAtPrompt()
    return try ExpressionParser(cursor).parse()
  }

  // MARK: import

  /// `import "FILE" into ENTITY`.
  func parseImport() throws(SyntaxError) -> Statement.Kind {
    cursor.advance()
    cursor.skipLineEndsAtPrompt()
    let path = try ExpressionParser(cursor).parse()
    try cursor.expect(word: "into")
    cursor.note(.importedEntity)
    return .importRows(path, into: try cursor.expectName(.name(of: "an entity")))
  }

  // MARK: update

  /// `update SOURCE [CLAUSES] { ATTRIBUTE = VALUE, … }`.
  func parseUpdate(
    _ clauses: ClauseWords = .ofFetches
  ) throws(SyntaxError) -> (RequestSyntax, [AttributeAssignment]) {
    let request = try RequestParser(cursor).parseAfterWord(clauses)
    cursor.skipLineEndsAtPrompt()
    try cursor.open(.leftBrace)
    cursor.updatedSource = request.source.text
    defer { cursor.updatedSource = nil }
    var assignments: [AttributeAssignment] = []
    while true {
      while cursor.token.kind == .lineEnd || cursor.isAt(.semicolon) { cursor.advance() }
      guard !cursor.isAt(.rightBrace), cursor.token.kind != .end else { break }
      if let bracket = cursor.brackets.last, cursor.beginsStatement(cursor.token) {
        throw cursor.unclosed(bracket)
      }
      cursor.marks.starts.insert(cursor.token.range.lowerBound)
      let given = assignments.map(\.attribute.text)
      cursor.note(.attribute(of: request.source.text, .assigned, besides: given))
      assignments.append(try parseUpdatedValue())
      if cursor.take(.comma) { continue }
      guard cursor.token.endsStatement else { break }
    }
    try cursor.close(orExpected: [","])
    return (request, assignments)
  }

  /// `ATTRIBUTE = VALUE`, also with `+=` and `-=`.
  private func parseUpdatedValue() throws(SyntaxError) -> AttributeAssignment {
    let attribute = try cursor.expectName(.name(of: "an attribute"))
    guard let sign = cursor.assignmentOperator else {
      if cursor.isAt(.colon) || cursor.isAt(.equal) {
        throw wrongSeparator(after: attribute, instead: "=")
      }
      throw cursor.expected(.oneOf(["=", "+=", "-="]))
    }
    cursor.advance()
    return AttributeAssignment(
      attribute: attribute, operator: sign, value: try ExpressionParser(cursor).parseAssigned())
  }

  // MARK: delete

  func parseDelete() throws(SyntaxError) -> Statement.Kind {
    cursor.advance()
    cursor.skipLineEndsAtPrompt()
    guard cursor.token.kind == .word else { return .delete(try ExpressionParser(cursor).parse()) }
    cursor.note(.source)
    let next = cursor.peek()
    let isLast = next.endsStatement || next.kind == .punctuator(.rightBrace)
    if cursor.isAt(word: "caches"), isLast {
      cursor.advance()
      return .deleteCaches
    }
    if cursor.isAt(word: "history"), isLast || cursor.isText("before", of: next) {
      cursor.advance()
      guard cursor.take(word: "before") else { return .deleteHistory(before: nil) }
      return .deleteHistory(before: try ExpressionParser(cursor).parse())
    }
    if cursor.isAt(word: "cache"), next.beginsOperand, next.kind != .punctuator(.leftBracket) {
      cursor.advance()
      return .deleteCache(try ExpressionParser(cursor).parse())
    }
    let isCapital = cursor.lexer.isCapital(at: cursor.token.range.lowerBound)
    let isClause =
      next.kind == .word && ClauseWord(firstWord: cursor.text(of: next)) != nil
      || cursor.isCursor(next) && isCapital
    let isEntity = isCapital && (isLast || cursor.isSelf(after: cursor.token))
    guard isClause || isEntity else { return .delete(try ExpressionParser(cursor).parse()) }
    return .deleteMatching(try RequestParser(cursor).parse())
  }
}

/// Reads batch requests.
struct BatchParser {
  let cursor: TokenCursor

  init(_ cursor: TokenCursor) { self.cursor = cursor }

  /// Parses `batch insert …`, `batch update …` or `batch delete …`, with `returning …` after it.
  func parse() throws(SyntaxError) -> BatchSyntax {
    cursor.advance()
    cursor.skipLineEndsAtPrompt()
    let action = try parseAction()
    if let result = action.clauses?.result { return BatchSyntax(action, returning: result) }
    let result = try RequestParser(cursor).takeResult()
    return BatchSyntax(action, returning: result ?? .objectIDs)
  }

  private func parseAction() throws(SyntaxError) -> BatchSyntax.Action {
    if cursor.isAt(word: "insert") { return .insert(try parseInserts()) }
    if cursor.isAt(word: "update") {
      let (request, values) = try ObjectParser(cursor).parseUpdate(.ofBatches)
      return .update(request, values)
    }
    if cursor.isAt(word: "delete") {
      return .delete(try RequestParser(cursor).parseAfterWord(.ofBatches))
    }
    throw cursor.expected(.oneOf(BatchWord.allCases.map(\.rawValue)))
  }

  /// Parses `insert Book(title: "A"), Book(title: "B")`.
  ///
  /// All rows have the same entity.
  private func parseInserts() throws(SyntaxError) -> [InsertSyntax] {
    let first = try ObjectParser(cursor).parseInsert()
    var inserts = [first]
    while cursor.take(.comma) {
      cursor.skipLineEnd()
      let next = try ObjectParser(cursor).parseInserted()
      guard next.entity.text == first.entity.text else {
        throw SyntaxError(
          .expected(.oneOf([first.entity.text]), found: .text(next.entity.text)),
          range: next.entity.range)
      }
      inserts.append(next)
    }
    return inserts
  }
}

extension BatchSyntax.Action {
  /// The clauses of the rows, if the request ends with them.
  fileprivate var clauses: RequestClauses? {
    switch self {
    case .update(let request, _), .delete(let request): request.clauses
    case .insert: nil
    }
  }
}
