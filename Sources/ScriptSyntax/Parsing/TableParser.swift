import Basics

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
      throw SyntaxError(
        .unknown(
          .tableMode, word.text, suggestion: nearestName(to: word.text, among: TableSyntax.words)),
        range: word.range)
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
    let changes = TableReactionSyntax.Change.allCases.map(\.rawValue)
    let word = try cursor.expectName(.oneOf(changes))
    guard let change = TableReactionSyntax.Change(rawValue: word.text) else {
      throw SyntaxError(
        .unknown(.change, word.text, suggestion: nearestName(to: word.text, among: changes)),
        range: word.range)
    }
    var reactions = [try parseReaction(to: change)]
    while cursor.token.kind == .word, reactions != [.nothing] {
      reactions.append(try parseReaction(to: change))
    }
    for reaction in change.reactions { cursor.note(word: reaction.rawValue) }
    guard cursor.token.endsStatement || cursor.isAt(.rightBrace) else { throw cursor.unexpected() }
    return TableReactionSyntax(
      change: change, reactions: reactions, range: word.range.lowerBound..<cursor.previousEnd)
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
      throw SyntaxError(
        .unknown(.reaction, word.text, suggestion: nearestName(to: word.text, among: words)),
        range: word.range)
    }
    return reaction
  }
}
