/// Replaces values of objects without an assignment by the user: with a row of the source, with an
/// older state, or with the result of a policy.
struct ObjectReplacing {
  let context: ManagedObjectContext

  init(_ context: ManagedObjectContext) { self.context = context }

  func refreshInPlace(_ object: ManagedObject, mergeChanges: Bool) {
    refreshInPlace(object, to: context.source.row(of: object.objectID), mergeChanges: mergeChanges)
  }

  /// Gives an object the state of its source: a row, or none.
  func refreshInPlace(_ object: ManagedObject, to row: StoreRow?, mergeChanges: Bool) {
    guard object.managedObjectContext === context, !object.isInserted, !object.isNewAndGone,
      !object.isDeleted || object.isPending
    else { return }
    guard let row else {
      // What could not be read is not gone.
      if !context.persistentStoreCoordinator.hasReadFailure { delete(object, by: .refreshed) }
      return
    }
    refresh(object, to: row, mergeChanges: mergeChanges, by: .refreshed)
    if !mergeChanges { makeFault(object) }
  }

  /// Makes an object without unsaved changes a fault.
  func makeFault(_ object: ManagedObject) {
    if !object.isPending, !object.isDeleted { object.isFault = true }
  }

  /// Gives an object the source's values.
  ///
  /// An object marked for deletion stays so. Its deletion then applies to the newest version, and
  /// delete rules apply to its new relationships.
  func refresh(
    _ object: ManagedObject, to row: StoreRow, mergeChanges: Bool, by cause: ChangeCauses
  ) {
    // Until it is saved, a new object may have the same number as another process's object.
    guard !object.isInserted, !object.isNewAndGone else { return }
    context.stale.remove(object.objectID)
    object.version = row.version
    if object.isGone { return revive(object, as: row, by: cause) }
    if object.isDeleted {
      if object.isPending { renewDeletion(of: object, as: row.snapshot) }
      return
    }
    context.willReplace(object, by: cause)
    if mergeChanges, let committed = object.committed {
      var merged = row.snapshot
      merged.take(from: object.snapshot, whereChangedSince: committed, of: object.entity)
      object.snapshot = merged
      object.committed = row.snapshot
    } else {
      object.snapshot = row.snapshot
      object.isPending = false
      object.committed = nil
      if !context.persistentStoreCoordinator.hooks.isEmpty {
        ObjectLifecycle(context).awakeFromFetch(object)
      }
    }
    context.undoRecorder.didReplace(object)
  }

  /// Makes a deletion apply to newer values than before.
  func renewDeletion(of object: ManagedObject, as snapshot: ObjectSnapshot) {
    context.noteChange(ofDeleted: object)
    // What this context changed stays, as references to the object do.
    var merged = snapshot
    if let committed = object.committed {
      merged.take(from: object.snapshot, whereChangedSince: committed, of: object.entity)
    }
    object.snapshot = merged
    object.committed = snapshot
    context.renewDeletion(of: object)
  }

  /// Restores an object whose row was gone and exists again.
  private func revive(_ object: ManagedObject, as row: StoreRow, by cause: ChangeCauses) {
    context.willReplace(object, by: cause)
    object.isDeleted = false
    object.isPending = false
    object.snapshot = row.snapshot
    context.undoRecorder.didReplace(object)
  }

  /// Deletes an object that the source no longer has.
  ///
  /// It counts as deleted until the next save of this context. That save has no row to delete, and
  /// does not validate it.
  func delete(_ object: ManagedObject, by cause: ChangeCauses) {
    guard !object.isGone else { return }
    context.willReplace(object, by: cause)
    object.isDeleted = true
    object.isFault = false
    object.committed = nil
    if !object.isPending {
      object.isPending = true
      context.pending.append(object)
    }
    context.undoRecorder.didReplace(object)
  }

  /// Removes an object from the context at once.
  func vanish(_ object: ManagedObject, by cause: ChangeCauses) {
    context.willReplace(object, by: cause)
    object.isDeleted = true
    if object.version == 0 { context.drafts.noteDeletion() }
    object.isPending = false
    object.committed = nil
    context.undoRecorder.didReplace(object)
  }

  /// Deletes a row of the results that another process deleted from the source, and that never was
  /// an object here.
  func delete(
    _ number: Int64, of entity: EntityDescription, by cause: ChangeCauses
  ) {
    let object = context.makeObject(
      ObjectID(entity: entity, number: number), entity.defaults)
    object.snapshot.removeAttributes(of: entity)
    // The row existed, so it was saved at least once.
    object.version = 1
    context.register(object)
    context.tellReceivers(ofRead: object)
    delete(object, by: cause)
  }

  /// Restores a deleted object.
  func restore(_ object: ManagedObject, to snapshot: ObjectSnapshot, by cause: ChangeCauses) {
    let id = object.objectID
    if context.registered(id.number, in: id.entity.root) == nil { context.register(object) }
    let wasGone = object.isGone
    context.willReplace(object, by: cause)
    object.isDeleted = false
    object.snapshot = snapshot
    guard !object.isPending || wasGone else { return }
    let row = context.source.row(of: id)
    object.committed = row?.snapshot
    if let row { object.version = row.version } else { object.renewVersion() }
    if wasGone { return }
    object.isPending = true
    context.pending.append(object)
  }

  /// Reports the object as inserted in the next batch.
  func announce(_ object: ManagedObject) {
    object.isUnprocessed = true
    context.unprocessed.append(object)
    context.awaitEndOfTurn()
    context.undoRecorder.didReplace(object)
  }

  /// Gives an object the state of the store, without unsaved changes.
  func replace(_ object: ManagedObject, with row: StoreRow) {
    context.willReplace(object, by: .resolved)
    object.isDeleted = false
    object.snapshot = row.snapshot
    object.isPending = false
    object.committed = nil
    object.version = row.version
    context.stale.remove(object.objectID)
    context.undoRecorder.didReplace(object)
  }

  func replace(_ object: ManagedObject, with snapshot: ObjectSnapshot) {
    guard snapshot != object.snapshot else { return }
    context.willReplace(object, by: .resolved)
    object.snapshot = snapshot
    context.undoRecorder.didReplace(object)
  }

  /// Gives an object with unsaved changes the values that were last read.
  func rollBack(_ object: ManagedObject) {
    context.willReplace(object, by: .undone)
    object.isPending = false
    if let committed = object.committed {
      object.snapshot = committed
      object.committed = nil
      object.isDeleted = false
    } else {
      object.isDeleted = true
      context.drafts.noteDeletion()
    }
    context.undoRecorder.didReplace(object)
  }

  /// Makes a change that the user did not make, but that will be saved.
  func edit(_ object: ManagedObject, _ change: (ManagedObject) -> Void) {
    context.willReplace(object, by: .assigned)
    context.willChange(object)
    change(object)
    context.undoRecorder.didReplace(object)
  }
}
