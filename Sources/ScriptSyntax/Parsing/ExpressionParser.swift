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
    // The first operand is a level, too.
    guard expression.height > ScriptParser.mostOperators + 1 else { return }
    throw SyntaxError(.tooLong(limit: ScriptParser.mostOperators), range: range)
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
  var isAtNot: Bool {
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

extension ExpressionParser {
  /// Reads an operand with its members, indices and method calls.
  func parsePostfix() throws(SyntaxError) -> ExpressionSyntax {
    var base = try parsePrimary()
    while true {
      let sign = cursor.token
      if cursor.take(.dot) {
        cursor.skipLineEndsAtPrompt()
        cursor.note(.member(of: base))
        if cursor.isAt(.dot) {
          let range = sign.range.lowerBound..<cursor.token.range.upperBound
          throw SyntaxError(.wrongOperator("..", instead: "..."), range: range)
        }
        let name = try cursor.expectName(.name(of: "a member"))
        if cursor.isAt(.leftParenthesis) {
          let arguments = try parseArguments(of: name)
          base = ExpressionSyntax(
            .methodCall(base, name, arguments), range: base.range.lowerBound..<cursor.previousEnd)
        } else {
          base = ExpressionSyntax(
            .member(base, name), range: base.range.lowerBound..<cursor.previousEnd)
        }
      } else if cursor.isAt(.leftBracket) {
        cursor.marks.attachedBrackets.insert(cursor.token.range.lowerBound)
        let indices = try cursor.parseList { () throws(SyntaxError) in
          try parse()
        }
        guard !indices.isEmpty else {
          throw SyntaxError(
            .expected(.value, found: .text("]")), range: cursor.previousEnd - 1..<cursor.previousEnd
          )
        }
        base = ExpressionSyntax(
          .index(base, indices), range: base.range.lowerBound..<cursor.previousEnd)
      } else {
        return base
      }
      try checkHeight(of: base, at: sign.range)
    }
  }

  /// Reads an operand up to its first member.
  func parsePrimary() throws(SyntaxError) -> ExpressionSyntax {
    cursor.skipLineEndsAtPrompt()
    let start = cursor.token.range.lowerBound
    cursor.note(.value)
    switch cursor.token.kind {
    case .number: return try parseNumber(from: start)
    case .date: return try parseDate()
    case .quote: return try StringParser(cursor).parse()
    case .variable:
      let name = cursor.source.text(in: start + 1..<cursor.token.range.upperBound)
      cursor.advance()
      return ExpressionSyntax(.variable(name), range: start..<cursor.previousEnd)
    case .word: return try parseWord()
    case .punctuator(.leftParenthesis):
      try cursor.open(.leftParenthesis)
      var inner = try parse()
      try cursor.close()
      inner.range = start..<cursor.previousEnd
      return inner
    case .punctuator(.leftBracket):
      let values = try cursor.parseList { () throws(SyntaxError) in try parse() }
      return ExpressionSyntax(.list(values), range: start..<cursor.previousEnd)
    case .unknown, .malformedNumber, .punctuator, .lineEnd, .end:
      throw cursor.foreignComment ?? cursor.expected(.value)
    }
  }

  // MARK: Numbers and dates

  /// Reads the number at the current token; `start` is the offset of its sign.
  func parseNumber(from start: Int) throws(SyntaxError) -> ExpressionSyntax {
    let isNegative = start < cursor.token.range.lowerBound
    let text = (isNegative ? "-" : "") + cursor.text(of: cursor.token).filter { $0 != "_" }
    let range = start..<cursor.token.range.upperBound
    cursor.advance()
    if let integer = Int64(text) { return ExpressionSyntax(.integer(integer), range: range) }
    guard let real = Double(text), real.isFinite else {
      throw SyntaxError(.numberTooLarge(text), range: range)
    }
    return ExpressionSyntax(.real(real, text: text), range: range)
  }

  /// Reads the date at the current token.
  func parseDate() throws(SyntaxError) -> ExpressionSyntax {
    let range = cursor.token.range
    var reader = DateReader(bytes: cursor.source.bytes[range.dropFirst()])
    guard let date = reader.read() else {
      throw SyntaxError(.malformedDate(cursor.text(of: cursor.token)), range: range)
    }
    guard date.isOfCalendar else {
      throw SyntaxError(.noSuchDate(cursor.text(of: cursor.token)), range: range)
    }
    cursor.advance()
    return ExpressionSyntax(.date(date), range: range)
  }

  // MARK: Words

  private func parseWord() throws(SyntaxError) -> ExpressionSyntax {
    if cursor.isAtObject { return try parseObject() }
    let start = cursor.token.range.lowerBound
    let next = cursor.peek()
    if next.kind != .punctuator(.leftParenthesis),
      let literal = Self.literal(cursor.text(of: cursor.token))
    {
      cursor.advance()
      return ExpressionSyntax(literal, range: start..<cursor.previousEnd)
    }
    if cursor.isAt(word: "insert"), beginsInsertedText(next) {
      let insert = try cursor.nested { () throws(SyntaxError) in
        try ObjectParser(cursor).parseInsert()
      }
      return ExpressionSyntax(.insert(insert), range: start..<cursor.previousEnd)
    }
    if cursor.isAt(word: "fetch"), next.kind == .word, !endsOperand(next) {
      let request = try cursor.nested { () throws(SyntaxError) in
        try RequestParser(cursor).parseFetch()
      }
      return ExpressionSyntax(.fetch(request), range: start..<cursor.previousEnd)
    }
    if next.kind == .punctuator(.leftParenthesis), cursor.isAt(word: "count"),
      isRequest(after: next)
    {
      return try parseCount(from: start)
    }
    let name = cursor.takeName()
    guard cursor.isAt(.leftParenthesis) else {
      return ExpressionSyntax(.name(name.text), range: name.range)
    }
    let arguments = try parseArguments(of: nil)
    return ExpressionSyntax(.call(name, arguments), range: start..<cursor.previousEnd)
  }

  /// Returns the value that a word stands for; nil for a name.
  static func literal(_ word: String) -> ExpressionSyntax.Kind? {
    switch word {
    case "true", "YES": .boolean(true)
    case "false", "NO": .boolean(false)
    case "nil": .null
    default: nil
    }
  }

  /// Whether a word after `fetch` cannot be a source, so that `fetch` is a name.
  private func endsOperand(_ token: Token) -> Bool {
    let word = cursor.text(of: token)
    return ["and", "or", "AND", "OR", "else"].contains(word)
  }

  /// Whether the text after `insert` makes it the start of a value.
  private func beginsInsertedText(_ next: Token) -> Bool {
    switch next.kind {
    case .word: !endsOperand(next) && ClauseWord(firstWord: cursor.text(of: next)) == nil
    case .number, .variable: true
    case .malformedNumber, .date, .quote, .punctuator, .unknown, .lineEnd, .end: false
    }
  }

  // MARK: Calls

  /// `count(REQUEST)`.
  private func parseCount(from start: Int) throws(SyntaxError) -> ExpressionSyntax {
    cursor.advance()
    cursor.marks.attachedBrackets.insert(cursor.token.range.lowerBound)
    try cursor.open(.leftParenthesis)
    let request = try RequestParser(cursor).parse()
    try cursor.close()
    return ExpressionSyntax(.count(request), range: start..<cursor.previousEnd)
  }

  /// Whether the parenthesis after `count` contains a request: a name alone, or a name before a
  /// clause.
  private func isRequest(after parenthesis: Token) -> Bool {
    let name = cursor.lexer.token(after: parenthesis.range.upperBound, lineEndsCount: false)
    guard name.kind == .word else { return name.kind == .punctuator(.rightParenthesis) }
    let next = cursor.lexer.token(after: name.range.upperBound, lineEndsCount: false)
    switch next.kind {
    case .word: return ClauseWord(firstWord: cursor.text(of: next)) != nil || cursor.isCursor(next)
    case .punctuator(.rightParenthesis), .end: return true
    case .punctuator(.dot): return cursor.isSelf(after: name)
    case .variable, .number, .malformedNumber, .date, .quote, .punctuator, .unknown, .lineEnd:
      return false
    }
  }

  /// `(VALUE, LABEL: VALUE, …)`.
  private func parseArguments(
    of method: Name?
  ) throws(SyntaxError) -> [ExpressionSyntax.Argument] {
    cursor.marks.attachedBrackets.insert(cursor.token.range.lowerBound)
    var index = -1
    return try cursor.parseList { () throws(SyntaxError) in
      index += 1
      if let method { cursor.note(.argument(of: method.text, index: index)) }
      var label: Name?
      if cursor.token.kind == .word, cursor.peek().kind == .punctuator(.colon) {
        label = cursor.takeName()
        cursor.advance()
      }
      return ExpressionSyntax.Argument(label: label, value: try parse())
    }
  }

  // MARK: Objects

  private func parseObject() throws(SyntaxError) -> ExpressionSyntax {
    let entity = cursor.text(of: cursor.token)
    let start = cursor.token.range.lowerBound
    let digits = cursor.token.range.upperBound + 1
    guard let end = cursor.lexer.endOfObject(at: start) else { throw cursor.expected(.value) }
    if let wordEnd = cursor.lexer.endOfName(at: end) {
      throw SyntaxError(
        .malformedNumber(cursor.source.text(in: digits..<wordEnd)), range: digits..<wordEnd)
    }
    let text = cursor.source.text(in: digits..<end).filter { $0 != "_" }
    guard let number = Int64(text) else {
      throw SyntaxError(.numberTooLarge(text), range: digits..<end)
    }
    cursor.resume(at: end)
    return ExpressionSyntax(.object(entity: entity, number: number), range: start..<end)
  }
}
