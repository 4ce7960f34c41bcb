/// Reads statements that define requests, controllers and observers, and other statements about controllers.
struct ControllerParser {
  let cursor: TokenCursor

  init(_ cursor: TokenCursor) { self.cursor = cursor }

  /// `request NAME = REQUEST`, and the same for a controller.
  func parseDefinition(_ word: StatementWord) throws(SyntaxError) -> Statement.Kind {
    cursor.advance()
    let name = try cursor.expectName(.name(of: "the \(word.rawValue)"))
    cursor.skipLineEndsAtPrompt()
    try cursor.expect(.assign)
    cursor.skipLineEndAfterAssignment()
    if word == .request, cursor.isText("stored", of: cursor.token), cursor.peek().kind == .quote {
      cursor.advance()
      return .storedRequest(name, try ExpressionParser(cursor).parse())
    }
    let request = try RequestParser(cursor).parse(.all)
    return word == .request ? .request(name, request) : .controller(name, request)
  }

  /// `observer NAME = REQUEST`, `observer NAME = history [of ENTITY, …] [by AUTHOR, …]`.
  func parseObserver() throws(SyntaxError) -> Statement.Kind {
    cursor.advance()
    let name = try cursor.expectName(.name(of: "the observer"))
    cursor.skipLineEndsAtPrompt()
    try cursor.expect(.assign)
    cursor.skipLineEndAfterAssignment()
    if isAtHistory { return .observer(name, try parseObservedHistory()) }
    return .observer(name, .results(try RequestParser(cursor).parse(.ofObservers)))
  }

  /// Whether the word `history` is here, and not a request or a controller of this name.
  private var isAtHistory: Bool {
    guard cursor.isAt(word: "history") else { return false }
    let next = cursor.peek()
    return next.endsStatement || next.kind == .punctuator(.rightBrace)
      || cursor.isCursor(next) || ["of", "by"].contains { cursor.isText($0, of: next) }
  }

  private func parseObservedHistory() throws(SyntaxError) -> ObserverSyntax {
    cursor.advance()
    var entities: [Name] = []
    if cursor.take(word: "of") {
      repeat {
        cursor.skipLineEnd()
        cursor.note(.entity)
        entities.append(try cursor.expectEntity())
      } while cursor.take(.comma)
    }
    var authors: [ExpressionSyntax] = []
    if cursor.take(word: "by") {
      repeat {
        cursor.skipLineEnd()
        authors.append(try ExpressionParser(cursor).parse())
      } while cursor.take(.comma)
    }
    return .history(of: entities, by: authors)
  }

  func parseChange() throws(SyntaxError) -> Statement.Kind {
    cursor.advance()
    cursor.skipLineEndsAtPrompt()
    cursor.note(.controller)
    cursor.marks.sources.insert(cursor.token.range.lowerBound)
    return try cursor.withClauses(.all) { () throws(SyntaxError) in
      let name = try cursor.expectName(.name(of: "a controller"))
      cursor.skipLineEndsAtPrompt()
      let clauses = try RequestParser(cursor).parseClauses(of: name)
      guard !clauses.isEmpty else { throw cursor.expected(.clause) }
      return .change(name, clauses)
    }
  }

  func parseDelegate() throws(SyntaxError) -> Statement.Kind {
    cursor.advance()
    cursor.skipLineEndsAtPrompt()
    cursor.note(.controller)
    let controller = try cursor.expectName(.name(of: "a controller"))
    cursor.skipLineEndsAtPrompt()
    if cursor.isAt(.leftBrace) {
      return .ownDelegate(controller, try parseCallbacks(of: controller))
    }
    let modes = Statement.DelegateMode.allCases.map(\.rawValue)
    let word = try cursor.expectName(.oneOf(modes + ["{"]))
    guard let mode = Statement.DelegateMode(rawValue: word.text) else {
      throw .unknown(.delegateMode, word, among: modes)
    }
    return .delegate(controller, mode)
  }

  /// `{ didChangeObject { … } sectionIndexTitle name { … } }`.
  private func parseCallbacks(
    of controller: Name
  ) throws(SyntaxError) -> [CallbackSyntax] {
    try cursor.open(.leftBrace)
    var callbacks: [CallbackSyntax] = []
    while true {
      while cursor.token.kind == .lineEnd || cursor.isAt(.semicolon) { cursor.advance() }
      guard !cursor.isAt(.rightBrace), cursor.token.kind != .end else { break }
      cursor.marks.starts.insert(cursor.token.range.lowerBound)
      let callback = try parseCallback(of: controller)
      guard !callbacks.contains(where: { $0.callback == callback.callback }) else {
        throw SyntaxError(
          .repeatedCallback(callback.callback.rawValue), range: callback.range)
      }
      callbacks.append(callback)
    }
    try cursor.close()
    return callbacks
  }

  private func parseCallback(
    of controller: Name
  ) throws(SyntaxError) -> CallbackSyntax {
    let start = cursor.token.range.lowerBound
    let callback: CallbackSyntax.Callback = try cursor.expectWord(.callback)
    var parameter: Name?
    if callback == .sectionIndexTitle {
      parameter = try cursor.expectName(.name(of: "the section's name"))
    }
    let outer = cursor.locals
    cursor.locals += callback.locals(
      ofController: controller.text, parameter: parameter?.text)
    cursor.givesValue = callback == .sectionIndexTitle
    let body = try BlockParser(cursor).parseBlock()
    cursor.givesValue = false
    cursor.locals = outer
    return CallbackSyntax(
      callback: callback, parameter: parameter, body: body, range: start..<cursor.previousEnd)
  }
}

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

/// Reads statements about table views.
struct TableParser {
  let cursor: TokenCursor

  init(_ cursor: TokenCursor) { self.cursor = cursor }

  /// `table NAME = CONTROLLER [reload | { REACTIONS }]`.
  func parseTable() throws(SyntaxError) -> Statement.Kind {
    cursor.advance()
    let name = try cursor.expectName(.name(of: "the table"))
    cursor.skipLineEndsAtPrompt()
    try cursor.expect(.assign)
    cursor.skipLineEndsAtPrompt()
    cursor.note(.controller)
    let controller = try cursor.expectName(.name(of: "a controller"))
    if cursor.isAt(.leftBrace) {
      return .table(name, of: controller, .reactions(try parseReactions()))
    }
    for word in TableSyntax.words { cursor.note(word: word) }
    guard cursor.token.kind == .word else { return .table(name, of: controller, .template) }
    let word = cursor.takeName()
    guard TableSyntax.words.contains(word.text) else {
      throw .unknown(.tableMode, word, among: TableSyntax.words)
    }
    return .table(name, of: controller, .reload)
  }

  /// Takes the table after `suspend`, `resume` or `reload`.
  func parseTableAfterWord() throws(SyntaxError) -> Name {
    cursor.advance()
    cursor.skipLineEndsAtPrompt()
    cursor.note(.table)
    return try cursor.expectName(.name(of: "a table"))
  }

  /// `trace NAME on`, `trace NAME off`.
  func parseTrace() throws(SyntaxError) -> Statement.Kind {
    .trace(try parseTableAfterWord(), isOn: try cursor.expectSwitch())
  }

  /// `{ insert insertRows; move deleteRows insertRows }`.
  private func parseReactions() throws(SyntaxError) -> [TableReactionSyntax] {
    try cursor.open(.leftBrace)
    var reactions: [TableReactionSyntax] = []
    while true {
      while cursor.token.kind == .lineEnd || cursor.isAt(.semicolon) { cursor.advance() }
      for change in TableReactionSyntax.Change.allCases { cursor.note(word: change.rawValue) }
      guard !cursor.isAt(.rightBrace), cursor.token.kind != .end, !isAtForgottenEnd else { break }
      cursor.marks.starts.insert(cursor.token.range.lowerBound)
      let reaction = try parseReaction()
      guard !reactions.contains(where: { $0.change == reaction.change }) else {
        throw SyntaxError(.repeatedPart(reaction.change.rawValue), range: reaction.range)
      }
      reactions.append(reaction)
    }
    try cursor.close()
    return reactions
  }

  /// Whether a statement begins here, so that the brace was probably forgotten.
  private var isAtForgottenEnd: Bool {
    cursor.beginsStatement(cursor.token)
      && TableReactionSyntax.Change(rawValue: cursor.text(of: cursor.token)) == nil
  }

  private func parseReaction() throws(SyntaxError) -> TableReactionSyntax {
    let start = cursor.token.range.lowerBound
    let change: TableReactionSyntax.Change = try cursor.expectWord(.change)
    var reactions = [try parseReaction(to: change)]
    while cursor.token.kind == .word, reactions != [.nothing] {
      reactions.append(try parseReaction(to: change))
    }
    for reaction in change.reactions { cursor.note(word: reaction.rawValue) }
    guard cursor.token.endsStatement || cursor.isAt(.rightBrace) else { throw cursor.unexpected() }
    return TableReactionSyntax(
      change: change, reactions: reactions, range: start..<cursor.previousEnd)
  }

  private func parseReaction(
    to change: TableReactionSyntax.Change
  ) throws(SyntaxError) -> TableReactionSyntax.Reaction {
    let words = change.reactions.map(\.rawValue)
    let word = try cursor.expectName(.oneOf(words))
    guard let reaction = change.reactions.first(where: { $0.rawValue == word.text }) else {
      if TableReactionSyntax.Reaction(rawValue: word.text) != nil {
        throw SyntaxError(.expected(.oneOf(words), found: .text(word.text)), range: word.range)
      }
      throw .unknown(.reaction, word, among: words)
    }
    return reaction
  }
}
