extension Parser {
  /// Reads statements up to the end or a `}`.
  mutating func parseStatements(into statements: inout [Statement]) {
    while true {
      while token.kind == .lineEnd || isAt(.semicolon) { advance() }
      if token.kind == .end || isAt(.rightBrace) { return }
      noteStatement()
      let outer = (brackets.count, depth, lineEndsCount)
      marks.starts.insert(token.range.lowerBound)
      let hasBlock = StatementWord.blockWords.contains { isAt(word: $0) }
      do throws(SyntaxError) {
        let statement = try parseStatement()
        guard token.endsStatement || isAt(.rightBrace) else { throw unexpectedEnd() }
        statements.append(statement)
      } catch {
        record(error)
        recover(from: error, brackets: outer.0, depth: outer.1, hasBlock: hasBlock)
        lineEndsCount = outer.2
      }
    }
  }

  /// The error for a token behind a whole statement.
  private func unexpectedEnd() -> SyntaxError {
    if isAt(.assign) { return wrongOperator("==") }
    guard token.kind == .word, previousEnd == predicateEnd || previousEnd == requestEnd else {
      return unexpected()
    }
    let isInPredicate = previousEnd == predicateEnd
    let words = (isInPredicate ? ["AND", "OR"] : []) + ClauseWord.allCases.map(\.rawValue)
    let word = text(of: token)
    // Of two words the first is enough to know what is meant.
    let near = nearestName(to: word, among: words.map { $0.prefix { $0 != " " }.description })
    let suggestion = near.flatMap { near in words.first { $0.hasPrefix(near) } }
    return SyntaxError(
      isInPredicate
        ? .unexpectedBehindPredicate(found, suggestion: suggestion)
        : .unexpectedBehindRequest(found, suggestion: suggestion),
      range: token.range)
  }

  func wrongOperator(_ instead: String) -> SyntaxError {
    SyntaxError(.wrongOperator(text(of: token), instead: instead), range: token.range)
  }

  mutating func parseStatement() throws(SyntaxError) -> Statement {
    let start = token.range.lowerBound
    let kind = try parseKind()
    return Statement(kind, range: start..<max(start, previousEnd))
  }

  private mutating func parseKind() throws(SyntaxError) -> Statement.Kind {
    guard token.kind == .word else { return try parseAssignment() }
    let text = text(of: token)
    if lexer.isNamed(behind: token.range.upperBound) { return try parseAssignment() }
    guard let word = StatementWord(rawValue: text) else { return try parseUnknown(text) }
    if word == .count, peek().kind == .punctuator(.leftParenthesis) {
      return try parseAssignment()
    }
    return try parse(word)
  }

  private mutating func parse(_ word: StatementWord) throws(SyntaxError) -> Statement.Kind {
    switch word {
    case .abstract, .entity: return .entity(try parseEntity())
    case .model: return try parseModel()
    case .store: return try parseStore()
    case .caches: return take(.caches)
    case .stats: return take(.stats)
    case .process: return take(.process)
    case .context: return try parseContext()
    case .merge: return try parseMerge()
    case .automerge: return try parseAutomerge()
    case .refresh: return try parseRefresh()
    case .table: return try parseTable()
    case .suspend: return .suspend(try parseTableBehindWord())
    case .resume: return .resume(try parseTableBehindWord())
    case .reload: return .reload(try parseTableBehindWord())
    case .trace: return try parseTrace()
    case .undo: return take(.undo)
    case .redo: return take(.redo)
    case .reset: return .reset(parseContextBehindWord())
    case .return: return .return(try parseOperand())
    case .rollback: return .rollback(parseContextBehindWord())
    case .save: return .save(parseContextBehindWord())
    case .insert: return .insert(try parseInsert())
    case .let: return try parseLet()
    case .update: return try parseUpdate()
    case .delete:
      return try withClauses(.ofFetches) { parser throws(SyntaxError) in try parser.parseDelete() }
    case .perform: return try parsePerform()
    case .for: return try parseFor()
    case .if: return try parseIf()
    case .repeat: return try parseRepeat()
    case .try: return try parseTry()
    case .set: return try parseSet()
    case .expect: return .expect(try parseOperand())
    case .import: return try parseImport()
    case .include: return .include(try parseOperand())
    case .print: return .print(try parseOperand())
    case .request, .controller: return try parseDefinition(word)
    case .fetch: return .fetch(try parseRequestBehindWord())
    case .count: return .count(try parseRequestBehindWord())
    case .change: return try parseChange()
    case .delegate: return try parseDelegate()
    case .show: return try parseShow()
    case .objects: return .objects(try parseObjects())
    case .evaluate: return try parseEvaluate()
    case .explain: return .explain(try parseExplained())
    case .swift: return .swift(try parseSwiftName())
    case .quirk: return try parseQuirk()
    }
  }

  private mutating func take(_ kind: Statement.Kind) -> Statement.Kind {
    advance()
    return kind
  }

  /// The expression behind a statement's word.
  private mutating func parseOperand() throws(SyntaxError) -> ExpressionSyntax {
    advance()
    return try parseExpression()
  }

  // MARK: Without a word

  /// A line that begins with a word that is none of a statement's.
  private mutating func parseUnknown(_ text: String) throws(SyntaxError) -> Statement.Kind {
    switch peek().kind {
    case .punctuator(.leftBracket): return try parseAssignment()
    case .punctuator(.slash) where isAtObject: return try parseAssignment()
    case .punctuator(let sign) where sign.isOperator: return try parseAssignment()
    case .word, .variable, .number, .malformedNumber, .date, .quote, .punctuator, .unknown,
      .lineEnd, .end:
      break
    }
    if literal(text) != nil { return try parseAssignment() }
    if let fault = foreignClause { throw fault }
    if let clause = ClauseWord(firstWord: text) {
      throw SyntaxError(.clauseAlone(clause.rawValue), range: token.range)
    }
    let isMade = text.first?.isUppercase == true && peek().kind == .punctuator(.leftParenthesis)
    let suggestion =
      isMade
      ? "insert \(text)"
      : ForeignWord.statementWord(for: text) ?? nearestName(to: text, among: StatementWord.all)
    throw SyntaxError(.unknownStatement(text, suggestion: suggestion), range: token.range)
  }

  /// `TARGET = EXPRESSION`, where no statement's word stands.
  private mutating func parseAssignment() throws(SyntaxError) -> Statement.Kind {
    guard beginsOperand(token) else { throw foreignComment ?? expected(.statement) }
    let target = try parsePostfix()
    guard let sign = assignmentOperator else {
      if token.endsStatement || isAt(.rightBrace) || infixOperator != nil {
        let statement = ForeignWord.statement(for: target, in: source)
        throw SyntaxError(.valueAlone(statement: statement), range: target.range)
      }
      throw unexpected()
    }
    switch target.kind {
    case .member: break
    case .name(let name), .variable(let name):
      throw SyntaxError(.assignmentToVariable(name), range: target.range)
    case .null, .boolean, .integer, .real, .string, .date, .object, .list, .range, .index, .call,
      .methodCall, .count, .insert, .fetch, .negation, .not, .binary:
      throw SyntaxError(.notAssignable, range: target.range)
    }
    advance()
    return .assign(target, sign, try parseAssigned())
  }

  /// The error for a comment as Swift has it; nil where none begins, nor began
  /// with the sign before.
  var foreignComment: SyntaxError? {
    for start in [token.range.lowerBound, token.range.lowerBound - 1] where start >= 0 {
      let range = start..<min(start + 2, source.bytes.count)
      let found = source.text(in: range)
      if found == "//" || found == "/*" { return SyntaxError(.foreignComment(found), range: range) }
    }
    return nil
  }

  /// The expression behind `=`, which may stand on the next line.
  mutating func parseAssigned() throws(SyntaxError) -> ExpressionSyntax {
    skipLineEndBehindAssignment()
    return try parseExpression()
  }

  /// Goes on on the next line, unless that begins a statement: the value was
  /// forgotten then.
  mutating func skipLineEndBehindAssignment() {
    guard token.kind == .lineEnd else { return }
    let next = peek()
    let isValue = ["count", "fetch", "insert"].contains { isText($0, of: next) }
    if setting == .prompt || isValue || !beginsStatement(next) { advance() }
  }

  var assignmentOperator: Statement.AssignmentOperator? {
    guard case .punctuator(let sign) = token.kind else { return nil }
    return Statement.AssignmentOperator(rawValue: sign.rawValue)
  }
}
