import FetchedResults
import ScriptSyntax

extension Interpreter {
  /// `entity Book { title: String … }`.
  func define(_ declaration: EntityDeclaration) throws(ScriptError) {
    if declaration.isAbstract { throw failure(.unavailable("abstract entity"), declaration.name.range) }
    if let parent = declaration.parent { throw failure(.unavailable("entity A : B"), parent.range) }
    if session.requests[declaration.name.text] != nil
      || session.controllers[declaration.name.text] != nil
    {
      throw failure(.engine("'\(declaration.name.text)' is already defined"), declaration.name.range)
    }
    var attributes: [AttributeDescription] = []
    for property in declaration.properties { attributes.append(try attribute(property)) }
    try locating(declaration.name.range) {
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
      let names = AttributeType.allCases.map(\.rawValue) + ["Int"]
      throw failure(
        .unknownType(
          property.type.text, suggestion: nearestName(to: property.type.text, among: names)),
        property.type.range)
    }
    var value = Value.null
    if let expression = property.value { value = try scalar(expression, for: type) }
    return try locating(property.value?.range ?? property.name.range) {
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
}
