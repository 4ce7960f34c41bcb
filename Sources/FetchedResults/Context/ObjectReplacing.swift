/// Gives objects values that are no assignment of their user: a row of the source,
/// an older state, or what a policy decides.
struct ObjectReplacing {
  let context: ManagedObjectContext

  init(_ context: ManagedObjectContext) { self.context = context }

  func refreshInPlace(_ object: ManagedObject, mergeChanges: Bool) {
    refreshInPlace(object, to: context.source.row(of: object.objectID), mergeChanges: mergeChanges)
  }

  /// Gives an object what the source has of it: a row, or nothing.
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

  /// Lets an object without unsaved changes be read again when someone looks at it.
  func makeFault(_ object: ManagedObject) {
    if !object.isPending, !object.isDeleted { object.isFault = true }
  }

  /// Gives an object the source's values.
  ///
  /// An object marked for deletion here stays so, and its deletion then counts
  /// as one of the newest version, with the delete rules for what it is related
  /// to since.
  func refresh(
    _ object: ManagedObject, to row: StoreRow, mergeChanges: Bool, by cause: ChangeCauses
  ) {
    // A new object may have the number of another process's, until it is saved.
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

  /// Lets a deletion be one of newer values than those that it met.
  func renewDeletion(of object: ManagedObject, as snapshot: ObjectSnapshot) {
    context.noteChange(ofDeleted: object)
    object.snapshot = snapshot
    object.committed = snapshot
    context.renewDeletion(of: object)
  }

  /// Brings back an object whose row was gone, and is there again.
  private func revive(_ object: ManagedObject, as row: StoreRow, by cause: ChangeCauses) {
    context.willReplace(object, by: cause)
    object.isDeleted = false
    object.isPending = false
    object.snapshot = row.snapshot
    context.undoRecorder.didReplace(object)
  }

  /// Deletes an object here that the source no longer has.
  ///
  /// It counts as deleted until the next save of this context, which has nothing to
  /// delete, and is not validated.
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

  /// Takes an object out of the context at once.
  func vanish(_ object: ManagedObject, by cause: ChangeCauses) {
    context.willReplace(object, by: cause)
    object.isDeleted = true
    object.isPending = false
    object.committed = nil
    context.undoRecorder.didReplace(object)
  }

  /// Deletes a row of the results that the source no longer has, and that never was
  /// an object here: another process deleted it.
  func delete(
    _ number: Int64, of entity: EntityDescription, by cause: ChangeCauses
  ) {
    let object = context.makeObject(
      ObjectID(entity: entity, number: number), entity.defaults)
    object.snapshot.removeAttributes(of: entity)
    // The row was saved once.
    object.version = 1
    context.register(object)
    context.tellReceivers(ofRead: object)
    delete(object, by: cause)
  }

  /// Brings a deleted object back.
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

  /// Lets the next batch tell about an object as new.
  func announce(_ object: ManagedObject) {
    object.isUnprocessed = true
    context.unprocessed.append(object)
    context.undoRecorder.didReplace(object)
  }

  /// Makes an object one without unsaved changes, as the store has it.
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

  /// Gives an object with unsaved changes the values back that were read last.
  func rollBack(_ object: ManagedObject) {
    context.willReplace(object, by: .undone)
    object.isPending = false
    if let committed = object.committed {
      object.snapshot = committed
      object.committed = nil
      object.isDeleted = false
    } else {
      object.isDeleted = true
    }
    context.undoRecorder.didReplace(object)
  }

  /// Makes a change that is no user's, but one to be saved.
  func edit(_ object: ManagedObject, _ change: (ManagedObject) -> Void) {
    context.willReplace(object, by: .assigned)
    context.willChange(object)
    change(object)
    context.undoRecorder.didReplace(object)
  }
}
