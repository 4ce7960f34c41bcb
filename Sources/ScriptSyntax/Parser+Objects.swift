extension Parser {
  // MARK: insert

  /// `insert [COUNT] ENTITY [(ATTRIBUTE: VALUE, …)]`, as statement and value.
  mutating func parseInsert() throws(SyntaxError) -> InsertSyntax {
    advance()
    skipLineEndsAtPrompt()
    var count: ExpressionSyntax?
    if !isAtInsertedEntity {
      count = try parseExpression()
    }
    note(.insertedEntity)
    let entity = try expectEntity()
    var values: [AttributeAssignment] = []
    let outer = locals
    if count != nil { locals.append(.insertedNumber) }
    if isAt(.leftParenthesis) {
      marks.attachedBrackets.insert(token.range.lowerBound)
      var given: [String] = []
      values = try parseList { parser throws(SyntaxError) in
        parser.note(.attribute(of: entity.text, .inserted, besides: given))
        let value = try parser.parseInsertedValue()
        given.append(value.attribute.text)
        return value
      }
    }
    locals = outer
    return InsertSyntax(count: count, entity: entity, values: values)
  }

  /// Whether the word here is the entity, not the count before it.
  private var isAtInsertedEntity: Bool {
    guard token.kind == .word, !isAtObject else { return false }
    let next = peek()
    switch next.kind {
    case .word where isCursor(next): return lexer.isCapital(at: token.range.lowerBound)
    case .word: return !lexer.isCapital(at: next.range.lowerBound)
    case .punctuator(.leftParenthesis): return true
    case .punctuator(let sign): return !sign.isOperator && sign != .dot && sign != .leftBracket
    case .number, .variable, .quote, .date: return false
    case .malformedNumber, .unknown, .lineEnd, .end: return true
    }
  }

  /// Takes the name of an entity, which begins with a capital letter.
  mutating func expectEntity() throws(SyntaxError) -> Name {
    let name = try expectName(.name(of: "an entity"))
    guard let first = name.text.first, first.isLowercase else { return name }
    throw SyntaxError(
      .lowercaseEntity(name.text, suggestion: first.uppercased() + name.text.dropFirst()),
      range: name.range)
  }

  /// `ATTRIBUTE: VALUE`.
  private mutating func parseInsertedValue() throws(SyntaxError) -> AttributeAssignment {
    let attribute = try expectName(.name(of: "an attribute"))
    if assignmentOperator != nil { throw wrongSeparator(behind: attribute, instead: ":") }
    try expect(.colon)
    return AttributeAssignment(
      attribute: attribute, operator: .set, value: try parseExpression())
  }

  private func wrongSeparator(behind attribute: Name, instead: String) -> SyntaxError {
    SyntaxError(
      .wrongSeparator(attribute: attribute.text, found: text(of: token), instead: instead),
      range: token.range)
  }

  /// Reads a list in brackets, its parts separated by commas.
  mutating func parseList<Part>(
    of part: (inout Parser) throws(SyntaxError) -> Part
  ) throws(SyntaxError) -> [Part] {
    let opener = isAt(.leftBracket) ? Punctuator.leftBracket : .leftParenthesis
    var parts: [Part] = []
    try open(opener)
    while !isAtCloser {
      parts.append(try part(&self))
      guard take(.comma) else { break }
    }
    try close(orExpected: [","])
    return parts
  }

  /// Whether a list ends here, or its bracket was forgotten.
  private var isAtCloser: Bool {
    guard let closer = brackets.last?.closer else { return true }
    return isAt(closer)
  }

  // MARK: let

  mutating func parseLet() throws(SyntaxError) -> Statement.Kind {
    advance()
    let name = try expectName(.name(of: "a variable"))
    skipLineEndsAtPrompt()
    try expect(.assign)
    let value = try parseAssigned()
    if notes != nil { locals.append(LocalVariable(name.text, .value(value))) }
    return .let(name, value)
  }

  // MARK: update

  /// `import "FILE" into ENTITY`.
  mutating func parseImport() throws(SyntaxError) -> Statement.Kind {
    advance()
    skipLineEndsAtPrompt()
    let path = try parseExpression()
    try expect(word: "into")
    note(.entity)
    return .importRows(path, into: try expectName(.name(of: "an entity")))
  }

  /// `update SOURCE [CLAUSES] { ATTRIBUTE = VALUE, … }`.
  mutating func parseUpdate() throws(SyntaxError) -> Statement.Kind {
    let request = try parseRequestBehindWord()
    skipLineEndsAtPrompt()
    try open(.leftBrace)
    updatedSource = request.source.text
    defer { updatedSource = nil }
    var assignments: [AttributeAssignment] = []
    while true {
      while token.kind == .lineEnd || isAt(.semicolon) { advance() }
      guard !isAt(.rightBrace), token.kind != .end else { break }
      if let bracket = brackets.last, beginsStatement(token) { throw unclosed(bracket) }
      marks.starts.insert(token.range.lowerBound)
      let given = assignments.map(\.attribute.text)
      note(.attribute(of: request.source.text, .assigned, besides: given))
      assignments.append(try parseUpdatedValue())
      if take(.comma) { continue }
      guard token.endsStatement else { break }
    }
    try close(orExpected: [","])
    return .update(request, assignments)
  }

  /// `ATTRIBUTE = VALUE`, also with `+=` and `-=`.
  private mutating func parseUpdatedValue() throws(SyntaxError) -> AttributeAssignment {
    let attribute = try expectName(.name(of: "an attribute"))
    guard let sign = assignmentOperator else {
      if isAt(.colon) || isAt(.equal) { throw wrongSeparator(behind: attribute, instead: "=") }
      throw expected(.oneOf(["=", "+=", "-="]))
    }
    advance()
    return AttributeAssignment(
      attribute: attribute, operator: sign, value: try parseAssigned())
  }

  // MARK: delete

  mutating func parseDelete() throws(SyntaxError) -> Statement.Kind {
    advance()
    skipLineEndsAtPrompt()
    guard token.kind == .word else { return .delete(try parseExpression()) }
    note(.source)
    let next = peek()
    let isLast = next.endsStatement || next.kind == .punctuator(.rightBrace)
    if isAt(word: "caches"), isLast {
      advance()
      return .deleteCaches
    }
    if isAt(word: "cache"), beginsOperand(next), next.kind != .punctuator(.leftBracket) {
      advance()
      return .deleteCache(try parseExpression())
    }
    let isCapital = lexer.isCapital(at: token.range.lowerBound)
    let isClause =
      next.kind == .word && ClauseWord(firstWord: text(of: next)) != nil
      || isCursor(next) && isCapital
    let isEntity = isCapital && (isLast || isSelf(behind: token))
    guard isClause || isEntity else { return .delete(try parseExpression()) }
    return .deleteMatching(try parseRequest())
  }
}
