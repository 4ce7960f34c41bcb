/// Takes over what other contexts and other processes saved.
struct ChangeMerger {
  let context: ManagedObjectContext

  init(_ context: ManagedObjectContext) { self.context = context }

  /// Takes over a save.
  func merge(_ save: ContextSave) {
    let source = context.parent.map { ObjectIdentifier($0) }
    guard save.target == source || save.saver == source else { return }
    merge(
      inserted: save.insertedObjectIDs, changed: save.updatedObjectIDs + save.deletedObjectIDs)
  }

  /// Takes over what others saved since the last merge.
  func merge(_ part: UnmergedSaves.Part) throws(StoreError) {
    switch part {
    case .objects(let objects): merge(objects)
    case .everything: try mergeFromStore(isChanged: true)
    }
  }

  /// Takes over objects that came into the source, and those that changed or went.
  func merge(inserted: [ObjectID], changed: [ObjectID]) {
    merge(inserted.map { ($0, true) } + changed.map { ($0, false) })
  }

  private func merge(_ objects: [(id: ObjectID, isInserted: Bool)]) {
    guard !objects.isEmpty else { return }
    Renumbering(context).freeTakenNumbers()
    let known = objects.compactMap { object in
      knownID(object.id).map { (id: $0, isInserted: object.isInserted) }
    }
    context.source.forEachRow(of: known.map(\.id)) { index, row in
      if known[index].isInserted {
        mergeInsertion(of: known[index].id, as: row)
      } else {
        mergeUpdate(of: known[index].id, to: row)
      }
    }
    context.reconciler.finish()
  }

  /// Takes over what others saved into the store's file.
  ///
  /// - Parameter isChanged: Whether it is known that there is something.
  func mergeFromStore(isChanged: Bool = false) throws(StoreError) {
    try context.persistentStoreCoordinator.checkReads()
    try context.persistentStoreCoordinator.store.readingOneStoreState { () throws(StoreError) in
      let generation = context.persistentStoreCoordinator.store.generation
      guard
        isChanged || generation != context.mergedGeneration || !context.stale.isEmpty
          || context.parent != nil
      else { return }
      context.mergedGeneration = generation
      Renumbering(context).freeTakenNumbers()
      for table in context.registry.tables {
        let objects = Array(table.stored)
        context.source.forEachRow(of: objects.map(\.objectID)) { index, row in
          let object = objects[index]
          guard row?.version != object.version || context.stale.contains(object.objectID) else {
            return
          }
          context.replacing.refreshInPlace(object, to: row, mergeChanges: true)
        }
      }
      context.followStore()
      if let history = context.persistentStoreCoordinator.history {
        context.mergedTransaction = try history.lastTransactionNumber()
      }
    }
    context.reconciler.finish()
    try context.persistentStoreCoordinator.checkReads()
  }

  /// Takes over what the store's history has since it was last asked.
  ///
  /// The rows are read in the state of the file in which the history is: later saves are the
  /// next merge's.
  ///
  /// - Returns: The transactions that were merged.
  @discardableResult
  func mergeHistory(
    where isMerged: (PersistentHistoryTransaction) -> Bool
  ) throws(StoreError) -> [PersistentHistoryTransaction] {
    try context.persistentStoreCoordinator.checkReads()
    let history = try context.persistentStoreCoordinator.requiredHistory()
    let merged = try history.readingOneStoreState { () throws(StoreError) in
      let transactions = try history.transactions(after: context.mergedTransaction, author: nil)
      let merged = transactions.filter(isMerged)
      if !merged.isEmpty { merge(ContextSave(merged.lazy.flatMap(\.changes))) }
      context.mergedTransaction = transactions.last?.transactionNumber ?? context.mergedTransaction
      return merged
    }
    try context.persistentStoreCoordinator.checkReads()
    return merged
  }

  /// Reads all objects and all rows of results again.
  func refreshAll() {
    Renumbering(context).freeTakenNumbers()
    for held in context.listeners.compactMap({ $0.receiver?.heldNumbers() }) {
      context.source.inBatches(held.numbers) { numbers in
        let found = context.objects(numbers, in: held.entity.root)
        // What could not be read is not gone.
        if context.persistentStoreCoordinator.hasReadFailure { return }
        for (number, object) in zip(numbers, found) where object == nil {
          context.replacing.delete(number, of: held.entity, by: [.refreshed, .unread])
        }
      }
    }
    for table in context.registry.tables {
      let objects = Array(table.stored)
      context.source.forEachRow(of: objects.map(\.objectID)) { index, row in
        context.replacing.refreshInPlace(objects[index], to: row, mergeChanges: true)
        context.replacing.makeFault(objects[index])
      }
    }
    if context.persistentStoreCoordinator.store.foreignSaves > 0 { context.followStore() }
    context.reconciler.finish()
  }

  /// Takes objects out of the context.
  func invalidate(_ objects: [ManagedObject]) {
    for object in objects where object.managedObjectContext === context {
      context.replacing.vanish(object, by: [.refreshed, .invalidated])
    }
    // What is in the source keeps the references that lead to it.
    context.reconciler.drop { context.source.row(of: $0.object.objectID) != nil }
    context.reconciler.finish(cascades: false)
  }

  /// Returns the identity of an object of another coordinator as it is here; nil if the model has
  /// no entity of that name.
  private func knownID(_ id: ObjectID) -> ObjectID? {
    guard
      let entity = context.persistentStoreCoordinator.managedObjectModel.entitiesByName[
        id.entity.name]
    else { return nil }
    return entity === id.entity ? id : ObjectID(entity: entity, number: id.number)
  }

  private func mergeInsertion(of id: ObjectID, as row: StoreRow?) {
    let root = id.entity.root
    guard let row else { return mergeUpdate(of: id, to: nil) }
    if let object = context.registered(id.number, in: root) {
      if object.version != row.version || object.isGone || context.stale.contains(id) {
        context.replacing.refresh(object, to: row, mergeChanges: true, by: .merged)
      } else if !object.isPending && !object.isUnprocessed {
        context.replacing.announce(object)
      }
      return
    }
    if let object = adopt(row, as: id) { context.replacing.announce(object) }
  }

  /// Makes an object of a row that others saved; nil if no one in this context would notice it.
  ///
  /// The object is read from the source when it is first needed.
  private func adopt(_ row: StoreRow, as id: ObjectID) -> ManagedObject? {
    guard context.awaitsMerges(of: id.entity) else { return nil }
    let object = context.adopt(row, number: id.number)
    context.mergedRows.append(object)
    return object
  }

  /// Takes over an object's state in the source; whether it was an update or a
  /// deletion counts less than what is there now.
  private func mergeUpdate(of id: ObjectID, to row: StoreRow?) {
    let root = id.entity.root
    guard let row else {
      if context.persistentStoreCoordinator.hasReadFailure { return }
      if let object = context.registered(id.number, in: root) {
        // A new object here may have the number of another process's.
        return object.isInserted ? () : context.replacing.delete(object, by: .merged)
      }
      if context.isHeld(id.number, in: root) {
        context.replacing.delete(id.number, of: id.entity, by: [.merged, .unread])
      } else if context.isTracked(id.entity) {
        context.changesOfDeleted.append(DeletedObjectChange(ofUnread: id))
        context.awaitEndOfTurn()
      }
      return
    }
    if context.quirks.contains(.unreadMergesLost),
      context.registered(id.number, in: root)?.isFault ?? true
    {
      return
    }
    if let object = context.registered(id.number, in: root) {
      return context.replacing.refresh(object, to: row, mergeChanges: true, by: .merged)
    }
    if let object = adopt(row, as: id) {
      context.replacing.refresh(object, to: row, mergeChanges: true, by: [.merged, .unread])
    }
  }
}
