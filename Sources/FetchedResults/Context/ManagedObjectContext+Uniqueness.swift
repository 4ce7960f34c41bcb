/// Uniqueness constraints, looked after when a save reaches the store.
extension ManagedObjectContext {
  /// Settles objects that share values which must be unique, by the merge
  /// policy.
  ///
  /// Where the context's side wins, the object that stands first, in the store
  /// before the context, takes over the other's values and an object that is
  /// new goes; one that is not new goes from the store. Where the store's side
  /// wins, a new object goes and a changed one gets its saved values back. Nil
  /// is never in conflict.
  ///
  /// - Throws: ``MergeConflictError`` under ``MergePolicy/error``.
  /// - Complexity: O(*n*) in the objects of each entity with constraints that
  ///   has unsaved changes.
  func resolveConstraintConflicts() throws {
    guard parent == nil else { return }
    var roots: [EntityDescription] = []
    for object in pending where !object.isDeleted && !object.entity.uniquenessConstraints.isEmpty {
      if !roots.contains(object.entity.root) { roots.append(object.entity.root) }
    }
    guard !roots.isEmpty else { return }
    var conflicts: [MergeConflictError.Conflict] = []
    for root in roots { conflicts += try resolveConstraints(of: root) }
    propagateDeletions()
    guard conflicts.isEmpty else { throw MergeConflictError(conflicts: conflicts) }
    dropSettledObjects()
  }

  /// Returns what is left of the conflicts: all under ``MergePolicy/error``,
  /// else none.
  private func resolveConstraints(
    of root: EntityDescription
  ) throws -> [MergeConflictError.Conflict] {
    var conflicts: [MergeConflictError.Conflict] = []
    var owners = try savedOwners(in: root)
    let changed = pending.filter {
      $0.isPending && !$0.isDeleted && $0.entity.root === root
        && !$0.entity.uniquenessConstraints.isEmpty
    }
    for object in changed {
      for key in UniqueKey.keys(of: object.snapshot, in: object.entity) {
        guard let owner = owners[key], owner != object.objectID.number else {
          owners[key] = object.objectID.number
          continue
        }
        guard mergePolicy != .error else {
          let id = ObjectID(entity: object.entity, number: owner)
          conflicts.append(key.conflict(of: object, with: self.object(with: id)?.objectID ?? id))
          continue
        }
        guard let other = self.object(owner, in: root) else { continue }
        if resolve(object, against: other) { owners[key] = object.objectID.number }
        if object.isDeleted || !object.isPending { break }
      }
    }
    return conflicts
  }

  /// Returns which saved object has which values, without those that the
  /// context changed or deleted.
  private func savedOwners(in root: EntityDescription) throws -> [UniqueKey: Int64] {
    var owners: [UniqueKey: Int64] = [:]
    let numbers = try coordinator.store.fetch(
      StoreRequest(
        entity: root, includesSubentities: true, predicate: nil, order: .byNumber,
        isExcluded: { self.registered($0, in: root)?.isPending == true }))
    for number in numbers {
      guard let row = sourceRow(number, in: root) else { continue }
      for key in UniqueKey.keys(of: row.snapshot, in: row.entity) { owners[key] = number }
    }
    return owners
  }

  /// Settles one conflict, and returns whether the object keeps the values.
  private func resolve(_ object: ManagedObject, against owner: ManagedObject) -> Bool {
    switch (mergePolicy.isObjectTrump, object.committed == nil) {
    case (true, true):
      var values = object.snapshot
      if mergePolicy == .mergeByPropertyObjectTrump {
        for index in values.values.indices where values[index].isNull {
          values[index] = owner.snapshot[index]
        }
      }
      willReplace(owner)
      willChange(owner)
      owner.snapshot = values
      didReplace(owner)
      vanish(object)
      return false
    case (true, false):
      willReplace(owner)
      delete(owner)
      didReplace(owner)
      return true
    case (false, true):
      vanish(object)
      return false
    case (false, false):
      guard let row = sourceRow(object.objectID.number, in: object.entity.root) else {
        return false
      }
      replace(object, with: row)
      return false
    }
  }
}

/// The values of one constraint's attributes.
private struct UniqueKey: Hashable {
  let attributes: [String]
  let values: [Value]

  /// The keys of an object, without those that have a nil.
  static func keys(of snapshot: Snapshot, in entity: EntityDescription) -> [UniqueKey] {
    entity.uniquenessConstraints.compactMap { attributes in
      let values = attributes.compactMap { name in
        entity.attributeIndex(named: name).map { snapshot[$0] }
      }
      guard !values.contains(where: \.isNull) else { return nil }
      return UniqueKey(attributes: attributes, values: values)
    }
  }

  func conflict(of object: ManagedObject, with other: ObjectID) -> MergeConflictError.Conflict {
    MergeConflictError.Conflict(
      objectID: object.objectID, kind: .notUnique(other, attributes: attributes),
      differences: zip(attributes, values).map {
        MergeConflictError.Difference(attribute: $0, objectValue: $1, storeValue: $1)
      })
  }
}
