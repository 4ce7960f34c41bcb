extension StatementWord {
  /// The words of the statements that have blocks, and `try`, which may stand
  /// before them.
  static let blockWords = [Self.for, .if, .perform, .repeat, .try].map(\.rawValue)
}

extension Parser {
  /// `{ STATEMENTS }`.
  mutating func parseBlock() throws(SyntaxError) -> [Statement] {
    skipLineEndsAtPrompt()
    try open(.leftBrace)
    var statements: [Statement] = []
    parseStatements(into: &statements)
    try close()
    return statements
  }

  /// `perform [NAME] [stepping] { … }`.
  mutating func parsePerform() throws(SyntaxError) -> Statement.Kind {
    advance()
    if isAt(word: "stepping"), peek().kind == .punctuator(.leftBrace) {
      advance()
      return .perform(nil, isStepping: true, try parseBlock())
    }
    note(.context)
    let context = token.kind == .word ? takeName() : nil
    let isStepping = context != nil && take(word: "stepping")
    return .perform(context, isStepping: isStepping, try parseBlock())
  }

  /// `for NAME in EXPRESSION { … }`.
  mutating func parseFor() throws(SyntaxError) -> Statement.Kind {
    advance()
    let name = try expectName(.name(of: "a variable"))
    try expect(word: "in")
    let values = try parseExpression()
    let outer = locals
    locals.append(LocalVariable(name.text, .element(of: values)))
    let body = try parseBlock()
    locals = outer
    return .for(name, in: values, body)
  }

  /// `if EXPRESSION { … } [else { … }]`; `else if` holds one statement.
  mutating func parseIf() throws(SyntaxError) -> Statement.Kind {
    advance()
    let condition = try parseExpression()
    let then = try parseBlock()
    if token.kind == .lineEnd {
      let next = peek()
      if isCursor(next) { notes?.add(.word("else"), by: self) }
      if next.kind == .word, isText("else", of: next), !lexer.isNamed(behind: next.range.upperBound)
      {
        advance()
      }
    }
    guard take(word: "else") else { return .if(condition, then: then, else: []) }
    skipLineEndsAtPrompt()
    guard isAt(word: "if") else { return .if(condition, then: then, else: try parseBlock()) }
    try descend()
    let nested = try parseStatement()
    depth -= 1
    return .if(condition, then: then, else: [nested])
  }

  mutating func parseRepeat() throws(SyntaxError) -> Statement.Kind {
    advance()
    let count = try parseExpression()
    let outer = locals
    let body = try parseBlock()
    locals = outer
    return .repeat(count, body)
  }

  /// `try STATEMENT`.
  mutating func parseTry() throws(SyntaxError) -> Statement.Kind {
    advance()
    skipLineEndsAtPrompt()
    noteStatement()
    guard !token.endsStatement, !isAt(.rightBrace) else { throw expected(.statement) }
    try descend()
    let statement = try parseStatement()
    depth -= 1
    return .try(statement)
  }

  /// `set clock EXPRESSION`, `set locale ja`, `set policy overwrite`,
  /// `set nil apple`, `set sql on`.
  mutating func parseSet() throws(SyntaxError) -> Statement.Kind {
    advance()
    let settings = Statement.Setting.allCases.map(\.rawValue)
    let word = try expectName(.oneOf(settings))
    guard let setting = Statement.Setting(rawValue: word.text) else {
      throw SyntaxError(
        .unknown(.setting, word.text, suggestion: nearestName(to: word.text, among: settings)),
        range: word.range)
    }
    skipLineEndsAtPrompt()
    if setting == .policy { return try parsePolicySetting() }
    if setting == .sql {
      let start = token.range.lowerBound
      let isOn = try expectSwitch()
      return .set(
        setting, ExpressionSyntax(.boolean(isOn), range: start..<previousEnd))
    }
    if setting == .nilRule { return try parseNilSetting() }
    guard setting == .locale, token.kind == .word else {
      return .set(setting, try parseExpression())
    }
    return .set(setting, takeLocale())
  }

  /// `set nil apple`, `set nil memory`: whether the rule is Apple's.
  private mutating func parseNilSetting() throws(SyntaxError) -> Statement.Kind {
    let rules = ["apple", "memory"]
    let rule = try expectName(.oneOf(rules))
    guard rules.contains(rule.text) else {
      throw SyntaxError(
        .unknown(.nilRule, rule.text, suggestion: nearestName(to: rule.text, among: rules)),
        range: rule.range)
    }
    return .set(.nilRule, ExpressionSyntax(.boolean(rule.text == "apple"), range: rule.range))
  }

  /// Takes the name of a locale, which needs no quotes: `ja`, `de-AT`, `en_US`.
  private mutating func takeLocale() -> ExpressionSyntax {
    let start = token.range.lowerBound
    var end = token.range.upperBound
    while lexer.byte(at: end) == Byte.minus, let next = lexer.endOfNameOrDigits(at: end + 1) {
      end = next
    }
    resume(at: end)
    marks.foreign.append(start..<end)
    return ExpressionSyntax(
      .string([.text(source.text(in: start..<end))]), range: start..<end)
  }

  /// `store memory`, `store sqlite "PATH" [readonly]`.
  mutating func parseStore() throws(SyntaxError) -> Statement.Kind {
    advance()
    let types = ["memory", "sqlite"]
    let word = try expectName(.oneOf(types))
    switch word.text {
    case "memory": return .storeMemory
    case "sqlite":
      skipLineEndsAtPrompt()
      let path = try parseExpression()
      return .storeSQLite(path, isReadOnly: take(word: "readonly"))
    default:
      let suggestion = nearestName(to: word.text, among: types)
      throw SyntaxError(
        .unknown(.storeType, word.text, suggestion: suggestion), range: word.range)
    }
  }

  // MARK: Looking

  /// `show NAME`, `show NAME.request`.
  mutating func parseShow() throws(SyntaxError) -> Statement.Kind {
    advance()
    note(.controller)
    note(.table)
    note(word: "model")
    let name = try expectName(.name(of: "a controller or a table"))
    guard take(.dot) else { return name.text == "model" ? .showModel : .show(name) }
    try expect(word: "request")
    return .showRequest(name)
  }

  mutating func parseObjects() throws(SyntaxError) -> Name {
    advance()
    skipLineEndsAtPrompt()
    note(.entity)
    return try expectName(.name(of: "an entity"))
  }
}
