import Foundation

/// One save of a context: computing what depends on the changes, validation, conflicts, and
/// writing.
struct SaveOperation {
  let context: ManagedObjectContext
  /// When the save began: all its derived attributes are computed at this time.
  let moment: Date

  init(_ context: ManagedObjectContext) {
    self.context = context
    moment = context.environment.now()
  }

  /// Performs the save.
  func run() throws {
    if context.isCancelled { throw SaveError.cancelled }
    if context.parent == nil { context.persistentStoreCoordinator.joinHistory() }
    let check = context.stopCheck(counts: true)
    try Self.stopping(by: check) {
      try prepare()
      try announce()
    }
    if check != nil, let progress = context.progress {
      progress.completedUnitCount = 0
      progress.totalUnitCount = Int64(context.pending.count)
    }
    let written = try Self.stopping(by: check) {
      try validate()
      return try writeResolved()
    }
    if let progress = context.progress { progress.completedUnitCount = progress.totalUnitCount }
    let pending = context.pending
    pending.visit { object in
      context.endChanges(of: object)
      return true
    }
    context.undoRecorder.forgetMerges()
    context.pending.removeAll(
      keepingCapacity: context.pending.count < ManagedObjectContext.keptCapacity)
    context.pendingBeforeTurn = 0
    context.mayHaveNewObjects = false
    if context.unprocessed.isEmpty { context.drafts = DraftCount() }
    for listener in context.listeners { listener.receiver?.contextDidSave() }
    if let note = written.note { post(note) }
    ObjectLifecycle(context).didSave(written.objects)
    if let saved = written.told { context.notify(.didSave(saved)) }
  }

  /// Runs a part of a save, which `check` can stop.
  private static func stopping<Result>(
    by check: StopCheck?, _ body: () throws -> Result
  ) throws -> Result {
    guard let check else { return try body() }
    do {
      return try check.watching(body)
    } catch {
      throw check.isStopped ? SaveError.cancelled : error
    }
  }

  /// Notifies observers and hooks that a save begins.
  ///
  /// They may still change something.
  private func announce() throws {
    let lifecycle = ObjectLifecycle(context)
    guard !context.observers.isEmpty || lifecycle.observesSaves,
      context.pending.contains(where: \.hasChanges)
    else { return }
    context.isInWillSave = true
    context.notify(.willSave)
    context.isInWillSave = false
    try prepare()
    try lifecycle.willSave(prepare)
  }

  /// Computes values that depend on other values and processes the changes, until nothing changes
  /// any more.
  private func prepare() throws {
    for _ in 1...EndlessSaveError.mostRounds {
      try SavePreparation(context, at: moment).run()
      let before = context.sequence
      context.process()
      // The turn may have been stopped, and its changes are still unprocessed.
      if StopCheck.isStopped { throw SaveError.cancelled }
      // If a delegate fetches, its own changes are processed within this round.
      if context.unprocessed.isEmpty, context.deletions.isEmpty, context.sequence <= before + 1 {
        return
      }
    }
    throw EndlessSaveError()
  }

  /// Resolves conflicts and writes.
  ///
  /// Repeats both if another process saves in between.
  ///
  /// After several attempts, the last one locks out other processes. So does an attempt that has to
  /// decide which object keeps unique values.
  private func writeResolved() throws -> Written {
    let store = context.persistentStoreCoordinator.store
    var hasResolved = false
    attempts: for _ in 0..<(store.savesAlone ? 0 : Self.patience) {
      do {
        return try resolveAndWrite(isAlone: false)
      } catch StoreError.changedMeanwhile, StoreError.notUnique {
        continue
      } catch StoreError.numberTaken(let id) {
        Renumbering(context).renumberInserted(in: id.entity.root)
      } catch let error as UniquenessResolver.MustSaveAlone {
        hasResolved = error.hasResolved
        break attempts
      }
    }
    return try store.writingAlone {
      // The numbers of each root entity may be taken, and are found one by one.
      for _ in context.persistentStoreCoordinator.managedObjectModel.entities {
        do {
          return try resolveAndWrite(isAlone: true, hasResolved: hasResolved)
        } catch StoreError.numberTaken(let id) {
          Renumbering(context).renumberInserted(in: id.entity.root)
        }
      }
      return try resolveAndWrite(isAlone: true, hasResolved: hasResolved)
    }
  }

  /// How many attempts a save makes before it locks out others.
  private static var patience: Int { 4 }

  /// The written changes, as far as they are needed.
  private struct Written {
    /// For contexts that may merge it; nil if there are none.
    var note: ContextSave?
    /// For hooks; empty if there are none.
    var objects: [ManagedObject] = []
    /// For observers; nil if there are none, or nothing was written.
    var told: NotifiedObjects?
  }

  /// - Parameters:
  ///   - isAlone: Whether no one else can save until this attempt has ended.
  ///   - hasResolved: Whether an attempt before has resolved conflicts and did not finish.
  private func resolveAndWrite(isAlone: Bool, hasResolved: Bool = false) throws -> Written {
    do {
      let written = try tryToWrite(isAlone: isAlone, hasResolved: hasResolved)
      context.dropReplacedState()
      return written
    } catch {
      context.undoDecision()
      throw error
    }
  }

  private func tryToWrite(isAlone: Bool, hasResolved: Bool) throws -> Written {
    if try resolveWithSource(isAlone: isAlone, hasResolved: hasResolved) { try validate() }
    // Values that could not be read must not be written as if they were empty.
    try context.persistentStoreCoordinator.checkReads()
    let changed = context.pending.selected(where: \.hasChanges)
    var written = Written()
    if !changed.isEmpty {
      written.note = saveNote(of: changed)
      if ObjectLifecycle(context).observesSaves { written.objects = changed }
      if !context.observers.isEmpty { written.told = NotifiedObjects(savedIn: changed) }
    }
    try write(changed)
    return written
  }

  /// Resolves conflicts with the source until none is left.
  ///
  /// Resolving one may cause another.
  ///
  /// - Parameters: As those of ``resolveAndWrite(isAlone:hasResolved:)``.
  /// - Returns: Whether that may have changed anything.
  private func resolveWithSource(isAlone: Bool, hasResolved: Bool) throws -> Bool {
    let isAnyFreed = Renumbering(context).freeTakenNumbers()
    let isRenumbered = Renumbering(context).renumberTaken() || isAnyFreed
    var mayDiffer = true
    for round in 1...EndlessSaveError.mostRounds {
      var isChanged = try ConflictResolver(context).resolve()
      if isChanged || (isRenumbered && round == 1)
        || (mayDiffer && context.parent == nil && !context.stale.isEmpty)
      {
        isChanged = true
        reconcileUnsaved()
      }
      // What it deletes, others may refer to in the source without this context knowing.
      do {
        mayDiffer = try UniquenessResolver(context, isAlone: isAlone).resolve()
      } catch is UniquenessResolver.MustSaveAlone {
        throw UniquenessResolver.MustSaveAlone(hasResolved: isChanged || round > 1)
      }
      if mayDiffer || (hasResolved && round == 1) { isChanged = true }
      // A decision that was stopped may be incomplete, and is undone.
      if context.replacedState != nil, StopCheck.isStopped { throw SaveError.cancelled }
      guard isChanged else { return round > 1 }
      try SavePreparation(context, at: moment).run()
    }
    throw EndlessSaveError()
  }

  /// Makes the source's objects consistent with unsaved changes of relationships, even if this
  /// context knows older values of them.
  private func reconcileUnsaved() {
    StopCheck.finishing { context.propagateDeletions() }
    for object in context.pending where !object.entity.relationships.isEmpty {
      context.reconciler.note(
        RelationshipReconciler.Replacement(
          object: object, before: object.isDeleted ? nil : object.committed))
    }
    context.reconciler.finish(context.parent == nil ? .withSource : .withinContext)
  }

  private func validate() throws {
    var failures: [ObjectValidationError.Failure] = []
    var stop = StopCheck.Loop()
    // A hook may change the context's list.
    let pending = context.pending
    let areAllChecked = pending.visit { object in
      guard object.isPending else { return true }
      if stop.isWanted() { return false }
      failures += object.isDeleted ? object.deletionFailures : object.validationFailures
      return true
    }
    guard areAllChecked else { throw SaveError.cancelled }
    guard failures.isEmpty else { throw ObjectValidationError(failures: failures) }
  }

  private func write(_ changed: [ManagedObject]) throws {
    guard !changed.isEmpty else { return }
    if let parent = context.parent {
      let targets = try readTargets(of: changed, in: parent)
      for (object, target) in zip(changed, targets) { push(object, onto: target, in: parent) }
      StopCheck.finishing { parent.propagateDeletions() }
      parent.undoRecorder.record(parent.reconciler.finish())
      return
    }
    let ids =
      context.hasSiblings ? changed.filter { $0.committed != nil }.map(\.objectID) : []
    // No other context knows a new object.
    if !ids.isEmpty {
      let others = context.siblings
      context.source.forEachRow(of: ids) { index, row in
        guard let row else { return }
        for other in others { StaleObjects(other).willChange(ids[index], from: row) }
      }
      try context.persistentStoreCoordinator.checkReads()
    }
    try writeIntoStore(changed)
    let coordinator = context.persistentStoreCoordinator
    let hasNotes = !coordinator.permanentIDs.isEmpty || !coordinator.lostDrafts.isEmpty
    for object in changed where !object.isDeleted {
      if hasNotes, object.version <= 0 {
        coordinator.permanentIDs.remove(object.objectID)
        coordinator.lostDrafts.remove(object.objectID)
      }
      object.version = object.nextVersion
      if !context.stale.isEmpty { context.stale.remove(object.objectID) }
    }
  }

  private func writeIntoStore(_ changed: [ManagedObject]) throws {
    guard let history = context.persistentStoreCoordinator.history else {
      // A list of the changes of a million objects takes 40 MB.
      if let memory = context.persistentStoreCoordinator.store as? InMemoryStore {
        return try memory.write(ChangesToStore(objects: changed))
      }
      let changes = try changes(\.storeChange, of: changed)
      try context.persistentStoreCoordinator.store.save(changes)
      if StopCheck.isInstalled { releaseInBackground(consume changes, count: changed.count) }
      return
    }
    history.transactionAuthor = context.author(at: moment)
    try history.save(changes(\.trackedChange, of: changed))
    guard let last = history.ownTransactions.last else { return }
    // Count this save as merged if everything before it is.
    if context.mergedTransaction == last - 1 {
      context.mergedTransaction = last
    } else {
      context.ownTransactions.append(last)
    }
  }

  private func changes(
    _ change: (ManagedObject) -> StoreChange, of changed: [ManagedObject]
  ) throws(StoreError) -> [StoreChange] {
    var stop = StopCheck.Loop(over: changed.count)
    return try changed.map { object throws(StoreError) in
      if stop.isWanted(after: 2) { throw .cancelled }
      return change(object)
    }
  }

  /// Describes the save for contexts that may merge it; nil if there are none.
  private func saveNote(of changed: [ManagedObject]) -> ContextSave? {
    guard
      !context.saveObservers.isEmpty || context.pendingSaves != nil || !context.children.isEmpty
        || context.parent != nil
        || context.hasSiblings
    else {
      return nil
    }
    return ContextSave(of: changed, by: context)
  }

  private func post(_ note: ContextSave) {
    context.lastSave = note
    for other in context.followers {
      other.queuedSaves.add(note)
      other.awaitEndOfTurn()
    }
    context.tellSaved(note)
    context.publish?(note)
  }

  /// Reads the parent's objects that a save changes, before it changes the first one.
  ///
  /// An object that cannot be read would count as one that the parent does not have.
  ///
  /// - Returns: The parent's object for each change; nil for one that it does not have.
  private func readTargets(
    of changed: [ManagedObject], in parent: ManagedObjectContext
  ) throws(StoreError) -> [ManagedObject?] {
    let targets = changed.map { parent.object($0.objectID.number, in: $0.entity.root) }
    for case let target? in targets {
      if target.isFault { parent.fire(target) }
      target.readRelationships()
    }
    try parent.persistentStoreCoordinator.checkReads()
    let lost = parent.persistentStoreCoordinator.lostDrafts
    for (object, target) in zip(changed, targets)
    where object.isNew || (object.version == 0 && lost.contains(object.objectID)) {
      // Another process saved it after the conflicts were resolved.
      if let target, target.version > 0 { throw .numberTaken(object.objectID) }
    }
    return targets
  }

  /// Applies a child's change to the parent.
  ///
  /// - Parameter target: The parent's object; nil if it has none.
  private func push(
    _ object: ManagedObject, onto target: ManagedObject?, in parent: ManagedObjectContext
  ) {
    let id = object.objectID
    switch (target, object.isDeleted) {
    case (nil, true): break
    case (let target?, true): parent.delete(target)
    case (nil, false):
      let target = parent.insert(id, snapshot: object.snapshot)
      let awoken = ObjectLifecycle(parent).awakeFromInsert(pushed: target)
      parent.reconciler.note(
        RelationshipReconciler.Replacement(object: target, before: awoken))
    case (let target?, false):
      if target.isDeleted {
        parent.replacing.restore(target, to: object.snapshot, by: .assigned)
      } else {
        parent.reconciler.note(target)
        parent.willChange(target)
        target.snapshot.take(
          from: object.snapshot, whereChangedSince: object.committed ?? target.snapshot,
          of: object.entity)
      }
      if target.snapshot == object.snapshot {
        context.stale.remove(id)
      }
    }
  }
}

/// The changes of objects, each made when it is asked for.
///
/// A lazy map would make all of a change, even for a reader that wants only the identity.
private struct ChangesToStore: RandomAccessCollection {
  let objects: [ManagedObject]

  var startIndex: Int { objects.startIndex }
  var endIndex: Int { objects.endIndex }

  subscript(position: Int) -> StoreChange {
    @inline(__always) get { objects[position].storeChange }
  }
}

extension ManagedObject {
  @inline(__always)
  fileprivate var storeChange: StoreChange {
    StoreChange(
      objectID: objectID, snapshot: isDeleted ? nil : snapshot, isInsertion: committed == nil,
      version: nextVersion)
  }

  /// The change with the details that a store's history records.
  fileprivate var trackedChange: StoreChange {
    var change = storeChange
    guard !isDeleted, let committed else { return change }
    change.updatedPlaces = snapshot.stored.indices.filter {
      snapshot.stored[$0] != committed.stored[$0]
    }
    return change
  }
}

/// The changes of one save, which other contexts can merge.
public struct ContextSave: Sendable {
  /// The objects that came, in order of insertion.
  public let insertedObjectIDs: [ObjectID]
  /// The objects that changed, in order of the first change.
  public let updatedObjectIDs: [ObjectID]
  /// The objects that went, in order of the first change.
  public let deletedObjectIDs: [ObjectID]
  /// The context that saved; nil if it is unknown, as of a transaction of a store's history.
  let saver: ObjectIdentifier?
  /// The parent that the save went into; nil for the store.
  let target: ObjectIdentifier?
  /// Whether the store's history has the save.
  let isInHistory: Bool

  init(of changed: [ManagedObject], by context: ManagedObjectContext) {
    insertedObjectIDs = changed.filter(\.isInserted).map(\.objectID)
    updatedObjectIDs = changed.filter(\.isUpdated).map(\.objectID)
    deletedObjectIDs = changed.filter(\.isDeleted).map(\.objectID)
    saver = ObjectIdentifier(context)
    target = context.parent.map { ObjectIdentifier($0) }
    isInHistory = context.parent == nil && context.persistentStoreCoordinator.history != nil
  }

  /// Makes a note of what others saved into the store.
  package init(
    inserted: [ObjectID] = [], updated: [ObjectID] = [], deleted: [ObjectID] = []
  ) {
    insertedObjectIDs = inserted
    updatedObjectIDs = updated
    deletedObjectIDs = deleted
    saver = nil
    target = nil
    isInHistory = false
  }

  /// Whether nothing was saved.
  package var isEmpty: Bool {
    insertedObjectIDs.isEmpty && updatedObjectIDs.isEmpty && deletedObjectIDs.isEmpty
  }

  /// Makes a note of changes that a store's history has.
  init(_ changes: some Sequence<PersistentHistoryChange>) {
    var ids: [PersistentHistoryChangeType: [ObjectID]] = [:]
    var seen: [PersistentHistoryChangeType: Set<ObjectID>] = [:]
    for change in changes
    where seen[change.changeType, default: []].insert(change.changedObjectID).inserted {
      ids[change.changeType, default: []].append(change.changedObjectID)
    }
    insertedObjectIDs = ids[.insert] ?? []
    updatedObjectIDs = ids[.update] ?? []
    deletedObjectIDs = ids[.delete] ?? []
    saver = nil
    target = nil
    isInHistory = false
  }
}
