import NearNames

/// Reads statements by recursive descent and goes on after errors.
///
/// A function that meets an error throws it; whoever reads a list of statements
/// or properties catches it, notes it and skips to the end of that one.
struct StatementParser {
  let cursor: TokenCursor

  init(_ cursor: TokenCursor) { self.cursor = cursor }

  /// Reads a whole script.
  func parseScript() -> [Statement] {
    cursor.checkEncoding()
    if cursor.token.kind == .lineEnd { cursor.advance() }
    var statements: [Statement] = []
    while cursor.token.kind != .end {
      parseStatements(into: &statements)
      // Only an unmatched closing brace stops the list before the end.
      guard cursor.token.kind != .end else { break }
      let brace = cursor.text(of: cursor.token)
      cursor.record(SyntaxError(.strayCloser(brace), range: cursor.token.range))
      cursor.advance()
    }
    cursor.finish()
    return statements
  }

  /// Reads statements up to the end or a `}`.
  func parseStatements(into statements: inout [Statement]) {
    while true {
      while cursor.token.kind == .lineEnd || cursor.isAt(.semicolon) { cursor.advance() }
      if cursor.token.kind == .end || cursor.isAt(.rightBrace) { return }
      cursor.noteStatement()
      let outer = (cursor.brackets.count, cursor.depth, cursor.lineEndsCount)
      cursor.marks.starts.insert(cursor.token.range.lowerBound)
      let hasBlock = StatementWord.blockWords.contains { cursor.isAt(word: $0) }
      do throws(SyntaxError) {
        let statement = try parseStatement()
        guard cursor.token.endsStatement || cursor.isAt(.rightBrace) else { throw unexpectedEnd() }
        statements.append(statement)
      } catch {
        cursor.record(error)
        ErrorRecovery(cursor).recover(
          from: error, brackets: outer.0, depth: outer.1, hasBlock: hasBlock)
        cursor.lineEndsCount = outer.2
      }
    }
  }

  /// The error for a token behind a whole statement.
  private func unexpectedEnd() -> SyntaxError {
    if cursor.isAt(.assign) { return cursor.wrongOperator("==") }
    guard cursor.token.kind == .word,
      cursor.previousEnd == cursor.predicateEnd || cursor.previousEnd == cursor.requestEnd
    else {
      return cursor.unexpected()
    }
    let isInPredicate = cursor.previousEnd == cursor.predicateEnd
    let words = (isInPredicate ? ["AND", "OR"] : []) + ClauseWord.allCases.map(\.rawValue)
    let word = cursor.text(of: cursor.token)
    // Of two words the first is enough to know what is meant.
    let near = nearestName(to: word, among: words.map { $0.prefix { $0 != " " }.description })
    let suggestion = near.flatMap { near in words.first { $0.hasPrefix(near) } }
    return SyntaxError(
      isInPredicate
        ? .unexpectedBehindPredicate(cursor.found, suggestion: suggestion)
        : .unexpectedBehindRequest(cursor.found, suggestion: suggestion),
      range: cursor.token.range)
  }

  func parseStatement() throws(SyntaxError) -> Statement {
    let start = cursor.token.range.lowerBound
    let kind = try parseKind()
    return Statement(kind, range: start..<max(start, cursor.previousEnd))
  }

  private func parseKind() throws(SyntaxError) -> Statement.Kind {
    guard cursor.token.kind == .word else { return try parseAssignment() }
    let text = cursor.text(of: cursor.token)
    if cursor.lexer.isNamed(behind: cursor.token.range.upperBound) { return try parseAssignment() }
    guard let word = StatementWord(rawValue: text) else { return try parseUnknown(text) }
    if word == .count, cursor.peek().kind == .punctuator(.leftParenthesis) {
      return try parseAssignment()
    }
    return try parse(word)
  }

  private func parse(_ word: StatementWord) throws(SyntaxError) -> Statement.Kind {
    switch word {
    case .abstract, .entity: return .entity(try EntityParser(cursor).parseEntity())
    case .model: return try EntityParser(cursor).parseModel()
    case .store: return try SettingParser(cursor).parseStore()
    case .caches: return single(.caches)
    case .stats: return single(.stats)
    case .process: return single(.process)
    case .context: return try ContextParser(cursor).parseContext()
    case .merge: return try ContextParser(cursor).parseMerge()
    case .automerge: return try ContextParser(cursor).parseAutomerge()
    case .refresh: return try ContextParser(cursor).parseRefresh()
    case .table: return try TableParser(cursor).parseTable()
    case .suspend: return .suspend(try TableParser(cursor).parseTableBehindWord())
    case .resume: return .resume(try TableParser(cursor).parseTableBehindWord())
    case .reload: return .reload(try TableParser(cursor).parseTableBehindWord())
    case .trace: return try TableParser(cursor).parseTrace()
    case .undo: return single(.undo)
    case .redo: return single(.redo)
    case .reset: return .reset(ContextParser(cursor).parseContextBehindWord())
    case .return: return .return(try parseOperand())
    case .rollback: return .rollback(ContextParser(cursor).parseContextBehindWord())
    case .save: return .save(ContextParser(cursor).parseContextBehindWord())
    case .insert: return .insert(try ObjectParser(cursor).parseInsert())
    case .let: return try ObjectParser(cursor).parseLet()
    case .update: return try ObjectParser(cursor).parseUpdate()
    case .delete:
      return try cursor.withClauses(.ofFetches) { () throws(SyntaxError) in
        try ObjectParser(cursor).parseDelete()
      }
    case .perform: return try BlockParser(cursor).parsePerform()
    case .for: return try BlockParser(cursor).parseFor()
    case .if: return try BlockParser(cursor).parseIf()
    case .repeat: return try BlockParser(cursor).parseRepeat()
    case .try: return try BlockParser(cursor).parseTry()
    case .set: return try SettingParser(cursor).parseSet()
    case .expect: return .expect(try parseOperand())
    case .import: return try ObjectParser(cursor).parseImport()
    case .include: return .include(try parseOperand())
    case .print: return .print(try parseOperand())
    case .request, .controller: return try ControllerParser(cursor).parseDefinition(word)
    case .fetch: return .fetch(try RequestParser(cursor).parseBehindWord())
    case .count: return .count(try RequestParser(cursor).parseBehindWord())
    case .change: return try ControllerParser(cursor).parseChange()
    case .delegate: return try ControllerParser(cursor).parseDelegate()
    case .show: return try LookingParser(cursor).parseShow()
    case .objects: return .objects(try LookingParser(cursor).parseObjects())
    case .evaluate: return try LookingParser(cursor).parseEvaluate()
    case .explain: return .explain(try LookingParser(cursor).parseExplained())
    case .swift: return .swift(try LookingParser(cursor).parseSwiftName())
    case .quirk: return try SettingParser(cursor).parseQuirk()
    }
  }

  private func single(_ kind: Statement.Kind) -> Statement.Kind {
    cursor.advance()
    return kind
  }

  /// The expression behind a statement's word.
  private func parseOperand() throws(SyntaxError) -> ExpressionSyntax {
    cursor.advance()
    return try ExpressionParser(cursor).parse()
  }

  // MARK: Without a word

  /// A line that begins with a word that is none of a statement's.
  private func parseUnknown(_ text: String) throws(SyntaxError) -> Statement.Kind {
    switch cursor.peek().kind {
    case .punctuator(.leftBracket): return try parseAssignment()
    case .punctuator(.slash) where cursor.isAtObject: return try parseAssignment()
    case .punctuator(let sign) where sign.isOperator: return try parseAssignment()
    case .word, .variable, .number, .malformedNumber, .date, .quote, .punctuator, .unknown,
      .lineEnd, .end:
      break
    }
    if ExpressionParser.literal(text) != nil { return try parseAssignment() }
    if let problem = RequestParser(cursor).foreignClause { throw problem }
    if let clause = ClauseWord(firstWord: text) {
      throw SyntaxError(.clauseAlone(clause.rawValue), range: cursor.token.range)
    }
    let isMade =
      text.first?.isUppercase == true && cursor.peek().kind == .punctuator(.leftParenthesis)
    let suggestion =
      isMade
      ? "insert \(text)"
      : ForeignWord.statementWord(for: text) ?? nearestName(to: text, among: StatementWord.all)
    throw SyntaxError(.unknownStatement(text, suggestion: suggestion), range: cursor.token.range)
  }

  /// `TARGET = EXPRESSION`, where no statement's word stands.
  private func parseAssignment() throws(SyntaxError) -> Statement.Kind {
    guard cursor.token.beginsOperand else {
      throw cursor.foreignComment ?? cursor.expected(.statement)
    }
    let target = try ExpressionParser(cursor).parsePostfix()
    guard let sign = cursor.assignmentOperator else {
      if cursor.token.endsStatement || cursor.isAt(.rightBrace)
        || ExpressionParser(cursor).infixOperator != nil
      {
        let statement = ForeignWord.statement(for: target, in: cursor.source)
        throw SyntaxError(.valueAlone(statement: statement), range: target.range)
      }
      throw cursor.unexpected()
    }
    switch target.kind {
    case .member: break
    case .name(let name), .variable(let name):
      throw SyntaxError(.assignmentToVariable(name), range: target.range)
    case .null, .boolean, .integer, .real, .string, .date, .object, .list, .range, .index, .call,
      .methodCall, .count, .insert, .fetch, .negation, .not, .binary:
      throw SyntaxError(.notAssignable, range: target.range)
    }
    cursor.advance()
    return .assign(target, sign, try ExpressionParser(cursor).parseAssigned())
  }
}
