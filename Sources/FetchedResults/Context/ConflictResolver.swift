/// Optimistic locking: a save that meets a newer row than the one read.
struct ConflictResolver {
  let context: ManagedObjectContext

  init(_ context: ManagedObjectContext) { self.context = context }

  /// Resolves every conflict by the merge policy, before anything is written.
  ///
  /// - Returns: Whether there was any.
  /// - Throws: ``MergeConflictError`` under ``MergePolicy/error``.
  func resolve() throws(MergeConflictError) -> Bool {
    let found = conflicts()
    guard !found.isEmpty else { return false }
    guard context.mergePolicy != .error else {
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
    let saved = context.pending.filter { $0.committed != nil || ($0.version < 0 && !$0.isDeleted) }
    context.source.forEachRow(of: saved.map(\.objectID)) { index, row in
      let object = saved[index]
      guard let row else {
        // What could not be read is not gone.
        if context.persistentStoreCoordinator.hasReadFailure { return }
        if object.isDeleted {
          context.endChanges(of: object)
          isGone = true
        } else if object.committed != nil {
          found.append((object, nil))
        }
        return
      }
      if context.parent == nil && row.version != object.version { found.append((object, row)) }
    }
    if isGone { context.dropUnchangedObjects() }
    return found
  }

  private func resolve(_ object: ManagedObject, with row: StoreRow?) {
    guard let row else {
      guard context.mergePolicy.isObjectTrump else {
        return context.replacing.vanish(object, by: .resolved)
      }
      object.committed = nil
      object.renewVersion()
      return
    }
    if object.isDeleted {
      guard context.mergePolicy.isObjectTrump else {
        return context.replacing.replace(object, with: row)
      }
      context.replacing.renewDeletion(of: object, as: row.snapshot)
    } else {
      switch context.mergePolicy {
      case .rollback: return context.replacing.replace(object, with: row)
      case .error, .overwrite: break
      case .mergeByPropertyObjectTrump:
        var merged = row.snapshot
        merged.take(
          from: object.snapshot, whereChangedSince: object.committed ?? merged, of: object.entity)
        context.replacing.replace(object, with: merged)
      case .mergeByPropertyStoreTrump:
        var merged = object.snapshot
        merged.take(
          from: row.snapshot, whereChangedSince: object.committed ?? row.snapshot,
          of: object.entity)
        context.replacing.replace(object, with: merged)
      }
    }
    object.committed = row.snapshot
    object.version = row.version
    context.stale.remove(object.objectID)
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
    where object.snapshot.stored[index] != row.snapshot.stored[index] {
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
