/// Enforces uniqueness constraints when a save reaches the store.
struct UniquenessResolver {
  let context: ManagedObjectContext

  init(_ context: ManagedObjectContext) { self.context = context }

  /// Applies ``UniquenessRule`` to objects that share unique values.
  ///
  /// Relationships follow: objects related to a dropped object become related to the object that
  /// took over its values.
  ///
  /// - Returns: Whether anything changed.
  /// - Throws: ``MergeConflictError`` under ``MergePolicy/error``, or what the
  ///   store throws.
  func resolve() throws -> Bool {
    guard context.parent == nil else { return false }
    Renumbering(context).freeTakenNumbers()
    let changes = context.pending.compactMap(\.uniquenessChange)
    guard !changes.isEmpty else { return false }
    var rows: [ObjectID: StoreRow] = [:]
    let outcome = try UniquenessRule.outcome(of: changes, policy: context.mergePolicy) { key in
      let found = try savedRows(under: key)
      for (id, row) in found { rows[id] = row }
      return found.map { ($0.id, $0.row.snapshot) }
    }
    guard outcome.conflicts.isEmpty else { throw MergeConflictError(conflicts: outcome.conflicts) }
    guard !outcome.fates.isEmpty else { return false }
    perform(outcome, over: rows)
    context.propagateDeletions()
    context.reconciler.finish(.withSource, cascades: false)
    return true
  }

  /// The rows in the store with the values of a key, without objects that this save changes.
  private func savedRows(under key: UniqueKey) throws -> [(id: ObjectID, row: StoreRow)] {
    let root = key.entity.root
    let numbers = try context.persistentStoreCoordinator.store.rows(
      of: key.entity, having: key.values, at: key.places
    )
    .filter { context.registered($0, in: root)?.isPending != true }
    guard !numbers.isEmpty else { return [] }
    return zip(numbers, try context.persistentStoreCoordinator.store.rows(numbers, in: root))
      .compactMap {
        number, row in
        row.map { (ObjectID(entity: $0.entity, number: number), $0) }
      }
  }

  private func perform(_ outcome: UniquenessRule.Outcome, over rows: [ObjectID: StoreRow]) {
    var found: [(object: ManagedObject, fate: UniquenessRule.Outcome.Fate)] = []
    for (id, fate) in outcome.fates {
      guard let object = context.findObject(with: id) else { continue }
      // The save must overwrite the row that the store has now.
      if let row = rows[id], row.version != object.version || context.stale.contains(id) {
        context.replacing.refresh(object, to: row, mergeChanges: true, by: .resolved)
      }
      found.append((object, fate))
    }
    for (object, fate) in found {
      if case .dropped(let taker?) = fate { relate(object, to: taker) }
    }
    for (object, fate) in found {
      switch fate {
      case .rewritten(let snapshot): context.replacing.edit(object) { $0.snapshot = snapshot }
      case .restored(let snapshot):
        context.replacing.replace(
          object,
          with: StoreRow(entity: object.entity, snapshot: snapshot, version: object.version))
      case .deleted:
        context.willReplace(object, by: .resolved)
        context.delete(object)
        context.undoRecorder.didReplace(object)
      case .dropped: context.replacing.vanish(object, by: .resolved)
      }
    }
  }

  /// Makes references to an object lead to the one that took over its values, if it is allowed
  /// there.
  ///
  /// It may be of another sub-entity.
  private func relate(_ object: ManagedObject, to taker: ObjectID) {
    for ordinal in object.entity.relationships.indices {
      guard let inverse = try? object.entity.link(at: ordinal).inverse else { continue }
      for id in object.members(at: ordinal) {
        guard let other = context.findObject(with: id),
          let back = try? other.entity.link(at: inverse.ordinal),
          back.inverse?.ordinal == ordinal, taker.entity.isKindOf(entity: back.destination)
        else { continue }
        context.replacing.edit(other) { other in
          other.dropMember(object.objectID, from: inverse.ordinal)
          other.join(taker, at: inverse.ordinal)
        }
      }
    }
  }
}

extension ManagedObject {
  /// The object's part in a save, as an input of the uniqueness rule; nil if it has none.
  fileprivate var uniquenessChange: UniquenessRule.Change? {
    guard hasChanges, !entity.uniquenessConstraints.isEmpty else { return nil }
    return UniquenessRule.Change(
      id: objectID, saved: committed, snapshot: isDeleted ? nil : snapshot)
  }
}
