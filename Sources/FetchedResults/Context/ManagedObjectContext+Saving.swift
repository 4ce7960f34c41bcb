extension ManagedObjectContext {
  /// Processes pending changes, validates them and writes them to the store,
  /// or into the parent, where they are unsaved changes then.
  ///
  /// What a delegate changes while the changes are processed is saved, too: delete
  /// rules, derived attributes and processing are repeated until nothing is left
  /// to do. All derived attributes of one save are computed at one moment.
  ///
  /// Where the store has newer values than this context read, the
  /// ``mergePolicy`` decides; what it changes here is processed with the next
  /// turn. A save into a parent meets no such conflict: the attributes changed
  /// here win.
  ///
  /// A save of many objects can be followed and stopped by ``progress``, and stops where its task
  /// is cancelled.
  ///
  /// - Throws: ``SaveError``, with every failure; the changes then stay pending and the store is as
  ///   it was.
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

  /// Ends an object's unsaved changes.
  func endChanges(of object: ManagedObject) {
    object.isPending = false
    object.committed = nil
    // What still leads to it leads to nothing from now on.
    if object.isDeleted { noteChange(ofDeleted: object) }
    // One that a delegate deleted just now has still to be reported.
    if object.isDeleted && !object.isUnprocessed { forget(object) }
  }

  /// Forgets every unsaved change: inserted objects vanish, changed ones get
  /// the values back that were last read, deleted ones return.
  ///
  /// Controllers learn about it when the changes are next processed. It cannot be undone, nor what
  /// came before it.
  public func rollback() {
    undoManager?.removeAllActions()
    deletions.removeAll()
    for object in pending { replacing.rollBack(object) }
    undoManager?.removeAllActions()
    reconciler.dropAll()
    pending.removeAll(keepingCapacity: true)
  }

  /// Forgets every object, changed or not, and what could be undone.
  ///
  /// Controllers report nothing and have to fetch again; the objects belong to
  /// no context any more.
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
    for table in registry.tables { table.removeAll() }
    batches.removeAll()
    hasForgottenInDelivery = false
    stale.removeAll()
    valuesBeforeFiring.removeAll()
    queuedSaves.removeAll()
    mergedTransaction =
      (try? persistentStoreCoordinator.history?.lastTransactionNumber()) ?? mergedTransaction
    followsStore = false
    undoRecorder.forget()
    undoManager?.removeAllActions()
    for listener in listeners { listener.receiver?.contextDidReset() }
  }
}

extension ManagedObject {
  /// Ends the object's life in a context that forgets it.
  func leaveContext() {
    managedObjectContext = nil
    baseline = nil
    committed = nil
    isPending = false
    isUnprocessed = false
    isFault = false
    causes = []
    openBatches = 0
  }
}
