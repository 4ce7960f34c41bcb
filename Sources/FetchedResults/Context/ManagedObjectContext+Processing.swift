import Foundation

extension ManagedObjectContext {
  /// Ends a turn: collects the changes since the last processing, and lets every controller of this
  /// context report them.
  ///
  /// Controllers report in the order of their creation, one whole batch after another.
  ///
  /// If the context merges automatically, saves of others since the last turn are merged then, as a
  /// separate batch.
  ///
  /// A delegate may change objects, and may cause a call of this method, for example by a fetch
  /// inside a callback. The nested batch is then reported inside the first one. Controllers that
  /// have not received the first batch yet receive it before the nested one.
  public func processPendingChanges() { processPendingChanges(merging: .max) }

  /// Ends a turn.
  ///
  /// - Parameter count: About how many objects of other contexts' saves to merge.
  package func processPendingChanges(merging count: Int) {
    alone { endTurn(merging: count) }
  }

  private func endTurn(merging count: Int) {
    process()
    if isTurnStopped { return }
    undoManager?.closeGroup()
    // What others saved is merged whole, or later.
    StopCheck.finishing { mergeAtEndOfTurn(atMost: count) }
    if !turnReceivers.isEmpty { tellEndOfTurn() }
  }

  private func mergeAtEndOfTurn(atMost count: Int) {
    persistentStoreCoordinator.tellRemoteChanges()
    mergeHistoryAutomatically()
    var isMerged = !unreadMerges.isEmpty
    if isMerged { ChangeMerger(self).mergeUnread() }
    if automaticallyMergesChangesFromParent, mergeSaves(atMost: count) { isMerged = true }
    if isMerged { process() }
  }

  /// Calls those that wait for the end of the turn, each once.
  private func tellEndOfTurn() {
    let receivers = turnReceivers
    turnReceivers = []
    for receiver in receivers { receiver.receiver?.contextDidEndTurn() }
  }

  /// Calls a receiver at the end of the turn.
  func tellAtEndOfTurn(_ receiver: any TurnReceiver) {
    turnReceivers.append(WeakTurnReceiver(receiver: receiver))
    awaitEndOfTurn()
  }

  /// Merges what others saved, and returns whether there was anything.
  private func mergeSaves(atMost count: Int) -> Bool {
    let limit = mostUnmergedObjects
    queuedSaves.limit = limit
    var parts = [queuedSaves.take(objects: .max)]
    if let pendingSaves { parts.append(pendingSaves.take(objects: count, keepingAtMost: limit)) }
    parts.removeAll(where: \.isEmpty)
    for part in parts {
      do {
        try ChangeMerger(self).merge(part)
      } catch {
        persistentStoreCoordinator.note(error)
      }
    }
    return !parts.isEmpty
  }

  /// How many objects of others' saves are kept to be merged one by one.
  ///
  /// If there are more, comparing everything that the context holds is about as fast.
  private var mostUnmergedObjects: Int {
    let rows = listeners.reduce(0) { $0 + ($1.receiver?.heldCount ?? 0) }
    return max(leastUnmergedObjects, (registry.capacity + rows) / 4)
  }

  /// Whether ending a turn would do nothing, not even ask other processes.
  package var isAtRest: Bool {
    unprocessed.isEmpty && changesOfDeleted.isEmpty && deletions.isEmpty && !followsStore
      && !fetchesAgain && queuedSaves.isEmpty && unreadMerges.isEmpty && !asksOthers
      && !reconciler.isAwaited && turnReceivers.isEmpty
      && undoManager?.isOpen != true && persistentStoreCoordinator.remoteChangeHandler == nil
  }

  /// Whether the end of each turn looks for saves of other threads and other processes.
  private var asksOthers: Bool {
    automaticallyMergesChangesFromParent
      && (pendingSaves != nil || parent == nil && persistentStoreCoordinator.history != nil)
  }

  /// Whether ending a turn would do something.
  package var awaitsTurn: Bool {
    !unprocessed.isEmpty || !changesOfDeleted.isEmpty || !queuedSaves.isEmpty || followsStore
  }

  /// Processes pending changes in the middle of a turn, as a fetch does.
  package func process() {
    processChanges()
    if isTurnStopped { return }
    if replacedState != nil { dropReplacedState() }
    releaseUnneeded()
    pendingBeforeTurn = pending.count
  }

  private func processChanges() {
    isTurnStopped = false
    if replacedState != nil, stopTurnIfWanted() { return }
    propagateDeletions()
    if reconciler.isAwaited { reconciler.finish() }
    guard !unprocessed.isEmpty || !changesOfDeleted.isEmpty || followsStore || fetchesAgain
    else { return }
    if stopTurnIfWanted() { return }
    let mustDeliver = followsStore || fetchesAgain
    followsStore = false
    fetchesAgain = false
    sequence += 1
    let touched = unprocessed
    touchedObjects?.add(touched)
    if listeners.isEmpty, onProcessing == nil {
      unprocessed = []
      changesOfDeleted.removeAll()
      endPartWithoutControllers(of: touched)
    } else {
      report(touched, mustDeliver: mustDeliver)
      if isTurnStopped { return }
    }
    hasReplacedObjects = !unprocessed.isEmpty && hasReplacedObjects
    let count = touched.count
    if forgetDeleted(among: touched) == count, StopCheck.isInstalled {
      releaseObjectsInBackground(consume touched, count: count)
    }
  }

  /// Takes the deleted objects out of the context that have nothing left to report or to save.
  ///
  /// - Returns: How many there were.
  private func forgetDeleted(among objects: [ManagedObject]) -> Int {
    var count = 0
    var stop = StopCheck.Loop(droppingOver: objects.count)
    // Most objects have the entity of the object before. Other threads that free the batch count
    // references to it, too, so a count for each object would wait for theirs.
    var last: (entity: EntityDescription, table: ObjectTable)?
    objects.visit { object in
      if stop.isWanted(after: 2) { return false }
      guard object.isDeleted, !object.isPending, !object.isUnprocessed else { return true }
      if last?.entity !== object.objectID.entity {
        last = (object.entity, table(of: object.entity.root))
      }
      if let last { forget(object, from: last.table) }
      count += 1
      return true
    }
    return count
  }

  /// Resets the objects after a turn that no controller reports, without making a list of their
  /// changes.
  ///
  /// For many objects, that list would take more memory than anything else in a turn.
  private func endPartWithoutControllers(of touched: [ManagedObject]) {
    var stop = StopCheck.Loop(droppingOver: touched.count)
    guard let undoManager else {
      touched.visit { object in
        if stop.isWanted() { return false }
        _ = object.takeChange()
        return true
      }
      return
    }
    let undoRecorder = undoRecorder
    let isFinished = touched.visit { object in
      if stop.isWanted(after: 2) { return false }
      if let change = object.takeChange() {
        undoRecorder.record(change, of: object, in: undoManager)
      }
      return true
    }
    if isFinished { undoRecorder.forget() }
  }

  /// Reports the changes of objects to the controllers.
  private func report(_ touched: [ManagedObject], mustDeliver: Bool) {
    guard let batch = takeChanges(of: touched) else { return noteStop(mustDeliver: mustDeliver) }
    unprocessed.removeAll(keepingCapacity: touched.count < Self.keptCapacity)
    changesOfDeleted.removeAll()
    let mayStop = touched.count >= Self.longTurn && mayStopTurn
    if mayStop, !decide(batch) {
      return putBack(batch, of: touched, mustDeliver: mustDeliver)
    }
    guard recordForUndo(batch, mayStop: mayStop) else {
      return putBack(batch, of: touched, mustDeliver: mustDeliver)
    }
    if mayStop {
      StopCheck.reporting { deliver(batch, of: touched, mustDeliver: mustDeliver) }
      let changes = (consume batch).changes
      // Values refer to no object.
      releaseInBackground(consume changes, count: touched.count)
    } else {
      deliver(batch, of: touched, mustDeliver: mustDeliver)
    }
  }

  /// Tells observers and controllers of a batch, which is decided and ends whole from now on.
  private func deliver(
    _ batch: ContextChanges, of touched: [ManagedObject], mustDeliver: Bool
  ) {
    if replacedState != nil { dropReplacedState() }
    if let onProcessing {
      // Nearly always every object changed.
      var cameAndWent: [ManagedObject] = []
      if batch.objects.count < touched.count {
        let changed = Set(batch.objects.map { ObjectIdentifier($0) })
        cameAndWent = touched.filter { !changed.contains(ObjectIdentifier($0)) }
      }
      onProcessing(batch, cameAndWent.map(\.objectID))
    }
    if !listeners.isEmpty, !batch.isEmpty || mustDeliver {
      for object in batch.objects { object.isInOpenBatch = true }
      batches.append(batch)
      deliverBatches()
    }
  }

  /// The number of changes from which all receivers decide a turn before the first one delivers it.
  ///
  /// Shorter turns end sooner than a person can interrupt them.
  private static var longTurn: Int { 1 << 10 }

  /// Whether the running turn may end here, with its changes still unprocessed.
  ///
  /// Once a controller has called its delegate for a batch, the others have to follow. Values that a
  /// merge, a refresh, an undo or a rollback replaced can be restored only from a
  /// ``ReplacedState``.
  var mayStopTurn: Bool {
    deliveryDepth == 0 && StopCheck.isInstalled
      && (!hasReplacedObjects || replacedState != nil || StopCheck.dropsChanges)
  }

  /// Stops the running turn if its work is to stop and it may; returns whether it did so.
  private func stopTurnIfWanted() -> Bool {
    guard mayStopTurn, StopCheck.isWanted(after: unprocessed.count) else { return false }
    isTurnStopped = true
    return true
  }

  /// Lets every receiver decide a batch before the first one receives it.
  ///
  /// - Returns: Whether nothing has stopped that.
  private func decide(_ batch: ContextChanges) -> Bool {
    if !listeners.isEmpty {
      for object in batch.objects { object.isInOpenBatch = true }
      defer { for object in batch.objects { object.isInOpenBatch = false } }
      for listener in listeners where listener.receiver?.contextWillProcess(batch) == false {
        return false
      }
    }
    return !StopCheck.isWanted(after: batch.changes.count)
  }

  /// Makes the changes of a batch unprocessed again.
  private func putBack(
    _ batch: ContextChanges, of touched: [ManagedObject], mustDeliver: Bool
  ) {
    for listener in listeners { listener.receiver?.contextDidPutBack() }
    for object in touched { object.isUnprocessed = true }
    for (change, object) in zip(batch.changes, batch.objects) { object.putBack(change) }
    unprocessed = touched + unprocessed
    changesOfDeleted = batch.changesOfDeleted + changesOfDeleted
    noteStop(mustDeliver: mustDeliver)
  }

  /// Notes that a turn was stopped, and that its batch is no longer taken.
  private func noteStop(mustDeliver: Bool) {
    fetchesAgain = fetchesAgain || mustDeliver
    sequence -= 1
    isTurnStopped = true
    awaitEndOfTurn()
  }

  /// A longer list frees its memory when it is emptied.
  static var keptCapacity: Int { 1 << 14 }

  /// Resets the objects after a turn, and returns the changes of those that changed.
  ///
  /// - Returns: Nil if the turn is to stop. Then the objects are as before.
  private func takeChanges(of touched: [ManagedObject]) -> ContextChanges? {
    var changes: [ObjectChange] = []
    changes.reserveCapacity(touched.count)
    // Nearly always every object changed, so the list of all objects can be used as it is.
    var objects: [ManagedObject]?
    for (place, object) in touched.enumerated() {
      if StopCheck.asks(at: place), mayStopTurn, StopCheck.isWanted(after: 2 << 10) {
        for object in touched[..<place] { object.isUnprocessed = true }
        for (change, object) in zip(changes, objects ?? touched) { object.putBack(change) }
        return nil
      }
      if let change = object.takeChange() {
        changes.append(change)
        objects?.append(object)
      } else if objects == nil {
        objects = Array(touched[..<place])
      }
    }
    return ContextChanges(
      changes: changes, objects: objects ?? touched, changesOfDeleted: changesOfDeleted,
      sequence: sequence)
  }

  private func deliverBatches() {
    deliveryDepth += 1
    let count = listeners.count
    listeners.removeAll { $0.receiver == nil }
    if listeners.count < count {
      listenersByReceiver = listenersByReceiver.filter { $0.value.receiver != nil }
    }
    for listener in listeners {
      while let batch = batches.first(where: { $0.sequence > listener.seen }) {
        listener.seen = mutation(.nestedBatchLost) ? sequence : batch.sequence
        let later = batches.drop { $0.sequence <= batch.sequence }
        listener.receiver?.contextDidProcess(batch, before: Array(later))
      }
    }
    deliveryDepth -= 1
    // Inside a callback, the batch that it belongs to is still in use.
    guard deliveryDepth == 0 else { return }
    for batch in batches {
      for object in batch.objects { object.isInOpenBatch = false }
    }
    batches.removeAll()
    hasForgottenInDelivery = false
  }

  /// The position of one controller in the stream of batches.
  final class Listener {
    weak var receiver: (any ContextChangeReceiver)?
    var seen: Int

    init(_ receiver: any ContextChangeReceiver, seen: Int) {
      self.receiver = receiver
      self.seen = seen
    }
  }

  /// Adds a receiver after the existing ones.
  package func addReceiver(_ receiver: any ContextChangeReceiver) {
    let listener = Listener(receiver, seen: sequence)
    listeners.append(listener)
    // A receiver that was released may have had the same address.
    listenersByReceiver[ObjectIdentifier(receiver)] = listener
  }

  /// Lets a receiver skip the batches that its new contents already include.
  package func markSeen(_ receiver: any ContextChangeReceiver) {
    listenersByReceiver[ObjectIdentifier(receiver)]?.seen = sequence
  }

  /// Notifies controllers that an object was read after others saved.
  func tellReceivers(ofRead object: ManagedObject) {
    for listener in listeners { listener.receiver?.contextDidRead(object) }
  }

  /// Notes the values of a deleted object that is about to change, if key paths may read them.
  func noteChange(ofDeleted object: ManagedObject) {
    guard !object.isGone, isTracked(object.entity) else { return }
    changesOfDeleted.append(DeletedObjectChange(of: object))
    awaitEndOfTurn()
  }

  /// Whether a controller tracks an entity's objects because its key paths read them.
  func isTracked(_ entity: EntityDescription) -> Bool {
    listeners.contains { $0.receiver?.tracksRelated(entity) == true }
  }

  /// Whether an observer or a controller needs the saves of others of objects of an entity that are
  /// not in this context.
  func awaitsMerges(of entity: EntityDescription) -> Bool {
    onProcessing != nil || listeners.contains { $0.receiver?.awaitsMerges(of: entity) == true }
  }

  /// Whether a controller's results contain an object of this number.
  func isHeld(_ number: Int64, in root: EntityDescription) -> Bool {
    listeners.contains { $0.receiver?.holds(number, in: root) == true }
  }
}

/// Who is called once, at the end of a turn, after everything was processed and merged.
protocol TurnReceiver: AnyObject {
  func contextDidEndTurn()
}

/// A receiver that may go away.
struct WeakTurnReceiver {
  weak var receiver: (any TurnReceiver)?
}

/// A receiver of a context's processed changes: a controller or an observer.
package protocol ContextChangeReceiver: AnyObject {
  /// Receives one batch.
  ///
  /// This receiver gets the later batches next; the objects already have the values after them.
  func contextDidProcess(_ batch: ContextChanges, before later: [ContextChanges])

  /// Called before the first receiver gets a long batch that may still be stopped.
  ///
  /// The receiver may decide now what it does with the batch.
  ///
  /// - Returns: Whether nothing has stopped that.
  func contextWillProcess(_ batch: ContextChanges) -> Bool

  /// Called when the announced batch does not come, because its turn was stopped.
  func contextDidPutBack()

  /// Called when the context was reset; the receiver forgets everything.
  func contextDidReset()

  /// Whether the receiver's results contain an object of this number.
  func holds(_ number: Int64, in root: EntityDescription) -> Bool

  /// How many objects the receiver's results contain.
  var heldCount: Int { get }

  /// Whether the receiver needs the saves of others of objects of an entity that are not in the
  /// context.
  func awaitsMerges(of entity: EntityDescription) -> Bool

  /// Returns a row of the results, which is read together with its neighbours.
  func batchedRow(_ number: Int64) -> StoreRow?

  /// Called when an object was made from a row after others have saved. Its values may differ from
  /// those that decided the place of the row.
  func contextDidRead(_ object: ManagedObject)

  /// Called before a fault is read. Its new values may differ from those that decided the place of
  /// the row in the results.
  func contextWillFire(_ fault: ManagedObject)

  /// Whether the receiver tracks an entity's objects because its key paths read them.
  func tracksRelated(_ entity: EntityDescription) -> Bool

  /// Called after the context saved.
  func contextDidSave()

  /// Called after the context rolled back, before that is processed.
  func contextDidRollBack()

  /// Called when others saved something that only a new fetch finds. A fetch must decide the next
  /// batch.
  func contextFollowsStore()

  /// Whether the receiver's request reads related objects, so that a change of them may change
  /// which rows there are, and their order.
  var readsRelatedObjects: Bool { get }

  /// The entity of the results, and the numbers of all of them.
  func heldNumbers() -> (entity: EntityDescription, numbers: [Int64])?

  /// Replaces the numbers of objects that were never saved.
  func contextDidRenumber(_ numbers: [Int64: Int64], in root: EntityDescription)
}

extension ContextChangeReceiver {
  package func contextWillProcess(_ batch: ContextChanges) -> Bool { true }

  package func contextDidPutBack() {}

  package var heldCount: Int { 0 }

  package func batchedRow(_ number: Int64) -> StoreRow? { nil }

  package func contextDidRead(_ object: ManagedObject) {}

  package func contextWillFire(_ fault: ManagedObject) {}

  package func tracksRelated(_ entity: EntityDescription) -> Bool { false }

  package func contextDidSave() {}

  package func contextDidRollBack() {}

  package func contextFollowsStore() {}

  package var readsRelatedObjects: Bool { false }

  /// A receiver that keeps no numbers has none to replace.
  package func contextDidRenumber(_ numbers: [Int64: Int64], in root: EntityDescription) {}
}

extension ManagedObject {
  /// Resets the object after a turn, and returns its change.
  fileprivate func takeChange() -> ObjectChange? {
    let isArrival = hasArrived
    isUnprocessed = false
    let change = ObjectChange(
      objectID: objectID, before: baseline, after: isDeleted ? nil : snapshot, causes: causes,
      isArrival: isArrival)
    baseline = nil
    causes = []
    return change.kind == nil ? nil : change
  }

  /// Makes a change unprocessed again.
  fileprivate func putBack(_ change: ObjectChange) {
    hasArrived = change.isArrival
    baseline = change.before
    causes = change.causes
  }
}

/// Reverting a turn that was stopped.
extension ManagedObjectContext {
  /// Reverts what the user changed since changes were last processed.
  ///
  /// Objects, their relationships and the list of unsaved changes are as before, and so is
  /// everything that only follows at the end of a turn: controllers, observers and undo. New
  /// objects leave the context, and their numbers are given again.
  ///
  /// - Returns: Whether that was possible. It is not if a merge, a refresh, an undo or a rollback
  ///   has replaced values in this turn, unless ``keepReplacedState()`` was called before. Then
  ///   nothing happens.
  /// - Complexity: O(*k*) for *k* changed objects.
  @discardableResult
  package func revertTurn() -> Bool {
    if let replacedState {
      replacedState.putBack(into: self)
      dropReplacedState()
    }
    guard !hasReplacedObjects, !reconciler.isAwaited else { return false }
    isTurnStopped = false
    let firstNew = min(pendingBeforeTurn, pending.count)
    var inserted = NumberRanges()
    for object in pending[firstNew...] {
      if object.committed == nil, object.baseline == nil {
        inserted.add(object.objectID)
        leave(object)
      } else {
        object.revertFirstChange(in: self)
      }
    }
    pending.removeSubrange(firstNew...)
    for object in unprocessed where object.isUnprocessed { object.revertChange() }
    for change in changesOfDeleted.reversed() { change.revert() }
    unprocessed.removeAll(keepingCapacity: unprocessed.count < Self.keptCapacity)
    changesOfDeleted.removeAll()
    deletions.removeAll()
    undoRecorder.forget()
    for range in inserted.ranges where range.hasNoGap {
      persistentStoreCoordinator.store.giveBack(range.first...range.last, in: range.root)
    }
    return true
  }

  /// Removes a new object.
  func leave(_ object: ManagedObject) {
    forget(object)
    object.leaveContext()
    object.isDeleted = true
  }

  /// The numbers of new objects, of each root entity.
  private struct NumberRanges {
    struct Range {
      let root: EntityDescription
      var first: Int64
      var last: Int64
      var count: Int64 = 1

      /// Whether no other context was given a number between them.
      var hasNoGap: Bool { last - first + 1 == count }
    }

    private(set) var ranges: [Range] = []

    mutating func add(_ id: ObjectID) {
      let (root, number) = (id.entity.root, id.number)
      guard let index = ranges.firstIndex(where: { $0.root === root }) else {
        return ranges.append(Range(root: root, first: number, last: number))
      }
      ranges[index].first = min(ranges[index].first, number)
      ranges[index].last = max(ranges[index].last, number)
      ranges[index].count += 1
    }
  }
}

extension ManagedObject {
  /// Reverts a turn in which an object got its first unsaved change.
  fileprivate func revertFirstChange(in context: ManagedObjectContext) {
    let values = committed ?? snapshot
    // A fault that was read for the change has other values than those that controllers know.
    if let baseline, baseline != values { context.valuesBeforeFiring[objectID] = baseline }
    snapshot = values
    isPending = false
    committed = nil
    isDeleted = false
    endTurn()
  }

  /// Reverts a turn in which an object with unsaved changes was changed.
  fileprivate func revertChange() {
    if let baseline {
      snapshot = baseline
      isDeleted = false
    }
    endTurn()
  }

  private func endTurn() {
    isUnprocessed = false
    baseline = nil
    causes = []
  }
}

/// Work of a context that its task or a `Progress` can stop.
extension ManagedObjectContext {
  /// Whether the task that runs now, or the ``progress``, is cancelled.
  var isCancelled: Bool {
    progress?.isCancelled == true || withUnsafeCurrentTask { $0?.isCancelled } == true
  }

  /// What stops long work; nil if neither a task nor a ``progress`` can.
  ///
  /// - Parameter counts: Whether written rows count as done units of the ``progress``.
  func stopCheck(counts: Bool) -> StopCheck? {
    let progress = progress
    guard progress != nil || withUnsafeCurrentTask(body: { $0 != nil }) else { return nil }
    var didAdvance: (@Sendable (Int) -> Void)?
    if counts, let progress {
      didAdvance = { progress.completedUnitCount += Int64($0) }
    }
    return StopCheck(
      within: { progress?.isCancelled == true || Task.isCancelled }, didAdvance: didAdvance)
  }
}

/// The objects that were touched in turns of a context, for someone who shows many objects.
package final class TouchedObjects {
  /// The objects, each as often as it was touched, without those that are forgotten.
  package private(set) var kept: [ManagedObject] = []
  private var forgotten = 0

  package init() {}

  /// How many there were, with those that are forgotten.
  package var count: Int { forgotten + kept.count }

  func add(_ objects: [ManagedObject]) { kept += objects }

  /// Returns the objects since there were so many; nil if some of them are forgotten.
  package func objects(since count: Int) -> [ManagedObject]? {
    count < forgotten ? nil : Array(kept.dropFirst(count - forgotten))
  }

  package func forget() {
    forgotten += kept.count
    kept = []
  }
}
