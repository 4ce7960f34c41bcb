extension Parser {
  /// Whether an operand begins with a token.
  func beginsOperand(_ token: Token) -> Bool {
    switch token.kind {
    case .word, .variable, .number, .malformedNumber, .date, .quote: true
    case .punctuator(let sign):
      sign == .leftParenthesis || sign == .leftBracket || sign == .minus || sign == .not
    case .unknown, .lineEnd, .end: false
    }
  }

  /// Reads an operand with its members, indices and method calls.
  mutating func parsePostfix() throws(SyntaxError) -> ExpressionSyntax {
    var base = try parsePrimary()
    while true {
      let sign = token
      if take(.dot) {
        skipLineEndsAtPrompt()
        note(.member(of: base))
        if isAt(.dot) {
          let range = sign.range.lowerBound..<token.range.upperBound
          throw SyntaxError(.wrongOperator("..", instead: "..."), range: range)
        }
        let name = try expectName(.name(of: "a member"))
        if isAt(.leftParenthesis) {
          let arguments = try parseArguments(of: name)
          base = ExpressionSyntax(
            .methodCall(base, name, arguments), range: base.range.lowerBound..<previousEnd)
        } else {
          base = ExpressionSyntax(.member(base, name), range: base.range.lowerBound..<previousEnd)
        }
      } else if isAt(.leftBracket) {
        marks.attachedBrackets.insert(token.range.lowerBound)
        let indices = try parseList { parser throws(SyntaxError) in
          try parser.parseExpression()
        }
        guard !indices.isEmpty else {
          throw SyntaxError(
            .expected(.value, found: .text("]")), range: previousEnd - 1..<previousEnd)
        }
        base = ExpressionSyntax(.index(base, indices), range: base.range.lowerBound..<previousEnd)
      } else {
        return base
      }
      try checkHeight(of: base, at: sign.range)
    }
  }

  /// Reads an operand up to its first member.
  mutating func parsePrimary() throws(SyntaxError) -> ExpressionSyntax {
    skipLineEndsAtPrompt()
    let start = token.range.lowerBound
    note(.value)
    switch token.kind {
    case .number: return try parseNumber(from: start)
    case .date: return try parseDate()
    case .quote: return try parseString()
    case .variable:
      let name = source.text(in: start + 1..<token.range.upperBound)
      advance()
      return ExpressionSyntax(.variable(name), range: start..<previousEnd)
    case .word: return try parseWord()
    case .punctuator(.leftParenthesis):
      try open(.leftParenthesis)
      var inner = try parseExpression()
      try close()
      inner.range = start..<previousEnd
      return inner
    case .punctuator(.leftBracket):
      let values = try parseList { parser throws(SyntaxError) in try parser.parseExpression() }
      return ExpressionSyntax(.list(values), range: start..<previousEnd)
    case .unknown, .malformedNumber, .punctuator, .lineEnd, .end:
      throw foreignComment ?? expected(.value)
    }
  }

  // MARK: Numbers

  /// Reads the number that is the token; `start` is where its sign stands.
  mutating func parseNumber(from start: Int) throws(SyntaxError) -> ExpressionSyntax {
    let isNegative = start < token.range.lowerBound
    let text = (isNegative ? "-" : "") + text(of: token).filter { $0 != "_" }
    let range = start..<token.range.upperBound
    advance()
    if let integer = Int64(text) { return ExpressionSyntax(.integer(integer), range: range) }
    guard let real = Double(text), real.isFinite else {
      throw SyntaxError(.numberTooLarge(text), range: range)
    }
    return ExpressionSyntax(.real(real, text: text), range: range)
  }

  // MARK: Words

  private mutating func parseWord() throws(SyntaxError) -> ExpressionSyntax {
    if isAtObject { return try parseObject() }
    let start = token.range.lowerBound
    let next = peek()
    if next.kind != .punctuator(.leftParenthesis), let literal = literal(text(of: token)) {
      advance()
      return ExpressionSyntax(literal, range: start..<previousEnd)
    }
    if isAt(word: "insert"), beginsInsertedText(next) {
      let insert = try nested { parser throws(SyntaxError) in try parser.parseInsert() }
      return ExpressionSyntax(.insert(insert), range: start..<previousEnd)
    }
    if isAt(word: "fetch"), next.kind == .word, !endsOperand(next) {
      let request = try nested { parser throws(SyntaxError) in
        try parser.parseRequestBehindWord()
      }
      return ExpressionSyntax(.fetch(request), range: start..<previousEnd)
    }
    if next.kind == .punctuator(.leftParenthesis), isAt(word: "count"), isRequest(behind: next) {
      return try parseCount(from: start)
    }
    let name = takeName()
    guard isAt(.leftParenthesis) else {
      return ExpressionSyntax(.name(name.text), range: name.range)
    }
    let arguments = try parseArguments(of: nil)
    return ExpressionSyntax(.call(name, arguments), range: start..<previousEnd)
  }

  /// The value that a word stands for; nil for a name.
  func literal(_ word: String) -> ExpressionSyntax.Kind? {
    switch word {
    case "true", "YES": .boolean(true)
    case "false", "NO": .boolean(false)
    case "nil": .null
    default: nil
    }
  }

  private mutating func nested<Result>(
    _ parse: (inout Parser) throws(SyntaxError) -> Result
  ) throws(SyntaxError) -> Result {
    try descend()
    let result = try parse(&self)
    depth -= 1
    return result
  }

  /// Whether a word behind `fetch` is no source, so that `fetch` is a name.
  private func endsOperand(_ token: Token) -> Bool {
    let word = text(of: token)
    return ["and", "or", "AND", "OR", "else"].contains(word)
  }

  /// Whether what stands behind `insert` makes it the start of a value.
  private func beginsInsertedText(_ next: Token) -> Bool {
    switch next.kind {
    case .word: !endsOperand(next) && ClauseWord(firstWord: text(of: next)) == nil
    case .number, .variable: true
    case .malformedNumber, .date, .quote, .punctuator, .unknown, .lineEnd, .end: false
    }
  }

  // MARK: Calls

  /// `count(REQUEST)`.
  private mutating func parseCount(from start: Int) throws(SyntaxError) -> ExpressionSyntax {
    advance()
    marks.attachedBrackets.insert(token.range.lowerBound)
    try open(.leftParenthesis)
    let request = try parseRequest()
    try close()
    return ExpressionSyntax(.count(request), range: start..<previousEnd)
  }

  /// Whether the parenthesis behind `count` holds a request: a name alone or
  /// before a clause.
  private func isRequest(behind parenthesis: Token) -> Bool {
    let name = lexer.token(after: parenthesis.range.upperBound, lineEndsCount: false)
    guard name.kind == .word else { return name.kind == .punctuator(.rightParenthesis) }
    let next = lexer.token(after: name.range.upperBound, lineEndsCount: false)
    switch next.kind {
    case .word: return ClauseWord(firstWord: text(of: next)) != nil || isCursor(next)
    case .punctuator(.rightParenthesis), .end: return true
    case .punctuator(.dot): return isSelf(behind: name)
    case .variable, .number, .malformedNumber, .date, .quote, .punctuator, .unknown, .lineEnd:
      return false
    }
  }

  /// `(VALUE, LABEL: VALUE, …)`.
  private mutating func parseArguments(
    of method: Name?
  ) throws(SyntaxError) -> [ExpressionSyntax.Argument] {
    marks.attachedBrackets.insert(token.range.lowerBound)
    var index = -1
    return try parseList { parser throws(SyntaxError) in
      index += 1
      if let method { parser.note(.argument(of: method.text, index: index)) }
      var label: Name?
      if parser.token.kind == .word, parser.peek().kind == .punctuator(.colon) {
        label = parser.takeName()
        parser.advance()
      }
      return ExpressionSyntax.Argument(label: label, value: try parser.parseExpression())
    }
  }

  // MARK: Objects

  /// Whether `Book/3` stands here.
  var isAtObject: Bool {
    token.kind == .word && lexer.endOfObject(at: token.range.lowerBound) != nil
  }

  private mutating func parseObject() throws(SyntaxError) -> ExpressionSyntax {
    let entity = text(of: token)
    let start = token.range.lowerBound
    let digits = token.range.upperBound + 1
    guard let end = lexer.endOfObject(at: start) else { throw expected(.value) }
    if let wordEnd = lexer.endOfName(at: end) {
      throw SyntaxError(
        .malformedNumber(source.text(in: digits..<wordEnd)), range: digits..<wordEnd)
    }
    let text = source.text(in: digits..<end).filter { $0 != "_" }
    guard let number = Int64(text) else {
      throw SyntaxError(.numberTooLarge(text), range: digits..<end)
    }
    resume(at: end)
    return ExpressionSyntax(.object(entity: entity, number: number), range: start..<end)
  }
}

extension Lexer {
  /// Where the object ends whose name begins at `start`, or nil where none
  /// does: a name with a capital letter first, `/` and digits, without blanks.
  func endOfObject(at start: Int) -> Int? {
    guard isCapital(at: start), let nameEnd = endOfName(at: start),
      byte(at: nameEnd) == Byte.slash, byte(at: nameEnd + 1).map(Byte.isDigit) == true
    else { return nil }
    return endOfDigits(at: nameEnd + 1)
  }

  /// Where a run of letters and digits ends that begins at `start`.
  func endOfNameOrDigits(at start: Int) -> Int? {
    var end = endOfDigits(at: start)
    end = endOfName(at: end) ?? end
    return end > start ? end : nil
  }
}
