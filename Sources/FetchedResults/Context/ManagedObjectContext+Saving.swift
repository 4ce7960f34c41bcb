import Foundation

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
  /// - Throws: ``ValidationError`` or ``MergeConflictError`` with every
  ///   failure, ``EndlessSaveError`` where changes do not come to an end, or
  ///   ``StoreError``; the changes then stay pending and the store is as it was.
  public func save() throws {
    try coordinator.checkReads()
    let moment = environment.now()
    try prepare(at: moment)
    try validate()
    let note = try writeResolved(at: moment)
    for object in pending { endChanges(of: object) }
    pending.removeAll(keepingCapacity: true)
    if let note { post(note) }
  }

  /// Updates what follows from other values and processes the changes, until a
  /// round changes nothing more.
  private func prepare(at moment: Date) throws(EndlessSaveError) {
    for _ in 1...EndlessSaveError.mostRounds {
      try updateBeforeSave(at: moment)
      let before = sequence
      process()
      // A delegate that fetches has its own changes processed within this round.
      if unprocessed.isEmpty, deletions.isEmpty, sequence <= before + 1 { return }
    }
    throw EndlessSaveError()
  }

  /// Resolves conflicts and writes, again where another process saves between
  /// the two.
  ///
  /// Where others were quicker several times, the last attempt keeps them out.
  ///
  /// - Returns: What was written, for those that may merge it.
  private func writeResolved(at moment: Date) throws -> ContextSave? {
    for _ in 1...Self.patience {
      do {
        return try resolveAndWrite(at: moment)
      } catch StoreError.changedMeanwhile, StoreError.notUnique {
        continue
      } catch StoreError.numberTaken(let id) {
        renumberInserted(in: id.entity.root)
      }
    }
    return try coordinator.store.writingAlone {
      // The numbers of each root entity may be taken, and are found one by one.
      for _ in coordinator.managedObjectModel.entities {
        do {
          return try resolveAndWrite(at: moment)
        } catch StoreError.numberTaken(let id) {
          renumberInserted(in: id.entity.root)
        }
      }
      return try resolveAndWrite(at: moment)
    }
  }

  /// How often others may be quicker before a save keeps them out.
  private static var patience: Int { 4 }

  private func resolveAndWrite(at moment: Date) throws -> ContextSave? {
    if try resolveWithSource(at: moment) { try validate() }
    // What could not be read must not be written as if it were empty.
    try coordinator.checkReads()
    let changed = pending.filter(\.hasChanges)
    let note = changed.isEmpty ? nil : saveNote(of: changed)
    try write(changed)
    return note
  }

  /// Resolves what is in conflict with the source, until nothing is: what one
  /// conflict changes may be the cause of another.
  ///
  /// - Returns: Whether anything may have changed by that.
  private func resolveWithSource(at moment: Date) throws -> Bool {
    var isStale = parent == nil && !stale.isEmpty
    for round in 1...EndlessSaveError.mostRounds {
      var isChanged = try resolveConflicts()
      if isChanged || isStale {
        isChanged = true
        isStale = false
        reconcileUnsaved()
      }
      if try resolveConstraintConflicts() { isChanged = true }
      guard isChanged else { return round > 1 }
      try updateBeforeSave(at: moment)
    }
    throw EndlessSaveError()
  }

  /// Brings the source's objects in step with the unsaved changes of
  /// relationships, also where this context knows older values of them.
  private func reconcileUnsaved() {
    propagateDeletions()
    for object in pending where !object.entity.relationships.isEmpty {
      replaced.append(
        Replacement(object: object, before: object.isDeleted ? nil : object.committed))
    }
    finishReplacing(parent == nil ? .withSource : .withinContext)
  }

  private func validate() throws {
    let failures = pending.filter(\.isPending).flatMap { object in
      object.isDeleted ? object.deletionFailures : object.validationFailures
    }
    guard failures.isEmpty else { throw ValidationError(failures: failures) }
  }

  private func write(_ changed: [ManagedObject]) throws {
    guard !changed.isEmpty else { return }
    if let parent {
      for object in changed { push(object, into: parent) }
      parent.propagateDeletions()
      parent.finishReplacing()
      return
    }
    let others = siblings
    if !others.isEmpty {
      let ids = changed.filter { $0.committed != nil }.map(\.objectID)
      forEachSourceRow(of: ids) { index, row in
        guard let row else { return }
        for other in others { other.sourceWillChange(ids[index], from: row) }
      }
      try coordinator.checkReads()
    }
    try coordinator.store.save(changed.map(\.storeChange))
    for object in changed where !object.isDeleted {
      object.version = object.nextVersion
      if !stale.isEmpty { stale.remove(object.objectID) }
    }
  }

  /// Ends an object's unsaved changes.
  func endChanges(of object: ManagedObject) {
    object.isPending = false
    object.committed = nil
    // One that a delegate deleted just now has still to be reported.
    if object.isDeleted && !object.isUnprocessed { forget(object) }
  }

  /// Notes a save for those that may merge it; nil if there are none.
  private func saveNote(of changed: [ManagedObject]) -> ContextSave? {
    guard didSave != nil || !children.isEmpty || parent != nil || !siblings.isEmpty else {
      return nil
    }
    return ContextSave(of: changed, by: self)
  }

  private func post(_ note: ContextSave) {
    lastSave = note
    for other in siblings + children.compactMap(\.context)
    where other.automaticallyMergesChangesFromParent { other.queuedSaves.append(note) }
    didSave?(note)
  }

  /// Makes a child's change a change of its parent.
  private func push(_ object: ManagedObject, into parent: ManagedObjectContext) {
    let id = object.objectID
    let target = parent.object(id.number, in: id.entity.root)
    switch (target, object.isDeleted) {
    case (nil, true): break
    case (let target?, true): parent.delete(target)
    case (nil, false):
      parent.replaced.append(
        Replacement(object: parent.insert(id, snapshot: object.snapshot), before: nil))
    case (let target?, false):
      if target.isDeleted {
        parent.restore(target, to: object.snapshot, by: .assigned)
      } else {
        parent.willReconcile(target)
        parent.willChange(target)
        target.snapshot.take(
          from: object.snapshot, whereChangedSince: object.committed ?? target.snapshot,
          of: object.entity)
      }
      if target.snapshot == object.snapshot {
        stale.remove(id)
      }
    }
  }
}

// MARK: - Rollback and reset

extension ManagedObjectContext {
  /// Forgets every unsaved change: inserted objects vanish, changed ones get
  /// the values back that were last read, deleted ones return.
  ///
  /// Controllers hear of it when the changes are next processed. It cannot be
  /// undone, nor what came before it.
  public func rollback() {
    undoHistory?.removeAll()
    deletions.removeAll()
    for object in pending {
      willReplace(object, by: .undone)
      object.isPending = false
      if let committed = object.committed {
        object.snapshot = committed
        object.committed = nil
        object.isDeleted = false
      } else {
        object.isDeleted = true
      }
      didReplace(object)
    }
    undoHistory?.removeAll()
    replaced.removeAll()
    pending.removeAll(keepingCapacity: true)
  }

  /// Forgets every object, changed or not, and what could be undone.
  ///
  /// Controllers report nothing and have to fetch again; the objects belong to
  /// no context any more.
  public func reset() {
    if !children.isEmpty {
      for object in orderedTables.flatMap(\.stored)
      where object.isPending || stale.contains(object.objectID) { tellChildren(of: object) }
    }
    for object in orderedTables.flatMap(\.stored) { object.leaveContext() }
    pending.removeAll()
    unprocessed.removeAll()
    deletions.removeAll()
    for table in orderedTables { table.removeAll() }
    batches.removeAll()
    hasForgottenInDelivery = false
    stale.removeAll()
    queuedSaves.removeAll()
    followsStore = false
    undoBases.removeAll()
    undoHistory?.removeAll()
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
    causes = []
    openBatches = 0
  }

  fileprivate var storeChange: StoreChange {
    StoreChange(
      objectID: objectID, snapshot: isDeleted ? nil : snapshot, isInsertion: committed == nil,
      version: nextVersion)
  }
}
