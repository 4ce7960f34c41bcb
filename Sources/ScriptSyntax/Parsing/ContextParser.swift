/// Reads statements about contexts.
struct ContextParser {
  let cursor: TokenCursor

  init(_ cursor: TokenCursor) { self.cursor = cursor }

  /// `context NAME [parent NAME] [policy POLICY]`.
  func parseContext() throws(SyntaxError) -> Statement.Kind {
    cursor.advance()
    let name = try cursor.expectName(.name(of: "a context"))
    var context = ContextDeclaration(name: name, parent: nil, policy: nil)
    while true {
      let word = cursor.token
      if cursor.take(word: "parent") {
        guard context.parent == nil else {
          throw SyntaxError(.repeatedPart("parent"), range: word.range)
        }
        context.parent = try expectContext()
      } else if cursor.take(word: "policy") {
        guard context.policy == nil else {
          throw SyntaxError(.repeatedPart("policy"), range: word.range)
        }
        context.policy = try cursor.expectMergePolicy()
      } else {
        return .context(context)
      }
    }
  }

  /// Takes the context after `save`, `rollback` or `reset`; nil if none is named.
  func parseContextAfterWord() -> Name? {
    cursor.advance()
    cursor.note(.context)
    return cursor.token.kind == .word ? cursor.takeName() : nil
  }

  /// `merge NAME into NAME`, `merge batch into NAME`, `merge history [by AUTHOR] into NAME`.
  func parseMerge() throws(SyntaxError) -> Statement.Kind {
    cursor.advance()
    for word in ["batch", "history"] { cursor.note(word: word) }
    cursor.skipLineEndsAtPrompt()
    if cursor.take(word: "history") {
      let author =
        cursor.take(word: "by") ? try ExpressionParser(cursor).parse() : nil
      try cursor.expect(word: "into")
      return .mergeHistory(by: author, into: try expectContext())
    }
    let source = try expectContext()
    try cursor.expect(word: "into")
    return .merge(source, into: try expectContext())
  }

  /// `automerge NAME on`, `automerge NAME off`.
  func parseAutomerge() throws(SyntaxError) -> Statement.Kind {
    cursor.advance()
    let context = try expectContext()
    return .automerge(context, isOn: try cursor.expectSwitch())
  }

  /// `observe NAME [on]`, `observe NAME off`.
  func parseObserve() throws(SyntaxError) -> Statement.Kind {
    cursor.advance()
    let context = try expectContext()
    if cursor.take(word: "off") { return .observe(context, isOn: false) }
    _ = cursor.take(word: "on")
    return .observe(context, isOn: true)
  }

  /// `refresh OBJECT [merging]`, `refresh all`.
  func parseRefresh() throws(SyntaxError) -> Statement.Kind {
    cursor.advance()
    cursor.skipLineEndsAtPrompt()
    let next = cursor.peek()
    if cursor.isAt(word: "all"), next.endsStatement || next.kind == .punctuator(.rightBrace) {
      cursor.advance()
      return .refreshAll
    }
    let object = try ExpressionParser(cursor).parse()
    return .refresh(object, isMerging: cursor.take(word: "merging"))
  }

  private func expectContext() throws(SyntaxError) -> Name {
    cursor.skipLineEndsAtPrompt()
    cursor.note(.context)
    return try cursor.expectName(.name(of: "a context"))
  }
}
