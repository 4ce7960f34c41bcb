/// Replaces values of objects without an assignment by the user: with a row of the source, with an
/// older state, or with the result of a policy.
struct ObjectReplacing {
  let context: ManagedObjectContext

  init(_ context: ManagedObjectContext) { self.context = context }

  func refreshInPlace(_ object: ManagedObject, mergeChanges: Bool) {
    // Errors of earlier reads say nothing about this object.
    let earlier = context.persistentStoreCoordinator.takeReadFailure()
    defer { if let earlier { context.persistentStoreCoordinator.note(earlier) } }
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
    context.replacedState?.note(object, wasStale: context.stale.contains(object.objectID))
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
    context.undoRecorder.willMerge(intoDeleted: object)
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
    context.replacedState?.noteRegistration(of: object)
    context.tellReceivers(ofRead: object)
    delete(object, by: cause)
  }

  /// Restores a deleted object.
  func restore(_ object: ManagedObject, to snapshot: ObjectSnapshot, by cause: ChangeCauses) {
    let id = object.objectID
    if context.registered(id.number, in: id.entity.root) == nil {
      context.register(object)
      context.replacedState?.noteRegistration(of: object)
    }
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
    if row == nil { context.mayHaveNewObjects = true }
  }

  /// Reports the object as inserted in the next batch.
  ///
  /// Controllers whose fetch has found it already need its values before later changes.
  func announce(_ object: ManagedObject) {
    context.replacedState?.note(object)
    object.isUnprocessed = true
    object.hasArrived = true
    object.baseline = context.knownValues(of: object)
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

  /// Takes an object out of a saved list that has lost it in the source, too.
  ///
  /// This is no unsaved change, and a rollback keeps it.
  func drop(_ id: ObjectID, fromListOf object: ManagedObject, at ordinal: Int) {
    guard object.hasMember(id, at: ordinal) else {
      context.replacedState?.note(object)
      return object.loseMember(id, from: ordinal)
    }
    context.willReplace(object, by: .merged)
    object.loseMember(id, from: ordinal)
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

/// The state of a context before a rollback, an undo, a redo or a merge, so that a stopped turn is
/// reverted; or before a save decides conflicts, so that a failure leaves nothing of it.
///
/// It keeps the states of the objects that are replaced, so it takes about 40 bytes for each.
final class ReplacedState {
  private typealias State = (
    snapshot: ObjectSnapshot, committed: ObjectSnapshot?, baseline: ObjectSnapshot?, version: Int32,
    flags: ManagedObject.Flags, causes: ChangeCauses, isPending: Bool, isDeleted: Bool
  )

  /// The objects before each replacement, in order.
  ///
  /// An object may occur several times.
  private var objects: [ManagedObject] = []
  /// The state of each of them.
  private var states: [State] = []
  /// The objects that the context got.
  private var registered: [ManagedObject] = []
  /// The objects that left the context.
  private var forgotten: [ManagedObject] = []
  /// The objects for which the source had newer values.
  private var stale: [ObjectID] = []
  private var pending: [ManagedObject]
  private var unprocessed: [ManagedObject]
  private var deletions: [ManagedObject]
  private var postponedDeletions: [ManagedObject]
  private var changesOfDeleted: [DeletedObjectChange]
  private let pendingBeforeTurn: Int
  private let drafts: DraftCount
  private let valuesBeforeFiring: [ObjectID: ObjectSnapshot]
  private var history: UndoHistory.Contents?
  private let undoNotes: UndoRecorder.Notes
  private var replaced: [RelationshipReconciler.Replacement]
  private let unreadMerges: UnmergedSaves
  private var mergedRows: [ManagedObject]
  private let lostMerges: Set<ObjectID>
  private let hadReplacedObjects: Bool
  /// Whether its values may lead to numbers that objects no longer have.
  private(set) var isOutdated = false

  init(of context: ManagedObjectContext) {
    pending = context.pending
    unprocessed = context.unprocessed
    deletions = context.deletions
    postponedDeletions = context.postponedDeletions
    changesOfDeleted = context.changesOfDeleted
    pendingBeforeTurn = context.pendingBeforeTurn
    drafts = context.drafts
    valuesBeforeFiring = context.valuesBeforeFiring
    history = context.undoManager?.contents
    undoNotes = context.undoRecorder.notes
    replaced = context.reconciler.replaced
    unreadMerges = context.unreadMerges
    mergedRows = context.mergedRows
    lostMerges = context.lostMerges
    hadReplacedObjects = context.hasReplacedObjects
  }

  /// How many states are kept.
  var count: Int { states.count + pending.count }

  /// Lets go of all objects, so that only their values are kept.
  func forgetObjects() {
    objects = []
    (registered, forgotten, pending, unprocessed) = ([], [], [], [])
    (deletions, postponedDeletions, changesOfDeleted, mergedRows) = ([], [], [], [])
    replaced = []
    history = nil
  }

  /// Lets go of what could be undone, because it leads to numbers that objects no longer have.
  func forgetHistory() {
    history = nil
    isOutdated = true
  }

  /// Notes an object that is about to be replaced.
  func note(_ object: ManagedObject, wasStale: Bool = false) {
    if wasStale { stale.append(object.objectID) }
    if let last = objects.last, last === object { return }
    objects.append(object)
    states.append(
      (
        object.snapshot, object.committed, object.baseline, object.version, object.flags,
        object.causes, object.isPending, object.isDeleted
      ))
  }

  /// Notes an object that the context has just got.
  func noteRegistration(of object: ManagedObject) { registered.append(object) }

  /// Notes an object that is about to leave the context.
  func noteLeaving(of object: ManagedObject) { forgotten.append(object) }

  /// Gives a context the state that it had.
  func putBack(into context: ManagedObjectContext) {
    for (object, state) in zip(objects, states).reversed() {
      (
        object.snapshot, object.committed, object.baseline, object.version, object.flags,
        object.causes, object.isPending, object.isDeleted
      ) = state
    }
    for object in registered {
      context.table(of: object.entity.root)[object.objectID.number] = nil
    }
    for object in forgotten {
      context.table(of: object.entity.root)[object.objectID.number] = object
    }
    context.stale.formUnion(stale)
    context.pending = pending
    context.mayHaveNewObjects = true
    context.unprocessed = unprocessed
    context.deletions = deletions
    context.postponedDeletions = postponedDeletions
    context.changesOfDeleted = changesOfDeleted
    context.pendingBeforeTurn = pendingBeforeTurn
    context.drafts = drafts
    context.valuesBeforeFiring = valuesBeforeFiring
    if let history {
      context.undoManager?.contents = history
    } else {
      context.undoManager?.empty()
    }
    context.undoRecorder.notes = undoNotes
    context.reconciler.replaced = replaced
    context.unreadMerges = unreadMerges
    context.mergedRows = mergedRows
    context.lostMerges = lostMerges
    context.hasReplacedObjects = hadReplacedObjects
  }
}

extension ManagedObjectContext {
  /// Keeps what a rollback, an undo, a redo or a merge of one save replaces until its turn has
  /// ended, so that the turn may be stopped and reverted.
  ///
  /// It must be the only change of its turn.
  ///
  /// - Returns: Whether that is possible. Otherwise nothing must stop the turn.
  package func keepReplacedState() -> Bool {
    guard StopCheck.isInstalled, deliveryDepth == 0, !hasReplacedObjects, unprocessed.isEmpty,
      deletions.isEmpty, !reconciler.isAwaited, children.isEmpty
    else { return false }
    replacedState = ReplacedState(of: self)
    return true
  }

  /// Forgets the state before a replacement, which is no longer to be reverted.
  func dropReplacedState() {
    guard let state = replacedState else { return }
    replacedState = nil
    if looksForUnneededObjects { state.forgetObjects() }
    let count = state.count
    releaseInBackground(consume state, count: count)
  }

  /// Keeps the state before a save decides conflicts by its merge policy.
  func keepStateBeforeDecision() {
    guard replacedState == nil else { return }
    let state = ReplacedState(of: self)
    // Corrected references may have changed objects before, which stays.
    for object in unprocessed { state.note(object) }
    replacedState = state
  }

  /// Puts the state back that ``keepStateBeforeDecision()`` kept, because the save has failed.
  ///
  /// An object that the decision deleted would count as deleted by the user. The next save would
  /// delete it, even if it no longer shares a value with another object. Changes that lost to those
  /// of the store would be lost without a save.
  func undoDecision() {
    guard let state = replacedState else { return }
    // Old references may lead to objects of another process.
    guard !state.isOutdated else { return dropReplacedState() }
    let (changed, fired) = (pending, valuesBeforeFiring)
    state.putBack(into: self)
    dropReplacedState()
    // Faults that were read in the meantime keep what they have read.
    valuesBeforeFiring.merge(fired) { before, _ in before }
    let kept = Set(pending.map { ObjectIdentifier($0) })
    for object in changed where object.isPending && !kept.contains(ObjectIdentifier(object)) {
      if object.committed == nil {
        // A hook has inserted it.
        leave(object)
      } else {
        object.isPending = false
        object.committed = nil
      }
    }
    dropUnchangedObjects()
  }

  /// Returns a loop that is to stop only if what it replaces is reverted or dropped.
  func replacingLoop(over count: Int) -> StopCheck.Loop {
    replacedState == nil ? StopCheck.Loop(droppingOver: count) : StopCheck.Loop(over: count)
  }
}

/// Gives new objects other numbers after another process saved objects with the same numbers.
struct Renumbering {
  let context: ManagedObjectContext

  init(_ context: ManagedObjectContext) { self.context = context }

  /// Gives every unsaved new object of a root entity another number, in the order of the old ones.
  ///
  /// Controllers keep their rows, as when a temporary identity becomes permanent. They fetch at the
  /// next turn, because rows with equal keys are in order of their numbers, and because the old
  /// numbers hid the other process's objects. Undo no longer reaches back before this.
  func renumberInserted(in root: EntityDescription) {
    let inserted = context.pending.filter {
      $0.isInserted && $0.entity.root === root
        && !context.persistentStoreCoordinator.permanentIDs.contains($0.objectID)
    }
    .sorted { $0.objectID.number < $1.objectID.number }
    var numbers: [Int64: Int64] = [:]
    for object in inserted {
      numbers[object.objectID.number] = context.persistentStoreCoordinator.store.reserveNumber(
        in: root)
    }
    let renumbered = inserted.compactMap { object in
      numbers[object.objectID.number].map {
        (old: object.objectID, new: ObjectID(entity: object.entity, number: $0))
      }
    }
    renumber(numbers, in: root)
    context.didRenumber?(renumbered)
  }

  /// Gives unsaved new objects other numbers if the source has saved objects with their numbers.
  ///
  /// Without this, nothing that a save or a merge compares could tell a reference to a new object
  /// from one to the other process's object.
  ///
  /// - Returns: Whether there were such objects.
  @discardableResult
  func renumberTaken() -> Bool {
    let coordinator = context.persistentStoreCoordinator
    // Coordinators that share memory give each number once.
    guard context.pending.contains(where: \.isNew), !coordinator.store.savesAlone,
      coordinator.noticedForeignSaves > 0
    else { return false }
    var inserted: [EntityDescription: [Int64]] = [:]
    for object in context.pending where object.isNew {
      inserted[object.entity.root, default: []].append(object.objectID.number)
    }
    var isAnyTaken = false
    for (root, numbers) in inserted.sorted(by: { $0.key.name < $1.key.name }) {
      var isTaken = false
      context.source.inBatches(numbers) { numbers in
        if isTaken { return }
        let rows = context.source.rows(Array(numbers), in: root)
        isTaken = rows.contains { ($0?.version ?? 0) > 0 }
      }
      guard isTaken else { continue }
      renumberInserted(in: root)
      isAnyTaken = true
    }
    return isAnyTaken
  }

  /// Gives other numbers to new objects that were deleted before they were saved, if another
  /// process has saved objects with their numbers.
  ///
  /// Such objects are kept until their deletion is reported, or while it can be undone, and a child
  /// that has read one keeps it. Until then they would be taken for the other process's objects.
  ///
  /// - Returns: Whether there were such objects.
  @discardableResult
  func freeTakenNumbers() -> Bool {
    let coordinator = context.persistentStoreCoordinator
    // The context may have read nothing since another process saved.
    guard context.parent == nil ? context.drafts.isPossible : !coordinator.lostDrafts.isEmpty,
      coordinator.noticedForeignSaves > 0
    else { return false }
    var gone: [EntityDescription: Set<Int64>] = [:]
    if context.parent == nil {
      for object in context.pending + context.unprocessed
      where object.isNewAndGone
        && context.registered(object.objectID.number, in: object.entity.root) === object
      {
        gone[object.entity.root, default: []].insert(object.objectID.number)
      }
    } else {
      for id in coordinator.lostDrafts {
        guard let object = context.registered(id.number, in: id.entity.root), object.version == 0
        else { continue }
        gone[id.entity.root, default: []].insert(id.number)
      }
    }
    var isAnyTaken = false
    for (root, numbers) in gone.sorted(by: { $0.key.name < $1.key.name }) {
      let old = numbers.sorted()
      var taken: [Int64: Int64] = [:]
      for (number, row) in zip(old, context.source.rows(old, in: root)) {
        // A parent may still have the draft.
        guard let row, context.parent == nil || row.version > 0 else { continue }
        taken[number] = coordinator.store.reserveNumber(in: root)
      }
      guard !taken.isEmpty else { continue }
      let kept = old.compactMap { context.registered($0, in: root) }.filter { !$0.isDeleted }
      let renumbered = kept.compactMap { object in
        taken[object.objectID.number].map {
          (old: object.objectID, new: ObjectID(entity: object.entity, number: $0))
        }
      }
      renumber(taken, in: root)
      context.didRenumber?(renumbered)
      isAnyTaken = true
    }
    return isAnyTaken
  }

  /// Gives other numbers to unsaved objects of this context and its parents whose numbers another
  /// process took, before a read would take them for the other process's objects.
  ///
  /// - Parameter asksStore: Whether to ask the store if others have saved; otherwise only saves that
  ///   it has noticed count.
  /// - Complexity: O(1), unless others have saved since the last call.
  func renumberBeforeReading(asksStore: Bool = true) {
    let coordinator = context.persistentStoreCoordinator
    // Relationships are read often, and seldom after a save of others.
    guard asksStore || coordinator.store.foreignSaves != context.comparedSaves else { return }
    let chain = sequence(first: context, next: \.parent)
    let hasDrafts = asksStore && chain.contains { $0.mayHaveNewObjects || $0.drafts.isPossible }
    let saves =
      hasDrafts || asksStore && !coordinator.lostDrafts.isEmpty
      ? coordinator.noticedForeignSaves : coordinator.store.foreignSaves
    guard saves != context.comparedSaves else { return }
    for context in chain.reversed() {
      Renumbering(context).freeTakenNumbers()
      Renumbering(context).renumberTaken()
      // What could not be read is compared again.
      if !coordinator.hasReadFailure { context.comparedSaves = saves }
    }
  }

  /// Does the same before a request is answered.
  ///
  /// - Returns: The request, whose predicates name the same objects by their new numbers.
  func renumberBeforeReading(_ request: FetchRequest) -> FetchRequest {
    var drafts: [ObjectID: ManagedObject] = [:]
    for context in sequence(first: context, next: \.parent) where context.mayHaveDrafts {
      for predicate in [request.predicate, request.havingPredicate].compactMap(\.self) {
        for id in predicate.objectIDs { drafts[id] = drafts[id] ?? context.newObject(id) }
      }
    }
    renumberBeforeReading()
    var request = request
    if !drafts.isEmpty { request.renumber { drafts[$0]?.objectID } }
    return request
  }

  /// Replaces old numbers by new ones, here and in child contexts.
  ///
  /// - Parameter parents: The contexts from the one of the renumbered objects down to this one's
  ///   parent; none if it is this one.
  private func renumber(
    _ numbers: [Int64: Int64], in root: EntityDescription,
    below parents: [ManagedObjectContext] = []
  ) {
    context.replacedState?.forgetHistory()
    let table = context.table(of: root)
    let objects = numbers.keys.sorted().compactMap { table[$0] }
    for object in objects { table[object.objectID.number] = nil }
    for object in objects {
      guard let number = numbers[object.objectID.number] else { continue }
      object.objectID = ObjectID(entity: object.entity, number: number)
      table[number] = object
    }
    // A child may have read unsaved references from its parent.
    let referrers =
      parents.isEmpty ? context.pending : context.registry.tables.flatMap { Array($0.stored) }
    func top(of object: ManagedObject) -> ManagedObject {
      let id = object.objectID
      return parents.lazy.compactMap { $0.registered(id.number, in: id.entity.root) }.first {
        $0.entity === id.entity
      } ?? object
    }
    for object in referrers {
      object.renumberReferences(numbers, in: root, savedIn: top(of: object))
    }
    let references = { (object: ManagedObject, snapshot: ObjectSnapshot) in
      var snapshot = snapshot
      snapshot.renumberReferences(
        numbers, in: root, of: object.entity, besides: top(of: object).storedReferences)
      return snapshot
    }
    context.undoManager?.renumber(numbers, in: root, references: references)
    context.undoRecorder.renumber(context.unprocessed, references: references)
    for index in context.batches.indices { context.batches[index].renumber() }
    for listener in context.listeners { listener.receiver?.contextDidRenumber(numbers, in: root) }
    context.followStore()
    for child in context.children.contexts {
      Renumbering(child).renumber(numbers, in: root, below: parents + [context])
    }
  }
}

extension ManagedObject {
  /// The values whose references lead to objects in the source.
  fileprivate var storedReferences: ObjectSnapshot? { isPending ? committed : snapshot }

  /// Updates references to renumbered objects.
  ///
  /// - Parameter top: The object as the highest context has it. Its saved references lead to the
  ///   other process's objects, and stay.
  fileprivate func renumberReferences(
    _ numbers: [Int64: Int64], in root: EntityDescription, savedIn top: ManagedObject
  ) {
    let saved = top.storedReferences
    snapshot.renumberReferences(numbers, in: root, of: entity, besides: saved)
    baseline?.renumberReferences(numbers, in: root, of: entity, besides: saved)
    if top !== self { committed?.renumberReferences(numbers, in: root, of: entity, besides: saved) }
  }
}

extension ObjectSnapshot {
  /// Updates references to renumbered objects, besides those of another snapshot.
  fileprivate mutating func renumberReferences(
    _ numbers: [Int64: Int64], in root: EntityDescription, of entity: EntityDescription,
    besides saved: ObjectSnapshot?
  ) {
    // Only a saved relationship can be unread.
    for index in entity.attributes.count..<count where !isUnread(index) {
      let value = self[index]
      guard value.members.contains(where: { $0.renumbered(numbers, in: root) != nil }) else {
        continue
      }
      let known = saved?[index].references(in: root) ?? []
      var ids = value.members.map { id in
        known.contains(id.number) ? id : id.renumbered(numbers, in: root) ?? id
      }
      let relationship = entity.relationships[index - entity.attributes.count]
      if relationship.isToMany, !relationship.isOrdered { ids.sort { $0.number < $1.number } }
      let followed = ids.map(PropertyValue.object)
      self[index] = relationship.isToMany ? .list(followed) : followed[0]
    }
  }
}

extension ObjectID {
  func renumbered(
    _ numbers: [Int64: Int64], in root: EntityDescription
  ) -> ObjectID? {
    guard entity.root === root, let number = numbers[number] else { return nil }
    return ObjectID(entity: entity, number: number)
  }
}

extension PropertyValue {
  /// The numbers of the objects of a root entity that a relationship leads to.
  fileprivate func references(in root: EntityDescription) -> Set<Int64> {
    switch self {
    case .object(let id): id.entity.root === root ? [id.number] : []
    case .list(let members): Set(members.flatMap { $0.references(in: root) })
    case .null, .bool, .int, .double, .string, .date, .decimal, .uuid, .uri, .data: []
    }
  }
}

extension ManagedObjectContext {
  /// Gives new objects identities that later saves do not change.
  ///
  /// A store in a file records that their numbers are taken, so no other process uses them. If
  /// another process already did, the objects get other numbers first, as at a save. An object that
  /// has a permanent identity, or belongs to another context, is ignored.
  ///
  /// - Throws: ``StoreError`` if the store cannot be written.
  /// - Complexity: O(*k* log *n*) for *k* objects.
  public func obtainPermanentIDs(for objects: [ManagedObject]) throws(StoreError) {
    let objects = objects.filter { $0.managedObjectContext === self && $0.hasTemporaryID }
    guard !objects.isEmpty else { return }
    // The numbers of each root entity may be taken, and this is noticed for one entity at a time.
    for _ in persistentStoreCoordinator.managedObjectModel.entities {
      do {
        try persistentStoreCoordinator.store.obtainNumbers(of: objects.map(\.objectID))
        break
      } catch {
        guard case .numberTaken(let id) = error else { throw error }
        Renumbering(owner(ofNew: id)).renumberInserted(in: id.entity.root)
      }
    }
    persistentStoreCoordinator.permanentIDs.formUnion(objects.map(\.objectID))
  }

  /// The context in which a new object was inserted: this one, or one of its parents.
  private func owner(ofNew id: ObjectID) -> ManagedObjectContext {
    Swift.sequence(first: self, next: \.parent).reversed().first {
      $0.registered(id.number, in: id.entity.root)?.isInserted == true
    } ?? self
  }
}
