import Basics

/// Reads statements by recursive descent, and continues after errors.
///
/// A function that finds an error throws it. The function that reads a list of statements or
/// properties catches and records the error, and skips to the end of that element.
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
      // Only an unmatched closing brace stops the list early.
      guard cursor.token.kind != .end else { break }
      let brace = cursor.text(of: cursor.token)
      cursor.record(SyntaxError(.strayCloser(brace), range: cursor.token.range))
      cursor.advance()
    }
    cursor.finish()
    return statements
  }

  /// Reads statements up to the end of the text or a `}`.
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

  /// Returns the error for a token after a complete statement.
  private func unexpectedEnd() -> SyntaxError {
    if cursor.isAt(.assign) { return cursor.wrongOperator("==") }
    guard cursor.token.kind == .word,
      cursor.previousEnd == cursor.predicateEnd || cursor.previousEnd == cursor.requestEnd
    else {
      return cursor.unexpected()
    }
    if let feature = AbsentFeature(word: cursor.text(of: cursor.token)) {
      return SyntaxError(.absent(feature), range: cursor.token.range)
    }
    let isInPredicate = cursor.previousEnd == cursor.predicateEnd
    let words = (isInPredicate ? ["AND", "OR"] : []) + ClauseWord.allCases.map(\.rawValue)
    let word = cursor.text(of: cursor.token)
    // The first word is enough to find the intended statement.
    let near = nearestName(to: word, among: words.map { $0.prefix { $0 != " " }.description })
    let suggestion = near.flatMap { near in words.first { $0.hasPrefix(near) } }
    return SyntaxError(
      isInPredicate
        ? .unexpectedAfterPredicate(cursor.found, suggestion: suggestion)
        : .unexpectedAfterRequest(cursor.found, suggestion: suggestion),
      range: cursor.token.range)
  }

  func parseStatement() throws(SyntaxError) -> Statement {
    let start = cursor.token.range.lowerBound
    let isPrint = cursor.isAt(word: StatementWord.print.rawValue)
    let takesValues = takesValues
    let kind = try parseKind()
    return Statement(
      kind, range: start..<max(start, cursor.previousEnd),
      keepsResult: takesValues && (kind.isFetch || kind.isPrint && !isPrint))
  }

  /// Whether a value alone is a statement here, as at the prompt outside of blocks.
  ///
  /// Completion offers the words of statements at such a place.
  private var takesValues: Bool {
    cursor.setting == .prompt && cursor.brackets.isEmpty && cursor.notes == nil
  }

  private func parseKind() throws(SyntaxError) -> Statement.Kind {
    guard cursor.token.kind == .word else { return try parseAssignment() }
    let text = cursor.text(of: cursor.token)
    if cursor.lexer.isNamed(after: cursor.token.range.upperBound) { return try parseAssignment() }
    guard let word = StatementWord(rawValue: text) else { return try parseUnknown(text) }
    if word == .count, cursor.peek().kind == .punctuator(.leftParenthesis) {
      return try parseAssignment()
    }
    return try parse(word)
  }

  // MARK: Without a word

  /// Reads a line whose first word begins no statement.
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
    if let feature = AbsentFeature(word: text) {
      throw SyntaxError(.absent(feature), range: cursor.token.range)
    }
    if takesValues, cursor.peek().endsStatement { return try parseAssignment() }
    let isCall = cursor.peek().kind == .punctuator(.leftParenthesis)
    if takesValues, isCall, text.first?.isLowercase == true { return try parseAssignment() }
    let isMade =
      text.first?.isUppercase == true && isCall
    let suggestion =
      isMade
      ? "insert \(text)"
      : ForeignWord.statementWord(for: text) ?? nearestName(to: text, among: StatementWord.all)
    throw SyntaxError(.unknownStatement(text, suggestion: suggestion), range: cursor.token.range)
  }

  /// `TARGET = EXPRESSION`.
  ///
  /// At the prompt also a value alone, which is printed.
  private func parseAssignment() throws(SyntaxError) -> Statement.Kind {
    guard cursor.token.beginsOperand else {
      throw cursor.foreignComment ?? cursor.expected(.statement)
    }
    let isPrefix = cursor.isAt(.minus) || cursor.isAt(.not) || cursor.isAt(word: "NOT")
    if takesValues, isPrefix { return .print(try ExpressionParser(cursor).parse()) }
    let target = try ExpressionParser(cursor).parsePostfix()
    guard let sign = cursor.assignmentOperator else {
      if cursor.token.endsStatement || cursor.isAt(.rightBrace)
        || ExpressionParser(cursor).infixOperator != nil
      {
        if let feature = AbsentFeature(in: cursor.source.text(in: target.range)), target.isCall {
          throw SyntaxError(.absent(feature), range: target.range)
        }
        let statement = ForeignWord.statement(for: target, in: cursor.source)
        if takesValues, statement == nil {
          return .print(try ExpressionParser(cursor).parse(after: target))
        }
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

extension Statement.Kind {
  fileprivate var isFetch: Bool { if case .fetch = self { true } else { false } }

  fileprivate var isPrint: Bool { if case .print = self { true } else { false } }
}

extension ExpressionSyntax {
  fileprivate var isCall: Bool {
    switch kind {
    case .call, .methodCall: true
    case .null, .boolean, .integer, .real, .string, .date, .object, .name, .variable, .list, .range,
      .member, .index, .count, .insert, .fetch, .negation, .not, .binary:
      false
    }
  }
}
