extension Parser {
  /// `table NAME = CONTROLLER [reload | { REACTIONS }]`.
  mutating func parseTable() throws(SyntaxError) -> Statement.Kind {
    advance()
    let name = try expectName(.name(of: "the table"))
    skipLineEndsAtPrompt()
    try expect(.assign)
    skipLineEndsAtPrompt()
    note(.controller)
    let controller = try expectName(.name(of: "a controller"))
    if isAt(.leftBrace) { return .table(name, of: controller, .reactions(try parseReactions())) }
    for word in TableSyntax.words { note(word: word) }
    guard token.kind == .word else { return .table(name, of: controller, .template) }
    let word = takeName()
    guard TableSyntax.words.contains(word.text) else {
      throw SyntaxError(
        .unknown(
          .tableMode, word.text, suggestion: nearestName(to: word.text, among: TableSyntax.words)),
        range: word.range)
    }
    return .table(name, of: controller, .reload)
  }

  /// The table behind `suspend`, `resume` or `reload`.
  mutating func parseTableBehindWord() throws(SyntaxError) -> Name {
    advance()
    skipLineEndsAtPrompt()
    note(.table)
    return try expectName(.name(of: "a table"))
  }

  /// `trace NAME on`, `trace NAME off`.
  mutating func parseTrace() throws(SyntaxError) -> Statement.Kind {
    .trace(try parseTableBehindWord(), isOn: try expectSwitch())
  }

  /// `{ insert insertRows; move deleteRows insertRows }`.
  private mutating func parseReactions() throws(SyntaxError) -> [TableReactionSyntax] {
    try open(.leftBrace)
    var reactions: [TableReactionSyntax] = []
    while true {
      while token.kind == .lineEnd || isAt(.semicolon) { advance() }
      for change in TableReactionSyntax.Change.allCases { note(word: change.rawValue) }
      guard !isAt(.rightBrace), token.kind != .end, !isAtForgottenEnd else { break }
      marks.starts.insert(token.range.lowerBound)
      let reaction = try parseReaction()
      guard !reactions.contains(where: { $0.change == reaction.change }) else {
        throw SyntaxError(.repeatedPart(reaction.change.rawValue), range: reaction.range)
      }
      reactions.append(reaction)
    }
    try close()
    return reactions
  }

  /// Whether a statement begins here, so that the brace was probably forgotten.
  private var isAtForgottenEnd: Bool {
    beginsStatement(token) && TableReactionSyntax.Change(rawValue: text(of: token)) == nil
  }

  private mutating func parseReaction() throws(SyntaxError) -> TableReactionSyntax {
    let changes = TableReactionSyntax.Change.allCases.map(\.rawValue)
    let word = try expectName(.oneOf(changes))
    guard let change = TableReactionSyntax.Change(rawValue: word.text) else {
      throw SyntaxError(
        .unknown(.change, word.text, suggestion: nearestName(to: word.text, among: changes)),
        range: word.range)
    }
    var reactions = [try parseReaction(to: change)]
    while token.kind == .word, reactions != [.nothing] {
      reactions.append(try parseReaction(to: change))
    }
    for reaction in change.reactions { note(word: reaction.rawValue) }
    guard token.endsStatement || isAt(.rightBrace) else { throw unexpected() }
    return TableReactionSyntax(
      change: change, reactions: reactions, range: word.range.lowerBound..<previousEnd)
  }

  private mutating func parseReaction(
    to change: TableReactionSyntax.Change
  ) throws(SyntaxError) -> TableReactionSyntax.Reaction {
    let words = change.reactions.map(\.rawValue)
    let word = try expectName(.oneOf(words))
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
