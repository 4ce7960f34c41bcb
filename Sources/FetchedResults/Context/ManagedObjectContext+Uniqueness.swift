/// Uniqueness constraints, looked after when a save reaches the store.
extension ManagedObjectContext {
  /// Settles objects that share values which must be unique, by the merge
  /// policy.
  ///
  /// Where the context's side wins, the object that stands first, in the store
  /// before the context, takes over the other's values and an object that is
  /// new goes, its relationships with it; one that is not new goes from the
  /// store. Where the store's side wins, a new object goes and a changed one
  /// gets its saved values back. Nil is never in conflict.
  ///
  /// - Returns: Whether there was a conflict.
  /// - Throws: ``MergeConflictError`` under ``MergePolicy/error``, or what the
  ///   store throws.
  /// - Complexity: O(*k*) in the unsaved objects, once the store has been asked
  ///   of a constraint.
  func resolveConstraintConflicts() throws -> Bool {
    guard parent == nil else { return false }
    let changed = pending.filter {
      $0.isPending && !$0.isDeleted && !$0.entity.uniquenessConstraints.isEmpty
    }
    let savedFirst = changed.filter(\.isUpdated) + changed.filter(\.isInserted)
    var conflicts: [MergeConflictError.Conflict] = []
    var owners: [UniqueKey: ManagedObject] = [:]
    var isChanged = false
    for object in savedFirst where object.isPending && !object.isDeleted {
      for key in UniqueKey.keys(of: object.snapshot, in: object.entity) {
        guard let owner = try owners[key] ?? savedOwner(of: key), owner !== object,
          !owner.isDeleted
        else {
          owners[key] = object
          continue
        }
        if mergePolicy == .error {
          conflicts.append(key.conflict(of: object, with: owner.objectID))
          continue
        }
        isChanged = true
        owners[key] = resolve(object, against: owner) ? object : owner
        if object.isDeleted || !object.isPending { break }
      }
    }
    guard conflicts.isEmpty else { throw MergeConflictError(conflicts: conflicts) }
    if isChanged {
      propagateDeletions()
      finishReplacing(.withSource, cascades: false)
    }
    return isChanged
  }

  /// Returns the saved object that has these values, unless the context changed
  /// it or deleted it.
  private func savedOwner(of key: UniqueKey) throws -> ManagedObject? {
    let root = key.entity.root
    for number in try coordinator.store.rows(
      of: key.entity, having: key.values, at: key.places)
    where registered(number, in: root)?.isPending != true { return object(number, in: root) }
    return nil
  }

  /// Settles one conflict, and returns whether the object keeps the values.
  private func resolve(_ object: ManagedObject, against owner: ManagedObject) -> Bool {
    switch (mergePolicy.isObjectTrump, object.committed == nil) {
    case (true, true):
      move(object, into: owner)
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

  /// Gives an object the values of a new one, which goes; what the new one is
  /// related to is then related to the object.
  private func move(_ object: ManagedObject, into owner: ManagedObject) {
    var values = object.snapshot
    if mergePolicy == .mergeByPropertyObjectTrump {
      for index in values.values.indices
      where values[index].isNull || values[index] == .list([]) {
        values[index] = owner.snapshot[index]
      }
    }
    for (ordinal, id) in object.entity.relationships.indices.flatMap({ ordinal in
      object.members(at: ordinal).map { (ordinal, $0) }
    }) {
      guard let inverse = try? object.entity.link(at: ordinal).inverse,
        let other = self.object(with: id)
      else { continue }
      edit(other) { other in
        other.dropMember(object.objectID, from: inverse.ordinal)
        other.join(owner.objectID, at: inverse.ordinal)
      }
    }
    edit(owner) { $0.snapshot = values }
    vanish(object)
  }
}

/// The values of one constraint's attributes.
private struct UniqueKey: Hashable {
  /// The entity that has the constraint, with all that inherit from it.
  let entity: EntityDescription
  let attributes: [String]
  /// The attributes' places in a ``Snapshot``.
  let places: [Int]
  let values: [Value]

  /// The keys of an object, without those that have a nil.
  static func keys(of snapshot: Snapshot, in entity: EntityDescription) -> [UniqueKey] {
    entity.uniquenessConstraints.enumerated().compactMap { ordinal, attributes in
      let places = attributes.compactMap(entity.attributeIndex(named:))
      let values = places.map { snapshot[$0] }
      guard !values.contains(where: \.isNull) else { return nil }
      var owner = entity
      while let parent = owner.parent, ordinal < parent.uniquenessConstraints.count {
        owner = parent
      }
      return UniqueKey(entity: owner, attributes: attributes, places: places, values: values)
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
