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
  ///
  /// What cannot be read is merged with a later turn.
  func merge(_ part: UnmergedSaves.Part) throws(StoreError) {
    switch part {
    case .objects(let objects): merge(objects)
    case .everything:
      do {
        try readEverything()
      } catch {
        context.unreadMerges.addEverything()
        throw error
      }
      context.reconciler.finish()
    }
  }

  /// Takes over again what could not be read when it was merged.
  ///
  /// The first attempt has reported the error.
  func mergeUnread() {
    let part = context.unreadMerges.take(objects: .max)
    guard !part.isEmpty else { return }
    let earlier = context.persistentStoreCoordinator.takeReadFailure()
    try? merge(part)
    _ = context.persistentStoreCoordinator.takeReadFailure()
    if let earlier { context.persistentStoreCoordinator.note(earlier) }
  }

  /// Takes over objects that came into the source, and those that changed or went.
  ///
  /// - Returns: The other objects that this changed, because of their relationships.
  @discardableResult
  func merge(inserted: [ObjectID], changed: [ObjectID]) -> [ObjectID] {
    merge(inserted.map { ($0, true) } + changed.map { ($0, false) })
  }

  @discardableResult
  private func merge(_ objects: [(id: ObjectID, isInserted: Bool)]) -> [ObjectID] {
    guard !objects.isEmpty else { return [] }
    Renumbering(context).freeTakenNumbers()
    // Most objects of a merge have the entity of the object before.
    var last: (own: EntityDescription, known: EntityDescription?, isAwaited: Bool)?
    let known = objects.compactMap { object -> (id: ObjectID, isInserted: Bool)? in
      if last?.own !== object.id.entity {
        let entity = knownEntity(of: object.id)
        last = (object.id.entity, entity, entity.map(mustRead) ?? false)
      }
      guard let entity = last?.known else { return nil }
      // A row is read only if its object is registered, or if a controller or an observer needs it.
      if last?.isAwaited == false, context.registered(object.id.number, in: entity.root) == nil {
        return nil
      }
      return (ObjectID(entity: entity, number: object.id.number), object.isInserted)
    }
    if context.pending.contains(where: \.isInserted) {
      for (id, _) in known where context.registered(id.number, in: id.entity.root)?.isNew == true {
        Renumbering(context).renumberInserted(in: id.entity.root)
      }
    }
    var stop = context.replacingLoop(over: known.count)
    var isStopped = false
    context.persistentStoreCoordinator.store.readingOneStateIfPossible {
      context.source.forEachReading(of: known.map(\.id)) { index, reading in
        isStopped = isStopped || stop.isWanted(after: 8)
        if isStopped { return }
        let object = known[index]
        switch reading {
        case .row(let row) where object.isInserted: mergeInsertion(of: object.id, as: row)
        case .row(let row): mergeUpdate(of: object.id, to: row)
        case .nothing: mergeDeletion(of: object.id)
        case .unreadable:
          context.unreadMerges.add(
            object.isInserted
              ? ContextSave(inserted: [object.id]) : ContextSave(updated: [object.id]))
        }
      }
    }
    // What was merged is reverted or dropped.
    if isStopped { return [] }
    return context.reconciler.finish().map(\.object.objectID)
  }

  /// Takes over what others saved into the store's file.
  func mergeFromStore() throws(StoreError) {
    let coordinator = context.persistentStoreCoordinator
    try coordinator.checkReads()
    guard
      coordinator.store.generation != context.mergedGeneration || !context.stale.isEmpty
        || !context.unreadMerges.isEmpty || context.parent != nil
    else { return }
    try readEverythingNow()
  }

  /// Takes over what others saved into a store whose rows need not have new versions for that.
  func mergeValuesFromStore() throws(StoreError) {
    try readEverythingNow(comparingValues: true)
  }

  /// Compares every object with its row, also those that earlier merges could not read.
  private func readEverythingNow(comparingValues comparesValues: Bool = false) throws(StoreError) {
    let hadUnread = !context.unreadMerges.isEmpty
    context.unreadMerges = UnmergedSaves()
    do {
      try readEverything(comparingValues: comparesValues)
    } catch {
      // A caller that compares values knows about a change that the store may not count again.
      if hadUnread || comparesValues { context.unreadMerges.addEverything() }
      throw error
    }
    context.reconciler.finish()
    try context.persistentStoreCoordinator.checkReads()
  }

  /// Compares every object of the context with its row, and lets controllers fetch.
  ///
  /// - Parameter comparesValues: Whether values may differ although the versions are equal.
  private func readEverything(comparingValues comparesValues: Bool = false) throws(StoreError) {
    let coordinator = context.persistentStoreCoordinator
    try coordinator.store.readingOneStoreState { () throws(StoreError) in
      context.mergedGeneration = coordinator.store.generation
      context.mergedForeignSaves = coordinator.store.foreignSaves
      Renumbering(context).freeTakenNumbers()
      Renumbering(context).renumberTaken()
      for table in context.registry.tables {
        let objects = Array(table.stored)
        context.source.forEachReading(of: objects.map(\.objectID)) { index, reading in
          refresh(objects[index], to: reading, comparingValues: comparesValues)
        }
      }
      context.followStore()
      if let history = coordinator.history {
        context.mergedTransaction = try history.lastTransactionNumber()
      }
    }
  }

  /// Gives an object the state of its source, if that is another one.
  private func refresh(
    _ object: ManagedObject, to reading: ContextSource.Reading, comparingValues comparesValues: Bool
  ) {
    switch reading {
    case .row(let row)
    where row.version == object.version && !context.stale.contains(object.objectID)
      && !(comparesValues && row.snapshot != object.savedSnapshot):
      break
    case .row(let row): context.replacing.refreshInPlace(object, to: row, mergeChanges: true)
    case .nothing: lose(object)
    case .unreadable: mergeLater(object)
    }
  }

  /// Takes over that the source no longer has an object.
  private func lose(_ object: ManagedObject) {
    if replaceByOther(object) { return }
    // It is not known yet whether another object has its number.
    if context.persistentStoreCoordinator.hasReadFailure { return mergeLater(object) }
    context.replacing.refreshInPlace(object, to: nil, mergeChanges: true)
  }

  private func mergeLater(_ object: ManagedObject) {
    context.unreadMerges.add(ContextSave(updated: [object.objectID]))
  }

  /// Takes over what the store's history has since it was last asked.
  ///
  /// The rows are read in the state of the file in which the history is: later saves are the
  /// next merge's.
  ///
  /// - Returns: The transactions that were merged.
  /// - Throws: ``StoreError``. If others deleted transactions that were not merged, the next merge
  ///   begins after the last one.
  @discardableResult
  func mergeHistory(
    where isMerged: (PersistentHistoryTransaction) -> Bool
  ) throws(StoreError) -> [PersistentHistoryTransaction] {
    try context.persistentStoreCoordinator.checkReads()
    let history = try context.persistentStoreCoordinator.requiredHistory()
    let merged = try history.readingOneStoreState { () throws(StoreError) in
      let noticed = try history.noticeForeignSaves()
      let transactions: [PersistentHistoryTransaction]
      do throws(StoreError) {
        transactions = try history.transactions(after: context.mergedTransaction, author: nil)
      } catch {
        if case .historyTokenExpired = error {
          context.mergedTransaction = max(
            context.mergedTransaction, try history.lastTransactionNumber())
          // What was deleted is never merged.
          context.mergedForeignSaves = nil
        }
        throw error
      }
      let merged = transactions.filter(isMerged)
      if !merged.isEmpty { merge(ContextSave(merged.lazy.flatMap(\.changes))) }
      context.mergedTransaction = transactions.last?.transactionNumber ?? context.mergedTransaction
      let hasSkipped = transactions.contains {
        !isMerged($0) && !history.ownTransactions.contains($0.transactionNumber)
      }
      if context.mergedForeignSaves != nil {
        context.mergedForeignSaves = hasSkipped || StopCheck.isStopped ? nil : noticed
      }
      return merged
    }
    try context.persistentStoreCoordinator.checkReads()
    return merged
  }

  /// Reads all objects and all rows of results again.
  func refreshAll() {
    let coordinator = context.persistentStoreCoordinator
    // Errors of earlier reads say nothing about these rows.
    let earlier = coordinator.takeReadFailure()
    defer { if let earlier { coordinator.note(earlier) } }
    coordinator.store.readingOneStateIfPossible { readAll(for: coordinator) }
    context.reconciler.finish()
  }

  /// Reads all objects and all rows of results, and makes the objects faults.
  private func readAll(for coordinator: PersistentStoreCoordinator) {
    context.mergedForeignSaves = coordinator.noticedForeignSaves
    Renumbering(context).freeTakenNumbers()
    Renumbering(context).renumberTaken()
    for held in context.listeners.compactMap({ $0.receiver?.heldNumbers() }) {
      context.source.inBatches(held.numbers) { numbers in
        let found = context.objects(numbers, in: held.entity.root)
        // What could not be read is not gone.
        if coordinator.hasReadFailure { return context.unreadMerges.addEverything() }
        for (number, object) in zip(numbers, found) where object == nil {
          context.replacing.delete(number, of: held.entity, by: [.refreshed, .unread])
        }
      }
    }
    for table in context.registry.tables {
      let objects = Array(table.stored)
      context.source.forEachReading(of: objects.map(\.objectID)) { index, reading in
        let object = objects[index]
        switch reading {
        case .row(let row): context.replacing.refreshInPlace(object, to: row, mergeChanges: true)
        case .nothing: lose(object)
        case .unreadable: mergeLater(object)
        }
        context.replacing.makeFault(object)
      }
    }
    if coordinator.store.foreignSaves > 0 { context.followStore() }
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

  /// Returns the entity of an object of another coordinator as it is here; nil if the model has no
  /// entity of that name.
  private func knownEntity(of id: ObjectID) -> EntityDescription? {
    context.persistentStoreCoordinator.managedObjectModel.entitiesByName[id.entity.name]
  }

  /// Whether a change of an object that is not in the context may have to be reported, or kept.
  private func mustRead(_ entity: EntityDescription) -> Bool {
    context.awaitsMerges(of: entity) || context.isTracked(entity)
      || context.quirks.contains(.unreadMergesLost)
  }

  private func mergeInsertion(of id: ObjectID, as row: StoreRow) {
    if let object = registered(id) {
      if object.version != row.version || object.isGone || context.stale.contains(id) {
        context.replacing.refresh(object, to: row, mergeChanges: true, by: .merged)
      } else if !object.isPending && !object.isUnprocessed {
        context.replacing.announce(object)
      }
      return
    }
    if let object = adopt(row, as: id) { context.replacing.announce(object) }
  }

  /// Returns the registered object with an identity.
  ///
  /// If another program used the number again for an object of another entity, the old object goes.
  private func registered(_ id: ObjectID) -> ManagedObject? {
    guard let object = context.registered(id.number, in: id.entity.root) else { return nil }
    if object.entity === id.entity || object.isInserted { return object }
    giveWay(object)
    return nil
  }

  private func giveWay(_ object: ManagedObject) {
    if !object.isGone { context.replacing.vanish(object, by: .merged) }
    context.replacedState?.noteLeaving(of: object)
    context.forget(object)
  }

  /// Takes over the object of another entity that has an object's number now.
  ///
  /// - Returns: False if there is none.
  private func replaceByOther(_ object: ManagedObject) -> Bool {
    let number = object.objectID.number
    guard !object.isInserted, !object.isNewAndGone,
      let row = context.source.row(number, in: object.entity.root), row.entity !== object.entity
    else { return false }
    giveWay(object)
    context.replacing.announce(context.adopt(row, number: number))
    return true
  }

  /// Makes an object of a row that others saved; nil if no one in this context would notice it.
  ///
  /// The object is read from the source when it is first needed.
  private func adopt(_ row: StoreRow, as id: ObjectID) -> ManagedObject? {
    guard context.awaitsMerges(of: id.entity) else { return nil }
    let object = context.adopt(row, number: id.number)
    context.replacedState?.noteRegistration(of: object)
    context.mergedRows.append(object)
    return object
  }

  /// Takes over that the source has no row of an object, whether it was deleted last, or inserted
  /// or updated before.
  private func mergeDeletion(of id: ObjectID) {
    let root = id.entity.root
    if let object = context.registered(id.number, in: root) {
      // A new object here may have the number of another process's, and another object in the store
      // may have it since.
      guard !object.isInserted, object.entity === id.entity else { return }
      context.replacing.delete(object, by: .merged)
    } else if context.isHeld(id.number, in: root) {
      context.replacing.delete(id.number, of: id.entity, by: [.merged, .unread])
    } else if context.isTracked(id.entity) {
      context.changesOfDeleted.append(DeletedObjectChange(ofUnread: id))
      context.awaitEndOfTurn()
    }
  }

  /// Takes over the row of an object that others changed, even if they deleted it in between.
  private func mergeUpdate(of id: ObjectID, to row: StoreRow) {
    let root = id.entity.root
    if context.quirks.contains(.unreadMergesLost),
      context.registered(id.number, in: root)?.isFault ?? true
    {
      context.lostMerges.insert(id)
      return
    }
    if !context.lostMerges.isEmpty { context.lostMerges.remove(id) }
    if let object = registered(id) {
      return context.replacing.refresh(object, to: row, mergeChanges: true, by: .merged)
    }
    if let object = adopt(row, as: id) {
      context.replacing.refresh(object, to: row, mergeChanges: true, by: [.merged, .unread])
    }
  }
}

/// Finds objects of a context for which the source has newer values.
struct StaleObjects {
  let context: ManagedObjectContext

  init(_ context: ManagedObjectContext) { self.context = context }

  /// Called before the source changes an object.
  ///
  /// What a controller shows must not change because of that. So an object that is only a row of
  /// results is read now, while its old values are available.
  ///
  /// - Parameter keepsValues: Whether later accesses to the object see the old values. Core Data's
  ///   row cache does not learn about a batch request.
  func willChange(_ id: ObjectID, from row: StoreRow, keepsValues: Bool = false) {
    let root = id.entity.root
    if let object = context.registered(id.number, in: root) {
      // Values that were not read yet would come from the new row.
      object.readRelationships()
    } else {
      guard context.isHeld(id.number, in: root) else {
        return tellChildren(of: id, from: row, keepsValues: keepsValues)
      }
      // The results keep these values, and accesses to the object read the new ones.
      read(id, from: row).isFault = !keepsValues
    }
    context.stale.insert(id)
  }

  private func tellChildren(of id: ObjectID, from row: StoreRow, keepsValues: Bool) {
    for child in context.children.contexts {
      StaleObjects(child).willChange(id, from: row, keepsValues: keepsValues)
    }
  }

  @discardableResult
  private func read(_ id: ObjectID, from row: StoreRow) -> ManagedObject {
    let object = context.adopt(row, number: id.number)
    object.readRelationships()
    return object
  }

  /// Called before a batch request changes rows of the store.
  ///
  /// - Throws: ``StoreError/cancelled`` if the work is to stop.
  /// - Complexity: O(*k* log *n*) for *k* rows that the context or a controller holds.
  func willChange(_ ids: [ObjectID]) throws(StoreError) {
    // Only rows of results of this context, and objects that only child contexts may have.
    var (unread, unknown): ([ObjectID], [ObjectID]) = ([], [])
    var stop = StopCheck.Loop()
    let receivers = context.listeners.compactMap(\.receiver)
    // A set that grows by itself copies up to half a million objects at once.
    let held = receivers.reduce(context.registry.capacity) { $0 + $1.heldCount }
    context.stale.reserveCapacity(context.stale.count + min(ids.count, held))
    for id in ids {
      if stop.isWanted(after: 8) { throw .cancelled }
      if let object = context.registered(id.number, in: id.entity.root) {
        if object.isFault { context.fire(object) }
        object.readRelationships()
        context.stale.insert(id)
      } else if receivers.contains(where: { $0.holds(id.number, in: id.entity.root) }) {
        unread.append(id)
      } else if !context.children.isEmpty {
        unknown.append(id)
      }
    }
    try context.source.forEachRow(of: unread) { index, row throws(StoreError) in
      if stop.isWanted(after: 16) { throw .cancelled }
      guard let row else { return }
      read(unread[index], from: row)
      context.stale.insert(unread[index])
    }
    try context.source.forEachRow(of: unknown) { index, row throws(StoreError) in
      if stop.isWanted(after: 16) { throw .cancelled }
      if let row { tellChildren(of: unknown[index], from: row, keepsValues: true) }
    }
  }

  /// Finds which objects of the context others have saved since the context read them.
  ///
  /// - Complexity: O(*n*) in the numbers of objects that the context holds.
  func find(_ numbers: [Int64], in root: EntityDescription) {
    let table = context.table(of: root)
    let held = numbers.filter { table[$0]?.isPending == false }
    context.source.inBatches(held) { numbers in
      let rows: [StoreRow?]
      do throws(StoreError) {
        rows = try context.persistentStoreCoordinator.store.rows(Array(numbers), in: root)
      } catch {
        return context.persistentStoreCoordinator.note(error)
      }
      for (number, row) in zip(numbers, rows) {
        guard let row, let object = table[number], row.version != object.version else { continue }
        context.stale.insert(object.objectID)
      }
    }
  }

  /// Notifies child contexts that an object changes.
  func tellChildren(of object: ManagedObject) {
    guard !object.isDeleted else { return }
    let row = object.row
    for child in context.children.contexts {
      StaleObjects(child).willChange(object.objectID, from: row)
    }
  }
}

/// How a context takes over changes of its source.
extension ManagedObjectContext {
  /// Merges what another context saved.
  ///
  /// Inserted objects appear. Deleted objects count as deleted here until the next save of this
  /// context. Updated objects get the source's values, except for attributes with unsaved changes
  /// here, which win. Controllers report this with the next processing: updated objects as updates
  /// or moves, or as inserts and deletes if the predicate now decides so.
  ///
  /// A save that did not go into this context's source is ignored: a save of this context itself,
  /// or one into another parent.
  ///
  /// The save may come from another coordinator on the same file. Then entities are found by name,
  /// because the two models are separate values.
  public func mergeChanges(fromContextDidSave save: ContextSave) {
    ChangeMerger(self).merge(save)
  }

  /// Merges what other coordinators and other processes saved into the store's file since this
  /// context read it.
  ///
  /// Use it for saves without a ``ContextSave``. Objects of this context are refreshed if the
  /// version of their row differs, and unsaved changes stay. They are deleted if their row no longer
  /// exists. Controllers fetch again with the next processing and report how their results changed,
  /// including new rows and rows that were never read.
  ///
  /// If a program changes rows without raising their versions (`Z_OPT`), only
  /// ``refreshAllObjects()`` finds the changes.
  ///
  /// - Throws: ``StoreError`` if the file cannot be read.
  /// - Complexity: O(1) if there was no save; otherwise O(*n*) in the objects of this context and
  ///   in the rows of its controllers.
  public func mergeChangesFromStore() throws(StoreError) {
    try ChangeMerger(self).mergeFromStore()
  }

  /// Reads an object's values from the source again.
  ///
  /// Controllers report an update or a move, whether or not a value differs. They report a delete
  /// if the source no longer has the object. A new unsaved object is ignored, and an object marked
  /// for deletion stays so. Without merging, the object becomes a fault.
  ///
  /// - Parameters:
  ///   - object: An object of this context.
  ///   - mergeChanges: Whether unsaved changes stay; otherwise they are dropped.
  public func refresh(_ object: ManagedObject, mergeChanges: Bool) {
    replacing.refreshInPlace(object, mergeChanges: mergeChanges)
    reconciler.finish()
  }

  /// Refreshes every object of this context and the results of its controllers.
  ///
  /// Unsaved changes stay.
  ///
  /// Objects without unsaved changes become faults.
  ///
  /// If other coordinators or processes saved into the store's file, controllers report their new
  /// objects, too.
  ///
  /// - Complexity: O(*n*) in the objects and in the controllers' rows.
  public func refreshAllObjects() {
    ChangeMerger(self).refreshAll()
  }

  /// Removes objects from the context, as if the context had never read them.
  ///
  /// Their unsaved changes are lost.
  ///
  /// Controllers report them as deleted. A fetch can read the objects again.
  public func invalidate(_ objects: [ManagedObject]) {
    ChangeMerger(self).invalidate(objects)
  }

  /// Makes controllers fetch at the next turn, if they do not know what others saved.
  func followStore() {
    for listener in listeners { listener.receiver?.contextFollowsStore() }
    followsStore = true
    awaitEndOfTurn()
  }
}
