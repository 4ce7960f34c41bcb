import FetchedResults
import ScriptSyntax

extension Interpreter {
  /// Returns an entity by its name.
  func entity(_ name: Name) throws(ScriptError) -> EntityDescription {
    if let entity = session.coordinator.managedObjectModel[name.text] { return entity }
    let names = session.entities.map(\.name)
    throw failure(
      .unknownEntity(name.text, suggestion: nearestName(to: name.text, among: names)), name.range)
  }

  /// Returns the place of an attribute or a relationship in its entity.
  @discardableResult
  func propertyIndex(
    _ name: String, in entity: EntityDescription, _ range: Range<Int>
  ) throws(ScriptError) -> Int {
    if let index = entity.propertyIndex(named: name) { return index }
    throw failure(
      .unknownAttribute(
        name, entity: entity.name,
        suggestion: nearestName(to: name, among: entity.propertyNames)), range)
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

extension AttributeType {
  /// The type of a script's word; `Int` is the 64-bit one.
  package init?(scriptName: String) {
    self.init(rawValue: scriptName == "Int" ? AttributeType.integer64.rawValue : scriptName)
  }

  /// The word for the type in a script.
  package var scriptName: String { self == .integer64 ? "Int" : rawValue }
}
