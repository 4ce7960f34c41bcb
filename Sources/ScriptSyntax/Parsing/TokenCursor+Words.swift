import Basics

extension TokenCursor {
  /// Takes the name of an entity, which begins with a capital letter.
  func expectEntity() throws(SyntaxError) -> Name {
    let name = try expectName(.name(of: "an entity"))
    guard let first = name.text.first, first.isLowercase else { return name }
    throw SyntaxError(
      .lowercaseEntity(name.text, suggestion: first.uppercased() + name.text.dropFirst()),
      range: name.range)
  }

  func expectMergePolicy() throws(SyntaxError) -> Name {
    let policies = ContextDeclaration.mergePolicies
    let name = try expectName(.oneOf(policies))
    guard policies.contains(name.text) else {
      throw SyntaxError(
        .unknown(
          .mergePolicy, name.text, suggestion: nearestName(to: name.text, among: policies)),
        range: name.range)
    }
    return name
  }

  /// Takes `on` or `off`; returns whether it is `on`.
  func expectSwitch() throws(SyntaxError) -> Bool {
    let words = ["on", "off"]
    let word = try expectName(.oneOf(words))
    guard words.contains(word.text) else {
      throw SyntaxError(.expected(.oneOf(words), found: .text(word.text)), range: word.range)
    }
    return word.text == "on"
  }

  var assignmentOperator: Statement.AssignmentOperator? {
    guard case .punctuator(let sign) = token.kind else { return nil }
    return Statement.AssignmentOperator(rawValue: sign.rawValue)
  }

  // MARK: Objects

  /// Whether `Book/3` is here.
  var isAtObject: Bool {
    token.kind == .word && lexer.endOfObject(at: token.range.lowerBound) != nil
  }

  /// Whether `.self` is here.
  var isAtSelf: Bool { isAt(.dot) && isText("self", of: peek()) }

  /// Whether `.self` follows a token, with the end or a clause after it.
  func isSelf(after token: Token) -> Bool {
    let dot = self.token(after: token.range.upperBound)
    let word = self.token(after: dot.range.upperBound)
    return dot.kind == .punctuator(.dot) && isText("self", of: word)
  }
}
