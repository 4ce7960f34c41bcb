/// Uniqueness constraints, enforced when a save reaches the store.
extension ManagedObjectContext {
  /// Does to objects that share unique values what ``UniquenessRule`` says.
  ///
  /// Relationships follow: what a dropped object was related to is related to the
  /// object that took over its values.
  ///
  /// - Returns: Whether anything changed.
  /// - Throws: ``MergeConflictError`` under ``MergePolicy/error``, or what the
  ///   store throws.
  func resolveConstraintConflicts() throws -> Bool {
    guard parent == nil else { return false }
    freeTakenNumbers()
    let changes = pending.compactMap(\.uniquenessChange)
    guard !changes.isEmpty else { return false }
    var rows: [ObjectID: StoreRow] = [:]
    let outcome = try UniquenessRule.outcome(of: changes, policy: mergePolicy) { key in
      let found = try self.savedRows(under: key)
      for (id, row) in found { rows[id] = row }
      return found.map { ($0.id, $0.row.snapshot) }
    }
    guard outcome.conflicts.isEmpty else { throw MergeConflictError(conflicts: outcome.conflicts) }
    guard !outcome.fates.isEmpty else { return false }
    perform(outcome, over: rows)
    propagateDeletions()
    finishReplacing(.withSource, cascades: false)
    return true
  }

  /// The rows that the store has under the values of a key, without those of
  /// objects that this save changes.
  private func savedRows(under key: UniqueKey) throws -> [(id: ObjectID, row: StoreRow)] {
    let root = key.entity.root
    let numbers = try coordinator.store.rows(of: key.entity, having: key.values, at: key.places)
      .filter { registered($0, in: root)?.isPending != true }
    guard !numbers.isEmpty else { return [] }
    return zip(numbers, try coordinator.store.rows(numbers, in: root)).compactMap { number, row in
      row.map { (ObjectID(entity: $0.entity, number: number), $0) }
    }
  }

  private func perform(_ outcome: UniquenessRule.Outcome, over rows: [ObjectID: StoreRow]) {
    var found: [(object: ManagedObject, fate: UniquenessRule.Outcome.Fate)] = []
    for (id, fate) in outcome.fates {
      guard let object = object(with: id) else { continue }
      // What is written over has to be what the store has now.
      if let row = rows[id], row.version != object.version || stale.contains(id) {
        refresh(object, to: row, mergeChanges: true, by: .resolved)
      }
      found.append((object, fate))
    }
    for (object, fate) in found {
      if case .dropped(let taker?) = fate { relate(object, to: taker) }
    }
    for (object, fate) in found {
      switch fate {
      case .rewritten(let snapshot): edit(object) { $0.snapshot = snapshot }
      case .restored(let snapshot):
        replace(
          object,
          with: StoreRow(entity: object.entity, snapshot: snapshot, version: object.version))
      case .deleted:
        willReplace(object, by: .resolved)
        delete(object)
        didReplace(object)
      case .dropped: vanish(object, by: .resolved)
      }
    }
  }

  /// Lets what leads to an object lead to the one that took over its values,
  /// where that one may stand there: it may be of another sub-entity.
  private func relate(_ object: ManagedObject, to taker: ObjectID) {
    for ordinal in object.entity.relationships.indices {
      guard let inverse = try? object.entity.link(at: ordinal).inverse else { continue }
      for id in object.members(at: ordinal) {
        guard let other = self.object(with: id),
          let back = try? other.entity.link(at: inverse.ordinal),
          back.inverse?.ordinal == ordinal, taker.entity.isKind(of: back.destination)
        else { continue }
        edit(other) { other in
          other.dropMember(object.objectID, from: inverse.ordinal)
          other.join(taker, at: inverse.ordinal)
        }
      }
    }
  }
}

extension ManagedObject {
  /// The object's part in a save, for the rule of uniqueness; nil where it has
  /// none.
  fileprivate var uniquenessChange: UniquenessRule.Change? {
    guard hasChanges, !entity.uniquenessConstraints.isEmpty else { return nil }
    return UniquenessRule.Change(
      id: objectID, saved: committed, snapshot: isDeleted ? nil : snapshot)
  }
}
