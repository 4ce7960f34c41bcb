import FetchedResults
import ScriptSyntax

extension Interpreter {
  /// `entity Book { title: String … }`.
  func define(_ declaration: EntityDeclaration) throws(ScriptError) {
    let name = declaration.name
    if declaration.isAbstract { throw failure(.unavailable("abstract entity"), name.range) }
    if let parent = declaration.parent { throw failure(.unavailable("entity A : B"), parent.range) }
    if let meaning = session.meaning(of: name.text), meaning != .variable {
      throw failure(.alreadyDefined(name.text, as: meaning), name.range)
    }
    var attributes: [AttributeDescription] = []
    for property in declaration.properties {
      if attributes.contains(where: { $0.name == property.name.text }) {
        throw failure(.givenTwice(property.name.text), property.name.range)
      }
      attributes.append(try attribute(property))
    }
    if let display = declaration.display, !attributes.contains(where: { $0.name == display.text }) {
      let near = nearestName(to: display.text, among: attributes.map(\.name))
      throw failure(
        .unknownAttribute(display.text, entity: name.text, suggestion: near), display.range)
    }
    try locating(name.range) {
      try session.coordinator.add(
        EntityDescription(
          name: declaration.name.text, attributes: attributes,
          displayAttribute: declaration.display?.text))
    }
  }

  private func attribute(
    _ property: PropertyDeclaration
  ) throws(ScriptError) -> AttributeDescription {
    if property.isTransient { throw failure(.unavailable("transient"), property.name.range) }
    let isRelationship =
      property.isToMany || property.inverse != nil || property.deleteRule != nil
      || session.coordinator.managedObjectModel[property.type.text] != nil
    if isRelationship { throw failure(.unavailable("relationships"), property.type.range) }
    guard let type = AttributeType(scriptName: property.type.text) else {
      let names = AttributeType.allCases.map(\.scriptName)
      throw failure(
        .unknownType(
          property.type.text, suggestion: nearestName(to: property.type.text, among: names)),
        property.type.range)
    }
    var value = Value.null
    if let expression = property.value {
      value = try scalar(expression, for: type)
      guard type.value(from: value) != nil else {
        throw failure(
          .wrongType(
            attribute: property.name.text, type: type.scriptName, found: value.excerpt),
          expression.range)
      }
    }
    return try locating(property.name.range) {
      try AttributeDescription(
        name: property.name.text, type: type, isOptional: property.isOptional,
        defaultValue: value)
    }
  }

  /// `save`.
  func save(_ range: Range<Int>) throws(ScriptError) {
    let changed = session.context.changedCount
    try locating(range) { try session.context.save() }
    session.tally.saved += changed
  }

  /// `rollback`.
  func rollback() {
    session.tally.rolledBack += session.context.changedCount
    session.context.rollback()
  }

  /// Returns an entity by its name.
  func entity(_ name: Name) throws(ScriptError) -> EntityDescription {
    if let entity = session.coordinator.managedObjectModel[name.text] { return entity }
    let names = session.entities.map(\.name)
    throw failure(
      .unknownEntity(name.text, suggestion: nearestName(to: name.text, among: names)), name.range)
  }

  /// Returns the place of an attribute in its entity.
  func attributeIndex(
    _ name: String, in entity: EntityDescription, _ range: Range<Int>
  ) throws(ScriptError) -> Int {
    if let index = entity.attributeIndex(named: name) { return index }
    let names = entity.attributes.map(\.name)
    throw failure(
      .unknownAttribute(
        name, entity: entity.name, suggestion: nearestName(to: name, among: names)), range)
  }
}

extension ManagedObjectContext {
  /// How many objects a save would write.
  fileprivate var changedCount: Int {
    insertedObjects.count + updatedObjects.count + deletedObjects.count
  }
}

extension AttributeType {
  /// The type of a script's word; `Int` is the 64-bit one.
  package init?(scriptName: String) {
    self.init(rawValue: scriptName == "Int" ? AttributeType.integer64.rawValue : scriptName)
  }

  /// The word for the type in a script.
  package var scriptName: String { self == .integer64 ? "Int" : rawValue }
}
