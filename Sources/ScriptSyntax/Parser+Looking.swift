extension Parser {
  /// `explain [OBJECT]`; the object, which has to stand on the same line.
  mutating func parseExplained() throws(SyntaxError) -> ExpressionSyntax? {
    advance()
    if token.endsStatement || isAt(.rightBrace) { return nil }
    return try parseExpression()
  }

  /// `swift NAME`: of a controller or an entity.
  mutating func parseSwiftName() throws(SyntaxError) -> Name {
    advance()
    skipLineEndsAtPrompt()
    note(.controller)
    note(.entity)
    return try expectName(.name(of: "a controller or an entity"))
  }

  /// `quirk NAME on`, `quirk NAME off`.
  mutating func parseQuirk() throws(SyntaxError) -> Statement.Kind {
    advance()
    skipLineEndsAtPrompt()
    let names = Statement.Quirk.allCases.map(\.rawValue)
    let name = try expectName(.oneOf(names))
    guard let quirk = Statement.Quirk(rawValue: name.text) else {
      throw SyntaxError(
        .unknown(.quirk, name.text, suggestion: nearestName(to: name.text, among: names)),
        range: name.range)
    }
    skipLineEndsAtPrompt()
    return .quirk(quirk, isOn: try expectSwitch())
  }

  /// `on` or `off`; whether it is on.
  mutating func expectSwitch() throws(SyntaxError) -> Bool {
    let words = ["on", "off"]
    let word = try expectName(.oneOf(words))
    guard words.contains(word.text) else {
      throw SyntaxError(.expected(.oneOf(words), found: .text(word.text)), range: word.range)
    }
    return word.text == "on"
  }
}
