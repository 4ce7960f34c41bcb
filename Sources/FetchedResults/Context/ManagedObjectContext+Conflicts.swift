/// Optimistic locking: a save that meets a newer row than the one read.
extension ManagedObjectContext {
  /// Resolves every conflict by the merge policy, before anything is written.
  ///
  /// - Returns: Whether there was any.
  /// - Throws: ``MergeConflictError`` under ``MergePolicy/error``.
  func resolveConflicts() throws(MergeConflictError) -> Bool {
    let found = conflicts()
    guard !found.isEmpty else { return false }
    guard mergePolicy != .error else {
      throw MergeConflictError(conflicts: found.map { conflict($0.object, with: $0.row) })
    }
    for (object, row) in found { resolve(object, with: row) }
    return true
  }

  private typealias FoundConflict = (object: ManagedObject, row: StoreRow?)

  /// Returns the objects to save that the source has in another version than
  /// was read; of those that both sides deleted nothing is left to save.
  private func conflicts() -> [FoundConflict] {
    var found: [FoundConflict] = []
    var isGone = false
    // One that was found gone, and is to come back, may have come back already.
    let saved = pending.filter { $0.committed != nil || ($0.version < 0 && !$0.isDeleted) }
    forEachSourceRow(of: saved.map(\.objectID)) { index, row in
      let object = saved[index]
      guard let row else {
        // What could not be read is not gone.
        if coordinator.hasReadFailure { return }
        if object.isDeleted {
          endChanges(of: object)
          isGone = true
        } else if object.committed != nil {
          found.append((object, nil))
        }
        return
      }
      if parent == nil && row.version != object.version { found.append((object, row)) }
    }
    if isGone { dropUnchangedObjects() }
    return found
  }

  private func resolve(_ object: ManagedObject, with row: StoreRow?) {
    guard let row else {
      guard mergePolicy.isObjectTrump else { return vanish(object, by: .resolved) }
      object.committed = nil
      object.renewVersion()
      return
    }
    if object.isDeleted {
      guard mergePolicy.isObjectTrump else { return replace(object, with: row) }
      renewDeletion(of: object, as: row.snapshot)
    } else {
      switch mergePolicy {
      case .rollback: return replace(object, with: row)
      case .error, .overwrite: break
      case .mergeByPropertyObjectTrump:
        var merged = row.snapshot
        merged.take(
          from: object.snapshot, whereChangedSince: object.committed ?? merged, of: object.entity)
        replace(object, with: merged)
      case .mergeByPropertyStoreTrump:
        var merged = object.snapshot
        merged.take(
          from: row.snapshot, whereChangedSince: object.committed ?? row.snapshot,
          of: object.entity)
        replace(object, with: merged)
      }
    }
    object.committed = row.snapshot
    object.version = row.version
    stale.remove(object.objectID)
  }

  private func replace(_ object: ManagedObject, with snapshot: Snapshot) {
    guard snapshot != object.snapshot else { return }
    willReplace(object, by: .resolved)
    object.snapshot = snapshot
    didReplace(object)
  }

  /// Makes an object one without unsaved changes, as the store has it.
  func replace(_ object: ManagedObject, with row: StoreRow) {
    willReplace(object, by: .resolved)
    object.isDeleted = false
    object.snapshot = row.snapshot
    object.isPending = false
    object.committed = nil
    object.version = row.version
    stale.remove(object.objectID)
    didReplace(object)
  }

  private func conflict(
    _ object: ManagedObject, with row: StoreRow?
  ) -> MergeConflictError.Conflict {
    guard let row else {
      return MergeConflictError.Conflict(
        objectID: object.objectID, kind: .deletedInStore, differences: [])
    }
    var differences: [MergeConflictError.Difference] = []
    for (index, name) in object.entity.propertyNames.enumerated()
    where object.snapshot[index] != row.snapshot[index] {
      differences.append(
        MergeConflictError.Difference(
          attribute: name, objectValue: object.snapshot[index],
          storeValue: row.snapshot[index]))
    }
    return MergeConflictError.Conflict(
      objectID: object.objectID, kind: object.isDeleted ? .deletedHere : .changedTwice,
      differences: differences)
  }
}
