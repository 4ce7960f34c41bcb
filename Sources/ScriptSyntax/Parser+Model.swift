extension Parser {
  /// `[abstract] entity NAME [: PARENT] { PROPERTIES }`.
  mutating func parseEntity() throws(SyntaxError) -> EntityDeclaration {
    let isAbstract = take(word: "abstract")
    try expect(word: "entity")
    let name = try expectEntity()
    var parent: Name?
    if take(.colon) {
      skipLineEndsAtPrompt()
      note(.entity)
      parent = try expectEntity()
    }
    skipLineEndsAtPrompt()
    var entity = EntityDeclaration(
      name: name, isAbstract: isAbstract, parent: parent, properties: [], display: nil)
    try open(.leftBrace)
    try parseProperties(of: &entity)
    try close()
    return entity
  }

  /// Reads the properties up to the `}`, each fault on its own.
  private mutating func parseProperties(of entity: inout EntityDeclaration) throws(SyntaxError) {
    while true {
      while token.kind == .lineEnd || isAt(.semicolon) || isAt(.comma) { advance() }
      if token.kind == .end || isAt(.rightBrace) { return }
      if let bracket = brackets.last, beginsStatement(token) { throw unclosed(bracket) }
      marks.starts.insert(token.range.lowerBound)
      let outer = (brackets.count, depth)
      do throws(SyntaxError) {
        try parseProperty(of: &entity)
        guard token.endsStatement || isAt(.comma) || isAt(.rightBrace) else { throw unexpected() }
      } catch {
        record(error)
        recover(from: error, brackets: outer.0, depth: outer.1)
      }
    }
  }

  private mutating func parseProperty(of entity: inout EntityDeclaration) throws(SyntaxError) {
    let next = peek()
    if isAt(word: "display"), next.kind == .word {
      let word = takeName()
      guard entity.display == nil else {
        throw SyntaxError(.repeatedPart(word.text), range: word.range)
      }
      entity.display = takeName()
      return
    }
    if isAt(word: "unique"), next.kind == .word || next.kind == .punctuator(.leftParenthesis) {
      entity.uniqueness.append(try parseUniqueness())
      return
    }
    let isTransient = isAt(word: "transient") && next.kind == .word
    let isDerived = isAt(word: "derived") && next.kind == .word
    if isTransient || isDerived { advance() }
    var property = try parsePropertyDeclaration(isTransient: isTransient)
    property.isDerived = isDerived
    entity.properties.append(property)
  }

  /// `unique NAME`, `unique (NAME, NAME)`.
  private mutating func parseUniqueness() throws(SyntaxError) -> [Name] {
    advance()
    guard isAt(.leftParenthesis) else { return [takeName()] }
    return try parseList { parser throws(SyntaxError) in
      try parser.expectName(.name(of: "an attribute"))
    }
  }

  /// `NAME: TYPE` and its parts in any order, each at most once.
  private mutating func parsePropertyDeclaration(
    isTransient: Bool
  ) throws(SyntaxError) -> PropertyDeclaration {
    let name = try expectName(.name(of: "an attribute"))
    if isAt(.assign) {
      throw SyntaxError(
        .wrongSeparator(attribute: name.text, found: "=", instead: ": TYPE ="), range: token.range)
    }
    skipLineEndsAtPrompt()
    try expect(.colon)
    skipLineEndsAtPrompt()
    let isToMany = isAt(.leftBracket)
    if isToMany { try open(.leftBracket) }
    let type = try expectType(isEntity: isToMany)
    if isToMany { try close() }
    let isOptional = take(.question)
    var property = PropertyDeclaration(
      name: name, type: type, isOptional: isOptional, isToMany: isToMany,
      isTransient: isTransient, value: nil, inverse: nil, deleteRule: nil)
    try parsePropertyParts(of: &property)
    return property
  }

  private mutating func parsePropertyParts(
    of property: inout PropertyDeclaration
  ) throws(SyntaxError) {
    while true {
      let start = token
      switch token.kind {
      case .punctuator(.assign):
        guard property.value == nil else { throw repeated("=", at: start) }
        advance()
        property.value = try parseAssigned()
      case .word where isAt(word: "inverse"):
        guard property.inverse == nil else { throw repeated("inverse", at: start) }
        advance()
        skipLineEndsAtPrompt()
        note(.attribute(of: property.type.text, .key))
        property.inverse = try expectName(.name(of: "the inverse relationship"))
      case .word where isAtDeleteRule:
        guard property.deleteRule == nil else { throw repeated("on delete", at: start) }
        advance()
        try expect(word: "delete")
        property.deleteRule = try expectDeleteRule()
      case .word where isAt(word: "ordered"):
        guard !property.isOrdered else { throw repeated("ordered", at: start) }
        advance()
        property.isOrdered = true
      case .word where isAt(word: "external"):
        guard !property.isExternal else { throw repeated("external", at: start) }
        advance()
        property.isExternal = true
      case .word where isAt(word: "min"): try parseLimit("min", into: &property.minimum)
      case .word where isAt(word: "max"): try parseLimit("max", into: &property.maximum)
      case .word where isAt(word: "matching"):
        try parseLimit("matching", into: &property.pattern)
      case .word, .variable, .number, .malformedNumber, .date, .quote, .punctuator, .unknown,
        .lineEnd, .end:
        return
      }
    }
  }

  /// Whether `on delete` begins here.
  private var isAtDeleteRule: Bool {
    note(word: "on delete")
    return isText("on", of: token)
  }

  private mutating func parseLimit(
    _ word: String, into limit: inout ExpressionSyntax?
  ) throws(SyntaxError) {
    guard limit == nil else { throw repeated(word, at: token) }
    advance()
    limit = try parseExpression()
  }

  private func repeated(_ word: String, at token: Token) -> SyntaxError {
    SyntaxError(.repeatedPart(word), range: token.range)
  }

  /// Takes the name of a type.
  ///
  /// One in lower case is a slip, for an entity is not written so.
  private mutating func expectType(isEntity: Bool) throws(SyntaxError) -> Name {
    skipLineEndsAtPrompt()
    if !isEntity { note(.type) }
    note(.entity)
    let name = try expectName(.type)
    guard let first = name.text.first, first.isLowercase else { return name }
    if isEntity {
      let suggestion = first.uppercased() + name.text.dropFirst()
      throw SyntaxError(.lowercaseEntity(name.text, suggestion: suggestion), range: name.range)
    }
    let suggestion = EntityDeclaration.attributeType(meantBy: name.text)
    throw SyntaxError(
      .unknown(.attributeType, name.text, suggestion: suggestion), range: name.range)
  }

  private mutating func expectDeleteRule() throws(SyntaxError) -> Name {
    let rules = EntityDeclaration.deleteRules
    let name = try expectName(.oneOf(rules))
    guard rules.contains(name.text) else {
      throw SyntaxError(
        .unknown(.deleteRule, name.text, suggestion: nearestName(to: name.text, among: rules)),
        range: name.range)
    }
    return name
  }
}

extension EntityDeclaration {
  /// The names of the attribute types.
  package static let attributeTypes = [
    "Bool", "Data", "Date", "Decimal", "Double", "Float", "Int", "Int16", "Int32", "Int64",
    "String", "URI", "UUID",
  ]

  /// The attribute type that a name probably stands for: what Xcode, Swift or
  /// SQL call by it, or the nearest one.
  package static func attributeType(meantBy name: String) -> String? {
    ForeignWord.attributeType(for: name) ?? nearestName(to: name, among: attributeTypes)
  }

  /// The words behind `on delete`.
  package static let deleteRules = ["cascade", "deny", "noAction", "nullify"]
}

extension Parser {
  /// `model "NAME.xcdatamodeld" [version "NAME"]`.
  mutating func parseModel() throws(SyntaxError) -> Statement.Kind {
    advance()
    let path = try parseExpression()
    guard take(word: "version") else { return .model(path, version: nil) }
    return .model(path, version: try parseExpression())
  }
}
