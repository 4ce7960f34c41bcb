/// Reads values.
struct ExpressionParser {
  let cursor: TokenCursor

  init(_ cursor: TokenCursor) { self.cursor = cursor }

  /// The precedence of an operator, lowest first.
  private enum Precedence {
    static let or = 1
    static let and = 2
    static let comparison = 3
    static let range = 4
    static let sum = 5
    static let product = 6
  }

  /// An operator between two operands.
  struct InfixOperator {
    var precedence: Int
    /// Nil for the ranges.
    var binary: ExpressionSyntax.BinaryOperator?
    var isClosed = false
  }

  func parse() throws(SyntaxError) -> ExpressionSyntax {
    try parse(from: Precedence.or)
  }

  /// Continues after the first operand.
  func parse(after left: ExpressionSyntax) throws(SyntaxError) -> ExpressionSyntax {
    try parse(from: Precedence.or, after: left)
  }

  private func parse(from precedence: Int) throws(SyntaxError) -> ExpressionSyntax {
    try parse(from: precedence, after: try parsePrefix())
  }

  /// Reads operands as long as the operators between them have at least this precedence.
  private func parse(
    from precedence: Int, after first: ExpressionSyntax
  ) throws(SyntaxError) -> ExpressionSyntax {
    var left = first
    while let infix = infixOperator, infix.precedence >= precedence {
      let sign = cursor.token
      cursor.advance()
      cursor.skipLineEnd()
      let right = try parse(from: infix.precedence + 1)
      let range = left.range.lowerBound..<cursor.previousEnd
      if let binary = infix.binary {
        left = ExpressionSyntax(.binary(left, binary, right), range: range)
      } else {
        left = ExpressionSyntax(.range(left, right, isClosed: infix.isClosed), range: range)
      }
      try checkHeight(of: left, at: sign.range)
      let isChainable = infix.precedence != Precedence.comparison && infix.binary != nil
      if !isChainable, infixOperator?.precedence == infix.precedence {
        throw infix.binary == nil
          ? cursor.unexpected() : SyntaxError(.chainedComparison, range: cursor.token.range)
      }
    }
    try checkSpelling()
    return left
  }

  /// Reads the expression after `=`, which may be on the next line.
  func parseAssigned() throws(SyntaxError) -> ExpressionSyntax {
    cursor.skipLineEndAfterAssignment()
    return try parse()
  }

  /// The operator at the current token; nil if there is none.
  var infixOperator: InfixOperator? {
    switch cursor.token.kind {
    case .word: wordOperator
    case .punctuator(let sign): signOperator(sign)
    case .variable, .number, .malformedNumber, .date, .quote, .unknown, .lineEnd, .end: nil
    }
  }

  private var wordOperator: InfixOperator? {
    guard cursor.token.range.count <= 3,
      !cursor.lexer.isNamed(after: cursor.token.range.upperBound)
    else { return nil }
    switch cursor.text(of: cursor.token).uppercased() {
    case "AND": return InfixOperator(precedence: Precedence.and, binary: .and)
    case "OR": return InfixOperator(precedence: Precedence.or, binary: .or)
    default: return nil
    }
  }

  private func signOperator(_ sign: Punctuator) -> InfixOperator? {
    switch sign {
    case .or: InfixOperator(precedence: Precedence.or, binary: .or)
    case .and: InfixOperator(precedence: Precedence.and, binary: .and)
    case .equal: InfixOperator(precedence: Precedence.comparison, binary: .equal)
    case .notEqual: InfixOperator(precedence: Precedence.comparison, binary: .notEqual)
    case .less: InfixOperator(precedence: Precedence.comparison, binary: .less)
    case .lessOrEqual: InfixOperator(precedence: Precedence.comparison, binary: .lessOrEqual)
    case .greater: InfixOperator(precedence: Precedence.comparison, binary: .greater)
    case .greaterOrEqual:
      InfixOperator(precedence: Precedence.comparison, binary: .greaterOrEqual)
    case .closedRange: InfixOperator(precedence: Precedence.range, binary: nil, isClosed: true)
    case .halfOpenRange: InfixOperator(precedence: Precedence.range, binary: nil)
    case .plus: InfixOperator(precedence: Precedence.sum, binary: .add)
    case .minus: InfixOperator(precedence: Precedence.sum, binary: .subtract)
    case .star: InfixOperator(precedence: Precedence.product, binary: .multiply)
    case .slash: InfixOperator(precedence: Precedence.product, binary: .divide)
    case .percent: InfixOperator(precedence: Precedence.product, binary: .remainder)
    case .leftParenthesis, .rightParenthesis, .leftBracket, .rightBracket, .leftBrace, .rightBrace,
      .comma, .colon, .semicolon, .dot, .question, .at, .assign, .addAssign, .subtractAssign,
      .lessOrGreater, .equalOrLess, .equalOrGreater, .not:
      nil
    }
  }

  /// Reports an operator of predicates or of C that is written differently in scripts.
  private func checkSpelling() throws(SyntaxError) {
    guard case .punctuator(let sign) = cursor.token.kind, let spelling = Self.spellings[sign] else {
      return
    }
    throw cursor.wrongOperator(spelling)
  }

  private static let spellings: [Punctuator: String] = [
    .assign: "==", .lessOrGreater: "!=", .equalOrLess: "<=", .equalOrGreater: ">=",
  ]

  func checkHeight(of expression: ExpressionSyntax, at range: Range<Int>) throws(SyntaxError) {
    guard expression.height > ScriptParser.maximumHeight else { return }
    throw SyntaxError(.tooLong(limit: ScriptParser.maximumHeight), range: range)
  }

  // MARK: Prefix operators

  /// Reads NOT, `!` or `-`, and the operand after it.
  private func parsePrefix() throws(SyntaxError) -> ExpressionSyntax {
    cursor.skipLineEndsAtPrompt()
    let start = cursor.token.range.lowerBound
    if isAtNot {
      let operand = try parseAfterPrefix { () throws(SyntaxError) in
        try parse(from: Precedence.comparison)
      }
      return ExpressionSyntax(.not(operand), range: start..<cursor.previousEnd)
    }
    if cursor.isAt(.not) {
      cursor.marks.prefixSigns.insert(start)
      let operand = try parseAfterPrefix { () throws(SyntaxError) in
        try parsePrefix()
      }
      return ExpressionSyntax(.not(operand), range: start..<cursor.previousEnd)
    }
    guard cursor.isAt(.minus) else { return try parsePostfix() }
    cursor.marks.prefixSigns.insert(start)
    let next = cursor.peek()
    if next.kind == .number {
      cursor.advance()
      return try parseNumber(from: start)
    }
    let operand = try parseAfterPrefix { () throws(SyntaxError) in
      try parsePrefix()
    }
    return ExpressionSyntax(.negation(operand), range: start..<cursor.previousEnd)
  }

  private func parseAfterPrefix(
    _ parse: () throws(SyntaxError) -> ExpressionSyntax
  ) throws(SyntaxError) -> ExpressionSyntax {
    try cursor.descend()
    cursor.advance()
    cursor.skipLineEndsAtPrompt()
    let operand = try parse()
    cursor.depth -= 1
    return operand
  }

  /// Whether NOT is here.
  ///
  /// It may also be a name, so unless it is in capitals an operand must follow.
  private var isAtNot: Bool {
    guard cursor.token.kind == .word, cursor.token.range.count == 3 else { return false }
    switch cursor.text(of: cursor.token) {
    case "NOT": return true
    case "not", "Not":
      let next = cursor.peek()
      return next.kind != .punctuator(.leftBracket) && next.kind != .punctuator(.minus)
        && next.beginsOperand && !(next.kind == .word && isInfixWord(next))
    default: return false
    }
  }

  private func isInfixWord(_ token: Token) -> Bool {
    let word = cursor.text(of: token)
    return word == "and" || word == "or" || word == "AND" || word == "OR"
      || ClauseWord(firstWord: word) != nil
  }
}
