import FetchedResults
import ScriptRuntime
import SeededRandom

/// Writes random turns over the objects that a session has.
struct TurnWriter {
  private let session: Session
  private let context: ManagedObjectContext
  private let entities: [EntityDescription]
  private let places: [GroupPlaces]
  /// What the turn's statements so far delete.
  private var deleted: Set<ObjectID> = []
  /// Whether nobody knows which objects the next statement would find.
  private var isOver = false

  init(_ session: Session) {
    self.session = session
    context = session.context
    entities = session.entities.filter { !$0.isAbstract }
    places = session.controllerNames.compactMap { session.controllers[$0]?.controller }
      .compactMap(GroupPlaces.init)
  }

  /// A turn: a statement, or several in one `perform`.
  mutating func turn(_ random: inout SeededGenerator) -> String {
    switch random.number(0...19) {
    case 0: return random.one(of: ["try save", "rollback", "undo", "redo", "process"]) ?? "process"
    case 1:
      guard let name = random.one(of: session.controllerNames) else { break }
      return "try fetch \(name)"
    case 2:
      guard let places = random.one(of: places) else { break }
      return "perform {\n" + places.shuffle(&random).map { "  \($0)\n" }.joined() + "}"
    case 3:
      guard let name = random.one(of: session.controllerNames) else { break }
      let deaf = session.controllerNames.first { session.controllers[$0]?.recorder == nil }
      return deaf.map { "delegate \($0) changes" } ?? "delegate \(name) none"
    case 4..<10: return statement(&random)
    default: break
    }
    var statements = ""
    for _ in 0..<random.number(1...random.number(1...8)) where !isOver {
      statements += "  " + statement(&random) + "\n"
    }
    return "perform {\n" + statements + "}"
  }

  /// One change, or what processes changes in the midst of a turn.
  private mutating func statement(_ random: inout SeededGenerator) -> String {
    guard let entity = random.one(of: entities) else { return "process" }
    guard let object = random.one(of: live(entity)) else { return insert(entity, &random) }
    switch random.number(0...23) {
    case 0..<4: return insert(entity, &random)
    case 4..<6: return delete(object)
    case 6: return relate(object, &random) ?? "process"
    case 7: return matching(entity, &random)
    case 8: return random.one(of: ["process", "try save", "fetch \(entity.name) limit 0"]) ?? ""
    case 9..<13:
      guard let other = random.one(of: live(object.entity)),
        let attribute = random.one(of: freeAttributes(of: object.entity))
      else { return "process" }
      return "\(object.objectID).\(attribute.name) = \(other.objectID).\(attribute.name)"
    case 13..<15:
      guard let places = random.one(of: places.filter { $0.holds(object) }) else {
        return delete(object)
      }
      return places.move(object, among: live(places.entity), &random)
    default:
      guard let attribute = random.one(of: freeAttributes(of: object.entity)) else {
        return delete(object)
      }
      return "\(object.objectID).\(attribute.name) = \(random.literal(for: attribute))"
    }
  }

  func insert(_ entity: EntityDescription, _ random: inout SeededGenerator) -> String {
    var values: [String: String] = [:]
    for attribute in entity.settableAttributes where !random.chance(5) {
      values[attribute.name] = random.literal(for: attribute)
    }
    for places in places where entity.isKind(of: places.entity) {
      (values[places.group], values[places.place]) = places.values(
        among: live(places.entity), &random)
    }
    let list = values.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
    return "insert \(entity.name)(\(list.joined(separator: ", ")))"
  }

  private mutating func delete(_ object: ManagedObject) -> String {
    deleted.insert(object.objectID)
    // What a delete takes along is known only when it is processed.
    isOver = object.entity.relationships.contains { $0.deleteRule == .cascade }
    return "delete \(object.objectID)"
  }

  /// Changes several objects, or deletes them.
  private mutating func matching(
    _ entity: EntityDescription, _ random: inout SeededGenerator
  ) -> String {
    guard let key = random.one(of: entity.settableAttributes),
      let attribute = random.one(of: freeAttributes(of: entity))
    else { return "process" }
    let object = random.one(of: live(entity)).map { "\($0.objectID).\(key.name)" } ?? "nil"
    guard !random.chance(6) else {
      isOver = true
      return "delete \(entity.name) where \(key.name) == nil"
    }
    return "for o in fetch \(entity.name) { if o.\(key.name) == \(object) "
      + "{ o.\(attribute.name) = \(random.literal(for: attribute)) } }"
  }

  /// Sets a relationship.
  private func relate(_ object: ManagedObject, _ random: inout SeededGenerator) -> String? {
    guard let relationship = random.one(of: object.entity.relationships),
      let destination = object.entity.destination(ofRelationship: relationship.name),
      let other = random.one(of: live(destination))
    else { return nil }
    let target = "\(object.objectID).\(relationship.name)"
    if relationship.isToMany {
      return "\(target) \(random.chance(3) ? "-=" : "+=") \(other.objectID)"
    }
    return "\(target) = " + (random.chance(4) ? "nil" : "\(other.objectID)")
  }

  private func live(_ entity: EntityDescription) -> [ManagedObject] {
    context.registeredObjects(of: entity).filter { !$0.isDeleted && !deleted.contains($0.objectID) }
  }

  /// Attributes that may be changed alone without putting a section out of
  /// order.
  private func freeAttributes(of entity: EntityDescription) -> [AttributeDescription] {
    let bound = places.filter { entity.isKind(of: $0.entity) }.flatMap { [$0.group, $0.place] }
    let free = entity.settableAttributes.filter { !bound.contains($0.name) }
    return free.isEmpty ? entity.settableAttributes : free
  }
}
