import FetchedResults

/// What a store has, and whether that may be.
struct SavedRows: Equatable {
  /// Each object with its values, by entity and number.
  let lines: [String]
  /// Two objects that share unique values, in words; nil where there are none.
  let shared: String?

  init(_ coordinator: PersistentStoreCoordinator) {
    let reader = ManagedObjectContext(coordinator: coordinator)
    var lines: [String] = []
    var shared: String?
    var owners: [Constraint: ObjectID] = [:]
    for entity in coordinator.managedObjectModel.entities where entity.parent == nil {
      for object in reader.registeredObjects(of: entity) {
        let id = object.objectID
        let values = object.entity.propertyNames.indices.map { index in
          "\(object.entity.propertyNames[index]): \(object.snapshot[index])"
        }
        lines.append("\(id) \(values.joined(separator: ", "))")
        for key in Constraint.all(of: object) {
          guard let other = owners.updateValue(id, forKey: key), shared == nil else { continue }
          shared = "\(other) and \(id) have the same \(key.names.joined(separator: ", "))"
        }
      }
    }
    self.lines = lines
    self.shared = shared
  }

  /// The lines in which two stores differ, in one text.
  func difference(from other: SavedRows) -> String {
    let (mine, others) = (Set(lines), Set(other.lines))
    return
      "has saved '\(lines.filter { !others.contains($0) }.joined(separator: "; "))' in place of "
      + "'\(other.lines.filter { !mine.contains($0) }.joined(separator: "; "))'"
  }

  /// The values of an object that nobody else may have.
  private struct Constraint: Hashable {
    let entity: EntityDescription
    let names: [String]
    let values: [Value]

    /// Worked out from the entities, without the engine's own keys.
    static func all(of object: ManagedObject) -> [Constraint] {
      var found: [Constraint] = []
      var ancestor: EntityDescription? = object.entity
      while let entity = ancestor {
        let inherited = entity.parent?.uniquenessConstraints.count ?? 0
        for names in entity.uniquenessConstraints.dropFirst(inherited) {
          let values = names.map { (try? object.value(forKey: $0)) ?? .null }
          guard !values.contains(where: \.isNull) else { continue }
          found.append(Constraint(entity: entity, names: names, values: values))
        }
        ancestor = entity.parent
      }
      return found
    }
  }
}
