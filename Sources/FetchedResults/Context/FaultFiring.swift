/// Reads faults when someone looks at them.
struct FaultFiring {
  let context: ManagedObjectContext

  init(_ context: ManagedObjectContext) { self.context = context }

  /// Gives a fault the values that the source has now.
  ///
  /// The values that were read last serve while the source has no newer ones. A look
  /// never changes what another object is related to.
  func fire(_ fault: ManagedObject) {
    fault.isFault = false
    guard fault.managedObjectContext === context, !fault.isDeleted, !fault.isPending else { return }
    guard context.stale.contains(fault.objectID) else { return }
    context.persistentStoreCoordinator.firedFaults += 1
    guard let row = context.source.row(of: fault.objectID) else {
      // What could not be read is not gone.
      if context.persistentStoreCoordinator.hasReadFailure {
        fault.isFault = true
      } else {
        lose(fault)
      }
      return
    }
    for listener in context.listeners { listener.receiver?.contextWillFire(fault) }
    if !fault.isUnprocessed { context.valuesBeforeFiring[fault.objectID] = fault.snapshot }
    if isInStep(fault, with: row) {
      fault.snapshot = row.snapshot
      fault.version = row.version
      context.stale.remove(fault.objectID)
      if !context.persistentStoreCoordinator.hooks.isEmpty {
        ObjectLifecycle(context).awakeFromFetch(fault)
      }
    } else {
      for index in fault.entity.attributes.indices {
        // The stored value, because data in a file of its own is not needed yet.
        fault.snapshot.stored[index] = row.snapshot.stored[index]
      }
    }
    if fault.isUnprocessed { context.undoRecorder.didReplace(fault) }
  }

  /// Whether the source relates a fault to the same objects as this context does.
  ///
  /// Else its relationships follow with a merge or a refresh, as do those on the other
  /// side, and the fault stays one with older values than the source.
  private func isInStep(_ fault: ManagedObject, with row: StoreRow) -> Bool {
    guard !fault.entity.relationships.isEmpty else { return true }
    let theirs = row.snapshot
    theirs.readRelationships()
    fault.readRelationships()
    return fault.entity.relationships.indices.allSatisfy { ordinal in
      let index = fault.entity.attributes.count + ordinal
      return theirs[index] == fault.snapshot[index]
    }
  }

  /// Lets a fault whose row is gone be a deleted object without values, as Core Data
  /// does since iOS 9.
  ///
  /// Its relationships' other sides follow with the next processing.
  private func lose(_ fault: ManagedObject) {
    context.console?(
      "CoreData: warning: An NSManagedObjectContext delegate overrode fault handling behavior to "
        + "silently delete the object with ID '\(fault.objectID)' and substitute nil/0 for all "
        + "property values instead of throwing.")
    context.replacing.delete(fault, by: .refreshed)
    fault.snapshot.removeAttributes(of: fault.entity)
  }
}

extension ManagedObjectContext {
  /// Gives a fault the values that the source has now.
  func fire(_ fault: ManagedObject) { FaultFiring(self).fire(fault) }
}

extension ObjectSnapshot {
  /// Makes every attribute nil, as those of an object are whose row is gone.
  mutating func removeAttributes(of entity: EntityDescription) {
    for index in entity.attributes.indices { self[index] = .null }
  }
}
