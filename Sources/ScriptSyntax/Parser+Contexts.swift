extension Parser {
  /// `context NAME [parent NAME] [policy POLICY]`.
  mutating func parseContext() throws(SyntaxError) -> Statement.Kind {
    advance()
    let name = try expectName(.name(of: "a context"))
    var context = ContextDeclaration(name: name, parent: nil, policy: nil)
    while true {
      let word = token
      if take(word: "parent") {
        guard context.parent == nil else {
          throw SyntaxError(.repeatedPart("parent"), range: word.range)
        }
        context.parent = try expectContext()
      } else if take(word: "policy") {
        guard context.policy == nil else {
          throw SyntaxError(.repeatedPart("policy"), range: word.range)
        }
        context.policy = try expectMergePolicy()
      } else {
        return .context(context)
      }
    }
  }

  /// The context behind `save`, `rollback` or `reset`, where one is named.
  mutating func parseContextBehindWord() -> Name? {
    advance()
    note(.context)
    return token.kind == .word ? takeName() : nil
  }

  /// `merge NAME into NAME`.
  mutating func parseMerge() throws(SyntaxError) -> Statement.Kind {
    advance()
    let source = try expectContext()
    try expect(word: "into")
    return .merge(source, into: try expectContext())
  }

  /// `automerge NAME on`, `automerge NAME off`.
  mutating func parseAutomerge() throws(SyntaxError) -> Statement.Kind {
    advance()
    let context = try expectContext()
    return .automerge(context, isOn: try expectSwitch())
  }

  /// `refresh OBJECT [merging]`, `refresh all`.
  mutating func parseRefresh() throws(SyntaxError) -> Statement.Kind {
    advance()
    skipLineEndsAtPrompt()
    let next = peek()
    if isAt(word: "all"), next.endsStatement || next.kind == .punctuator(.rightBrace) {
      advance()
      return .refreshAll
    }
    let object = try parseExpression()
    return .refresh(object, isMerging: take(word: "merging"))
  }

  /// `set policy POLICY`.
  mutating func parsePolicySetting() throws(SyntaxError) -> Statement.Kind {
    let policy = try expectMergePolicy()
    return .set(.policy, ExpressionSyntax(.string([.text(policy.text)]), range: policy.range))
  }

  private mutating func expectContext() throws(SyntaxError) -> Name {
    skipLineEndsAtPrompt()
    note(.context)
    return try expectName(.name(of: "a context"))
  }

  private mutating func expectMergePolicy() throws(SyntaxError) -> Name {
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
}
