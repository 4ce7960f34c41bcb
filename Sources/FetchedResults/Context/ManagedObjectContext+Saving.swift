extension ManagedObjectContext {
  /// Processes pending changes, validates them, and writes them to the store.
  ///
  /// A child context writes them into its parent, where they are unsaved changes.
  ///
  /// Changes that a delegate makes during the processing are saved, too. Delete rules, derived
  /// attributes and processing are repeated until nothing is left to do. All derived attributes of
  /// one save are computed for the same time.
  ///
  /// If the store has newer values than this context read, the ``mergePolicy`` decides. Its changes
  /// to this context are processed with the next turn. A save into a parent has no such conflicts:
  /// attributes that changed here win.
  ///
  /// ``progress`` can follow and stop a save of many objects. Cancelling the task stops it, too.
  ///
  /// - Throws: ``SaveError``, with every failure. Then the changes stay pending, and the store is
  ///   unchanged.
  public func save() throws(SaveError) {
    if isInWillSave { throw .nested(NestedSaveError()) }
    do {
      try alone {
        try persistentStoreCoordinator.checkReads()
        try SaveOperation(self).run()
      }
    } catch {
      throw SaveError(error, store: persistentStoreCoordinator.store.identifier)
    }
  }

  /// Marks an object as saved.
  func endChanges(of object: ManagedObject) {
    object.isPending = false
    object.committed = nil
    // From now on, references to it lead to nothing.
    if object.isDeleted { noteChange(ofDeleted: object) }
    // A delegate may have deleted it just now, which must still be reported.
    if object.isDeleted && !object.isUnprocessed { forget(object) }
  }

  /// Discards all unsaved changes: inserted objects disappear, changed objects get the values that
  /// were last read, and deleted objects return.
  ///
  /// Controllers report this when changes are next processed. A rollback, and everything before it,
  /// cannot be undone.
  public func rollback() {
    undoManager?.removeAllActions()
    deletions.removeAll()
    postponedDeletions.removeAll()
    for object in pending { replacing.rollBack(object) }
    undoManager?.removeAllActions()
    reconciler.dropAll()
    pending.removeAll(keepingCapacity: true)
  }

  /// Removes every object from the context, changed or not, and empties the undo history.
  ///
  /// Controllers report nothing and have to fetch again. The objects no longer belong to a context.
  public func reset() {
    if !children.isEmpty {
      for object in registry.tables.flatMap(\.stored)
      where object.isPending || stale.contains(object.objectID) {
        StaleObjects(self).tellChildren(of: object)
      }
    }
    for object in registry.tables.flatMap(\.stored) { object.leaveContext() }
    pending.removeAll()
    unprocessed.removeAll()
    changesOfDeleted.removeAll()
    deletions.removeAll()
    postponedDeletions.removeAll()
    for table in registry.tables { table.removeAll() }
    batches.removeAll()
    hasForgottenInDelivery = false
    stale.removeAll()
    valuesBeforeFiring.removeAll()
    queuedSaves = UnmergedSaves()
    unreadMerges = UnmergedSaves()
    inbox?.empty()
    mergedRows.removeAll()
    drafts = DraftCount()
    mergedTransaction =
      (try? persistentStoreCoordinator.history?.lastTransactionNumber()) ?? mergedTransaction
    followsStore = false
    fetchesAgain = false
    undoRecorder.forget()
    undoManager?.removeAllActions()
    for listener in listeners { listener.receiver?.contextDidReset() }
  }
}

extension ManagedObject {
  /// Detaches the object from a context that removes it.
  func leaveContext() {
    managedObjectContext = nil
    baseline = nil
    committed = nil
    isPending = false
    isUnprocessed = false
    isFault = false
    causes = []
    isInOpenBatch = false
  }
}
