/// Reads entities and models.
struct EntityParser {
  let cursor: TokenCursor

  init(_ cursor: TokenCursor) { self.cursor = cursor }

  /// `[abstract] entity NAME [: PARENT] [was FORMER] { PROPERTIES }`.
  func parseEntity() throws(SyntaxError) -> EntityDeclaration {
    let isAbstract = cursor.take(word: "abstract")
    try cursor.expect(word: "entity")
    let name = try cursor.expectEntity()
    var parent: Name?
    if cursor.take(.colon) {
      cursor.skipLineEndsAtPrompt()
      cursor.note(.entity)
      parent = try cursor.expectEntity()
    }
    let formerName = cursor.take(word: "was") ? try expectFormerName(of: "the entity") : nil
    cursor.skipLineEndsAtPrompt()
    var entity = EntityDeclaration(
      name: name, isAbstract: isAbstract, parent: parent, properties: [], formerName: formerName)
    try cursor.open(.leftBrace)
    try parseProperties(of: &entity)
    try cursor.close()
    return entity
  }

  /// Reads the properties up to the `}`, and reports an error in each separately.
  private func parseProperties(of entity: inout EntityDeclaration) throws(SyntaxError) {
    while true {
      while cursor.token.kind == .lineEnd || cursor.isAt(.semicolon) || cursor.isAt(.comma) {
        cursor.advance()
      }
      if cursor.token.kind == .end || cursor.isAt(.rightBrace) { return }
      if let bracket = cursor.brackets.last, cursor.beginsStatement(cursor.token) {
        throw cursor.unclosed(bracket)
      }
      cursor.marks.starts.insert(cursor.token.range.lowerBound)
      let outer = (cursor.brackets.count, cursor.depth)
      do throws(SyntaxError) {
        try parseProperty(of: &entity)
        guard cursor.token.endsStatement || cursor.isAt(.comma) || cursor.isAt(.rightBrace) else {
          throw cursor.unexpected()
        }
      } catch {
        cursor.record(error)
        ErrorRecovery(cursor).recover(from: error, brackets: outer.0, depth: outer.1)
      }
    }
  }

  private func parseProperty(of entity: inout EntityDeclaration) throws(SyntaxError) {
    let next = cursor.peek()
    if cursor.isAt(word: "display"), next.kind == .word {
      let word = cursor.takeName()
      guard entity.display == nil else {
        throw SyntaxError(.repeatedPart(word.text), range: word.range)
      }
      entity.display = cursor.takeName()
      return
    }
    if cursor.isAt(word: "unique"), next.kind == .word || next.kind == .punctuator(.leftParenthesis)
    {
      entity.uniqueness.append(try parseUniqueness())
      return
    }
    if cursor.isAt(word: "index"), next.kind == .word || next.kind == .quote {
      entity.indexes.append(try parseIndex())
      return
    }
    if cursor.isAt(word: "on"), next.kind == .word {
      return try parseHook(of: &entity)
    }
    if next.kind == .word, let feature = AbsentFeature(word: cursor.text(of: cursor.token)) {
      throw SyntaxError(.absent(feature), range: cursor.token.range)
    }
    let isTransient = cursor.isAt(word: "transient") && next.kind == .word
    let isDerived = cursor.isAt(word: "derived") && next.kind == .word
    if isTransient || isDerived { cursor.advance() }
    var property = try parsePropertyDeclaration(isTransient: isTransient)
    property.isDerived = isDerived
    entity.properties.append(property)
  }

  /// `on willSave { STATEMENTS }`.
  private func parseHook(of entity: inout EntityDeclaration) throws(SyntaxError) {
    let start = cursor.token.range.lowerBound
    cursor.advance()
    let names = HookSyntax.Hook.allCases.map(\.rawValue)
    let word = try cursor.expectName(.oneOf(names))
    guard let hook = HookSyntax.Hook(rawValue: word.text) else {
      throw .unknown(.callback, word, among: names)
    }
    guard !entity.hooks.contains(where: { $0.hook == hook }) else {
      throw SyntaxError(.repeatedCallback(word.text), range: word.range)
    }
    let outer = (cursor.locals, cursor.givesValue)
    cursor.locals += HookSyntax.locals(ofEntity: entity.name.text)
    cursor.givesValue = hook.givesValue
    let body = try BlockParser(cursor).parseBlock()
    (cursor.locals, cursor.givesValue) = outer
    entity.hooks.append(
      HookSyntax(hook: hook, body: body, range: start..<cursor.previousEnd))
  }

  /// `unique NAME`, `unique (NAME, NAME)`.
  private func parseUniqueness() throws(SyntaxError) -> [Name] {
    cursor.advance()
    guard cursor.isAt(.leftParenthesis) else { return [cursor.takeName()] }
    return try cursor.parseList { () throws(SyntaxError) in
      try cursor.expectName(.name(of: "an attribute"))
    }
  }

  /// `index NAME (NAME, NAME desc)`.
  ///
  /// Xcode allows any text as the name, so it may be a string.
  private func parseIndex() throws(SyntaxError) -> IndexDeclaration {
    cursor.advance()
    let name = try expectNameOrString(.name(of: "the index"))
    guard cursor.isAt(.leftParenthesis) else { throw cursor.expected(.oneOf(["("])) }
    let keys = try cursor.parseList { () throws(SyntaxError) in
      let name = try cursor.expectName(.name(of: "an attribute"))
      let isDescending = cursor.isAt(word: "desc")
      if isDescending || cursor.isAt(word: "asc") { cursor.advance() }
      return IndexDeclaration.Key(name: name, isAscending: !isDescending)
    }
    return IndexDeclaration(name: name, keys: keys)
  }

  /// `NAME: TYPE`, then the property's options in any order, each at most once.
  private func parsePropertyDeclaration(
    isTransient: Bool
  ) throws(SyntaxError) -> PropertyDeclaration {
    let name = try cursor.expectName(.name(of: "an attribute"))
    if cursor.isAt(.assign) {
      throw SyntaxError(
        .wrongSeparator(attribute: name.text, found: "=", instead: ": TYPE ="),
        range: cursor.token.range)
    }
    cursor.skipLineEndsAtPrompt()
    try cursor.expect(.colon)
    cursor.skipLineEndsAtPrompt()
    let isToMany = cursor.isAt(.leftBracket)
    if isToMany { try cursor.open(.leftBracket) }
    let type = try expectType(isEntity: isToMany)
    if isToMany { try cursor.close() }
    let isOptional = cursor.take(.question)
    var property = PropertyDeclaration(
      name: name, type: type, isOptional: isOptional, isToMany: isToMany,
      isTransient: isTransient)
    try parsePropertyParts(of: &property)
    return property
  }

  private func parsePropertyParts(
    of property: inout PropertyDeclaration
  ) throws(SyntaxError) {
    while true {
      let start = cursor.token
      switch cursor.token.kind {
      case .punctuator(.assign):
        guard property.value == nil else { throw repeated("=", at: start) }
        cursor.advance()
        property.value = try ExpressionParser(cursor).parseAssigned()
      case .word where cursor.isAt(word: "inverse"):
        guard property.inverse == nil else { throw repeated("inverse", at: start) }
        cursor.advance()
        cursor.skipLineEndsAtPrompt()
        cursor.note(.attribute(of: property.type.text, .key))
        property.inverse = try cursor.expectName(.name(of: "the inverse relationship"))
      case .word where isAtDeleteRule:
        guard property.deleteRule == nil else { throw repeated("on delete", at: start) }
        cursor.advance()
        try cursor.expect(word: "delete")
        property.deleteRule = try cursor.expectWord(of: EntityDeclaration.deleteRules, .deleteRule)
      case .word where cursor.isAt(word: "ordered"):
        guard !property.isOrdered else { throw repeated("ordered", at: start) }
        cursor.advance()
        property.isOrdered = true
      case .word where cursor.isAt(word: "external"):
        guard !property.isExternal else { throw repeated("external", at: start) }
        cursor.advance()
        property.isExternal = true
      case .word where cursor.isAt(word: "indexed"):
        guard !property.isIndexed else { throw repeated("indexed", at: start) }
        cursor.advance()
        property.isIndexed = true
      case .word where cursor.isAt(word: "was"):
        guard property.formerName == nil else { throw repeated("was", at: start) }
        cursor.advance()
        property.formerName = try expectFormerName(of: "the property")
      case .word where cursor.isAt(word: "min"): try parseLimit("min", into: &property.minimum)
      case .word where cursor.isAt(word: "max"): try parseLimit("max", into: &property.maximum)
      case .word where cursor.isAt(word: "matching"):
        try parseLimit("matching", into: &property.pattern)
      case .word, .variable, .number, .malformedNumber, .date, .quote, .punctuator, .unknown,
        .lineEnd, .end:
        return
      }
    }
  }

  /// Takes the name that an entity or a property has in older files.
  ///
  /// A renaming identifier of Xcode may be any text, so a string stands for what is no name.
  private func expectFormerName(of thing: String) throws(SyntaxError) -> Name {
    try expectNameOrString(.name(of: "\(thing) in older files"))
  }

  private func expectNameOrString(
    _ expectation: SyntaxError.Expectation
  ) throws(SyntaxError) -> Name {
    cursor.skipLineEndsAtPrompt()
    guard cursor.token.kind == .quote else { return try cursor.expectName(expectation) }
    let string = try StringParser(cursor).parse()
    guard case .string(let parts) = string.kind, parts.count == 1, case .text(let text) = parts[0]
    else { throw SyntaxError(.expected(expectation, found: .string), range: string.range) }
    return Name(text, range: string.range)
  }

  /// Whether `on delete` begins here.
  private var isAtDeleteRule: Bool {
    cursor.note(word: "on delete")
    return cursor.isText("on", of: cursor.token)
  }

  private func parseLimit(
    _ word: String, into limit: inout ExpressionSyntax?
  ) throws(SyntaxError) {
    guard limit == nil else { throw repeated(word, at: cursor.token) }
    cursor.advance()
    limit = try ExpressionParser(cursor).parse()
  }

  private func repeated(_ word: String, at token: Token) -> SyntaxError {
    SyntaxError(.repeatedPart(word), range: token.range)
  }

  /// Takes the name of a type.
  ///
  /// A lower-case name is a mistyped attribute type, because an entity's name begins with a capital
  /// letter.
  private func expectType(isEntity: Bool) throws(SyntaxError) -> Name {
    cursor.skipLineEndsAtPrompt()
    if !isEntity { cursor.note(.type) }
    cursor.note(.entity)
    let name = try cursor.expectName(.type)
    guard let first = name.text.first, first.isLowercase else { return name }
    if isEntity {
      let suggestion = first.uppercased() + name.text.dropFirst()
      throw SyntaxError(.lowercaseEntity(name.text, suggestion: suggestion), range: name.range)
    }
    let suggestion = EntityDeclaration.attributeType(meantBy: name.text)
    throw SyntaxError(
      .unknown(.attributeType, name.text, suggestion: suggestion), range: name.range)
  }

  /// `model "NAME.xcdatamodeld" [version "NAME"]`.
  func parseModel() throws(SyntaxError) -> Statement.Kind {
    cursor.advance()
    let path = try ExpressionParser(cursor).parse()
    guard cursor.take(word: "version") else { return .model(path, version: nil) }
    return .model(path, version: try ExpressionParser(cursor).parse())
  }
}
