import Foundation

/// Updates values that depend on other values before a save.
struct SavePreparation {
  let context: ManagedObjectContext
  /// When the save began, for derived attributes.
  let moment: Date

  init(_ context: ManagedObjectContext, at moment: Date) {
    self.context = context
    self.moment = moment
  }

  /// Updates values that depend on other values before a save.
  ///
  /// - Throws: ``EndlessSaveError`` if derived attributes that depend on one another never agree.
  func run() throws(EndlessSaveError) {
    context.propagateDeletions()
    clearDanglingReferences()
    try updateDerivedAttributes()
    if context.reconciler.isAwaited { context.reconciler.finish() }
  }

  private func updateDerivedAttributes() throws(EndlessSaveError) {
    let now = context.environment.now
    context.environment.now = { [moment] in moment }
    defer { context.environment.now = now }
    // Most models have no computed values.
    guard
      context.persistentStoreCoordinator.managedObjectModel.entities.contains(
        where: \.hasExpressions)
    else {
      return
    }
    let objects = (context.insertedObjects + context.updatedObjects).filter(\.entity.hasExpressions)
    for _ in 1...EndlessSaveError.mostRounds {
      var isChanged = false
      for object in objects where object.updateDerivedAttributes() { isChanged = true }
      if !isChanged || !context.persistentStoreCoordinator.managedObjectModel.derivesFromDerived {
        return
      }
    }
    throw EndlessSaveError()
  }

  /// Removes deleted objects from relationships without an inverse, where no delete rule finds
  /// them.
  ///
  /// - Complexity: O(*k* log *n*) in the objects that lead to a deleted one, and
  ///   O(*m*) in the changed ones.
  private func clearDanglingReferences() {
    let entities = context.persistentStoreCoordinator.managedObjectModel.entities
    guard entities.contains(where: { !$0.relationships.isEmpty }) else { return }
    let gone = Dictionary(grouping: context.goneObjects.map(\.objectID), by: \.entity.root)
    for entity in entities {
      let inherited = entity.superentity?.relationships.count ?? 0
      for ordinal in entity.relationships.indices.dropFirst(inherited) {
        guard let link = try? entity.link(at: ordinal), link.inverse == nil else { continue }
        let objects =
          gone[link.destination.root].map {
            ObjectListing(context).referrers(to: $0, of: entity, at: ordinal)
          }
          ?? context.pending.filter { $0.entity.isKindOf(entity: entity) }
        for object in objects where !object.isDeleted { clearReferences(of: object, at: ordinal) }
      }
    }
  }

  private func clearReferences(of object: ManagedObject, at ordinal: Int) {
    let id = object.objectID
    if context.stale.contains(id), let row = context.source.row(of: id),
      row.snapshot[object.entity.attributes.count + ordinal].members.contains(where: isGone)
    {
      context.replacing.refresh(object, to: row, mergeChanges: true, by: .refreshed)
    }
    for id in object.members(at: ordinal) where isGone(id) { object.dropMember(id, from: ordinal) }
  }

  /// Whether a reference leads to an object that exists neither here nor in the source.
  private func isGone(_ id: ObjectID) -> Bool {
    guard let object = context.findObject(with: id), !object.isDeleted else { return true }
    return context.stale.contains(id) && !object.isInserted && context.source.row(of: id) == nil
  }
}

extension ManagedObject {
  /// Computes the derived attributes, and returns whether one changed.
  ///
  /// An undo leaves the new values as they are: they are not the user's changes.
  fileprivate func updateDerivedAttributes() -> Bool {
    var isChanged = false
    for index in entity.attributes.indices {
      guard let value = values.derivedValue(at: index), value != snapshot[index] else { continue }
      if !isChanged { managedObjectContext?.undoRecorder.capture(self) }
      managedObjectContext?.willChange(self)
      snapshot[index] = value
      isChanged = true
    }
    if isChanged { managedObjectContext?.undoRecorder.didReplace(self) }
    return isChanged
  }
}

extension ObjectValues {
  /// Computes what an attribute is derived from; nil if it is not derived.
  func derivedValue(at index: Int) -> PropertyValue? {
    let attribute = objectID.entity.attributes[index]
    return attribute.derivation.map { attribute.type.value(from: $0.evaluate(self)) ?? .null }
  }
}

extension ManagedObjectModel {
  /// Whether a derived attribute may be computed from another one.
  fileprivate var derivesFromDerived: Bool {
    let derived = entities.flatMap(\.attributes).filter { $0.derivation != nil }
    let names = Set(derived.map(\.name))
    return derived.contains { attribute in
      let words = attribute.derivation?.text.split { !($0.isLetter || $0.isNumber || $0 == "_") }
      return words?.contains { names.contains(String($0)) } ?? false
    }
  }
}

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
    undoManager?.empty()
    deletions.removeAll()
    postponedDeletions.removeAll()
    var stop = replacingLoop(over: pending.count)
    undoRecorder.expect(pending.count)
    for object in pending {
      if stop.isWanted(after: 4) { return }
      replacing.rollBack(object)
    }
    undoManager?.empty()
    undoRecorder.forgetMerges()
    reconciler.dropAll()
    pending.removeAll(keepingCapacity: true)
    pendingBeforeTurn = 0
    hasReplacedObjects = true
    for listener in listeners { listener.receiver?.contextDidRollBack() }
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
    for table in registry.tables { table.visitObjects { $0.leaveContext() } }
    pending.removeAll()
    pendingBeforeTurn = 0
    hasReplacedObjects = false
    replacedState = nil
    isTurnStopped = false
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
    pendingSaves?.empty()
    mergedRows.removeAll()
    drafts = DraftCount()
    mergedTransaction =
      (try? persistentStoreCoordinator.history?.lastTransactionNumber()) ?? mergedTransaction
    followsStore = false
    fetchesAgain = false
    undoRecorder.forget()
    undoRecorder.forgetMerges()
    undoManager?.empty()
    for listener in listeners { listener.receiver?.contextDidReset() }
  }
}

extension ManagedObject {
  /// Detaches the object from a context that removes it.
  func leaveContext() {
    contextReference = nil
    baseline = nil
    committed = nil
    isPending = false
    isUnprocessed = false
    isFault = false
    causes = []
    isInOpenBatch = false
  }
}
