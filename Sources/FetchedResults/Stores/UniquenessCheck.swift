/// Says which constraint a batch request would break.
struct UniquenessCheck {
  let store: any PersistentStore

  /// Returns the entity that declares the first constraint that changes would break, or nil.
  ///
  /// Rows are checked in the order of the changes, and constraints in the order of the entity. So
  /// every store names the same entity.
  ///
  /// - Throws: What the store throws.
  func brokenBy(_ changes: [StoreChange]) throws(StoreError) -> EntityDescription? {
    var holders: [UniqueKey: ObjectID] = [:]
    let changed = Set(changes.map(\.objectID))
    for change in changes {
      guard let snapshot = change.snapshot else { continue }
      let id = change.objectID
      for key in UniqueKey.keys(of: snapshot, in: id.entity) {
        if holders.updateValue(id, forKey: key) != nil { return key.entity }
        let root = key.entity.root
        for number in try store.rows(of: key.entity, having: key.values, at: key.places)
        where !changed.contains(ObjectID(entity: root, number: number)) {
          return key.entity
        }
      }
    }
    return nil
  }
}

extension PersistentStore {
  /// The error of a refused batch request.
  ///
  /// It names the entity of the constraint that would break.
  ///
  /// - Parameter entity: The entity to name if another process changed the rows in the meantime, so
  ///   that no constraint would break any more.
  package func sharedUniqueValues(
    of changes: [StoreChange], else entity: EntityDescription
  ) -> StoreError {
    let broken = try? UniquenessCheck(store: self).brokenBy(changes)
    return .sharedUniqueValues(entity: (broken ?? entity).name)
  }
}
