import Basics

/// Reads statements that define requests and controllers, and other statements about controllers.
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
      throw SyntaxError(
        .unknown(.delegateMode, word.text, suggestion: nearestName(to: word.text, among: modes)),
        range: word.range)
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
    let names = CallbackSyntax.Callback.allCases.map(\.rawValue)
    let word = try cursor.expectName(.oneOf(names))
    guard let callback = CallbackSyntax.Callback(rawValue: word.text) else {
      throw SyntaxError(
        .unknown(.callback, word.text, suggestion: nearestName(to: word.text, among: names)),
        range: word.range)
    }
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
      callback: callback, parameter: parameter, body: body,
      range: word.range.lowerBound..<cursor.previousEnd)
  }
}
