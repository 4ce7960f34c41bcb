import Basics
package import FetchedResults

/// Objects of entities with own and inherited uniqueness constraints.
///
/// They are changed at random in two contexts, and saved with any merge policy.
package struct UniqueWorld {
  package let base: EntityDescription
  package let left: EntityDescription
  package let right: EntityDescription
  package let folded: EntityDescription
  package let coordinator: PersistentStoreCoordinator
  package let contexts: [ManagedObjectContext]
  private var random: SeededGenerator

  package var context: ManagedObjectContext { contexts[0] }

  /// - Parameter makeCoordinator: Creates a coordinator with a store for the model.
  package init(
    seed: UInt64,
    makeCoordinator: (ManagedObjectModel) throws -> PersistentStoreCoordinator = {
      PersistentStoreCoordinator(managedObjectModel: $0)
    }
  ) throws {
    func attribute(_ name: String, _ type: AttributeType = .string) throws -> AttributeDescription {
      try AttributeDescription(name: name, type: type, isOptional: true)
    }
    base = try EntityDescription(
      name: "Base",
      attributes: [attribute("code"), attribute("name"), attribute("place", .integer64)],
      relationships: [
        .toMany("links", "Base", inverse: "links"), .toOne("owner", "Base", inverse: "owned"),
        .toMany("owned", "Base", inverse: "owner", deleteRule: .cascade),
      ], uniquenessConstraints: [["code"]])
    left = try EntityDescription(
      name: "Left", superentity: base, attributes: [attribute("width", .integer64)],
      uniquenessConstraints: [["name", "place"], ["width"]])
    right = try EntityDescription(
      name: "Right", superentity: base,
      attributes: [attribute("height"), attribute("depth", .double)],
      uniquenessConstraints: [["height", "code"], ["place"]])
    folded = try EntityDescription(
      name: "Folded",
      attributes: [
        attribute("text"),
        AttributeDescription(
          name: "key", type: .string, isOptional: true,
          expression: AttributeExpression(derivation: "canonical:(text)")),
      ], uniquenessConstraints: [["key"]])
    coordinator = try makeCoordinator(
      try ManagedObjectModel(entities: [base, left, right, folded]))
    contexts = [
      ManagedObjectContext(coordinator: coordinator),
      ManagedObjectContext(coordinator: coordinator),
    ]
    random = SeededGenerator(seed: seed)
  }

  private var entities: [EntityDescription] { [base, left, right, folded] }

  package typealias SavedRow = (id: ObjectID, snapshot: ObjectSnapshot)

  /// Returns the saved values, by entity and number.
  ///
  /// - Parameter coordinator: The coordinator to read with; nil for the world's own.
  package func savedRows(readBy coordinator: PersistentStoreCoordinator? = nil) -> [SavedRow] {
    let reader = ManagedObjectContext(coordinator: coordinator ?? self.coordinator)
    return [base, folded].flatMap { entity in
      reader.registeredObjects(of: entity).map { ($0.objectID, $0.snapshot) }
    }
  }

  /// Returns the saved rows as text, or those that were read before.
  package func lines(of rows: [SavedRow]? = nil) -> [String] {
    (rows ?? savedRows()).map { id, snapshot in
      "\(id) " + id.entity.propertyNames.indices.map { "\(snapshot[$0])" }.joined(separator: " ")
    }
  }

  /// Returns which saved objects have equal unique values, among all rows or those that were read
  /// before; nil if there are none.
  package func shared(in rows: [SavedRow]? = nil) -> String? {
    var owners: [String: ObjectID] = [:]
    for (id, snapshot) in rows ?? savedRows() {
      var entity: EntityDescription? = id.entity
      while let owner = entity {
        let inherited = owner.superentity?.uniquenessConstraints.count ?? 0
        for names in owner.uniquenessConstraints.dropFirst(inherited) {
          let values = names.compactMap { owner.attributeIndex(named: $0) }.map { snapshot[$0] }
          if values.contains(where: \.isNull) { continue }
          let key = "\(owner.name) \(names) \(values.map(\.quotedDescription))"
          if let other = owners.updateValue(id, forKey: key) { return "\(id) and \(other): \(key)" }
        }
        entity = owner.superentity
      }
    }
    return nil
  }

  // MARK: Random turns

  /// Changes a few objects, or saves.
  ///
  /// - Returns: What is wrong afterwards, or nil.
  package mutating func turn() throws -> String? {
    let context = contexts[random.number(0...1)]
    for _ in 0..<random.number(0...4) { edit(makeEdit(in: context), in: context) }
    guard random.chance(2) else { return nil }
    context.mergePolicy = random.one(of: MergePolicy.allCases) ?? .error
    do {
      try context.save()
    } catch {
      guard case .conflict = error else { throw error }
      if random.chance(2) { context.rollback() }
    }
    return shared()
  }

  /// Changes an object of a context, or inserts one.
  ///
  /// - Returns: A description of the change.
  package mutating func change(_ context: ManagedObjectContext) -> String {
    let edit = makeEdit(in: context)
    self.edit(edit, in: context)
    return "\(edit)"
  }

  /// Makes the same changes in one order or the reverse, saves, and returns the contents of the
  /// store or the error.
  package mutating func editInOrder(isReversed: Bool) throws -> [String] {
    for _ in 0..<8 { edit(makeEdit(in: context), in: context) }
    context.mergePolicy = .mergeByPropertyObjectTrump
    try context.save()
    context.mergePolicy = random.one(of: MergePolicy.allCases) ?? .error
    for _ in 0..<random.number(0...3) {
      context.insert(random.one(of: entities) ?? base)
    }
    let objects = context.registeredObjects(of: base) + context.registeredObjects(of: folded)
    // Each attribute changes only once, so that the order of its changes does not matter.
    let edits = objects.filter { _ in random.chance(2) }.map { object in
      Edit(
        id: object.objectID,
        values: object.entity.settable.filter { _ in random.chance(2) }
          .map { ($0.name, value(of: $0)) })
    }
    for change in isReversed ? edits.reversed() : edits { edit(change, in: context) }
    do {
      try context.save()
    } catch {
      return ["\(error)"]
    }
    if let shared = shared() { return [shared, "\(isReversed)"] }
    return lines()
  }

  private struct Edit: CustomStringConvertible {
    var id: ObjectID?
    var entity: EntityDescription?
    var values: [(key: String, value: PropertyValue)] = []
    var isDeletion = false
    var link: (key: String, other: ObjectID)?

    var description: String {
      let link = link.map { " \($0.key) to \($0.other)" } ?? ""
      let values = values.map { " \($0.key) = \($0.value.quotedDescription)" }.joined()
      guard let id else { return entity.map { "inserts \($0.name)" + values } ?? "does nothing" }
      return (isDeletion ? "deletes \(id)" : "changes \(id)") + values + link
    }
  }

  private mutating func makeEdit(in context: ManagedObjectContext) -> Edit {
    // An object can be inserted without reading others first.
    if random.chance(3) { return makeInsertion() }
    let live = (context.registeredObjects(of: base) + context.registeredObjects(of: folded))
      .filter { !$0.isDeleted }
    guard let object = random.one(of: live) else { return makeInsertion() }
    if random.chance(8) { return Edit(id: object.objectID, isDeletion: true) }
    let bases = live.filter { $0.entity.isKindOf(entity: base) }
    if random.chance(4), object.entity.isKindOf(entity: base), let other = random.one(of: bases),
      let key = random.one(of: ["links", "owner"])
    {
      return Edit(id: object.objectID, link: (key, other.objectID))
    }
    guard let attribute = random.one(of: object.entity.settable) else { return Edit() }
    return Edit(id: object.objectID, values: [(attribute.name, value(of: attribute))])
  }

  private mutating func makeInsertion() -> Edit {
    let entity = random.one(of: entities) ?? base
    var values: [(key: String, value: PropertyValue)] = []
    for attribute in entity.settable where !random.chance(3) {
      values.append((attribute.name, value(of: attribute)))
    }
    return Edit(entity: entity, values: values)
  }

  private func edit(_ edit: Edit, in context: ManagedObjectContext) {
    let object =
      edit.entity.map { context.insert($0) } ?? edit.id.flatMap(context.findObject(with:))
    guard let object, !object.isDeleted else { return }
    if edit.isDeletion { return context.delete(object) }
    for (key, value) in edit.values { object[key] = value }
    if let (key, other) = edit.link {
      object[key] = key == "links" ? .list([.object(other)]) : .object(other)
    }
  }

  private mutating func value(of attribute: AttributeDescription) -> PropertyValue {
    if random.chance(5) { return .null }
    let number = random.number(1...4)
    switch attribute.type {
    case .integer64: return .int(Int64(number))
    case .double: return .double(Double(number))
    default: return .string(["a", "b", "A", "á"][number - 1])
    }
  }
}

extension EntityDescription {
  fileprivate var settable: [AttributeDescription] { attributes.filter { $0.derivation == nil } }
}
