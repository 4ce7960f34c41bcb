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
    undoManager?.closeGroup()
    persistentStoreCoordinator.tellRemoteChanges()
    mergeHistoryAutomatically()
    var isMerged = !unreadMerges.isEmpty
    if isMerged { ChangeMerger(self).mergeUnread() }
    if automaticallyMergesChangesFromParent, mergeSaves(atMost: count) { isMerged = true }
    if isMerged { process() }
    if !turnReceivers.isEmpty { tellEndOfTurn() }
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
    releaseUnneeded()
  }

  private func processChanges() {
    propagateDeletions()
    if reconciler.isAwaited { reconciler.finish() }
    guard !unprocessed.isEmpty || !changesOfDeleted.isEmpty || followsStore || fetchesAgain
    else { return }
    let mustDeliver = followsStore || fetchesAgain
    followsStore = false
    fetchesAgain = false
    sequence += 1
    let touched = unprocessed
    touchedObjects?.add(touched)
    if listeners.isEmpty, onProcessing == nil {
      unprocessed = []
      changesOfDeleted.removeAll()
      endPartUnheard(of: touched)
    } else {
      report(touched, mustDeliver: mustDeliver)
    }
    for object in touched
    where object.isDeleted && !object.isPending && !object.isUnprocessed { forget(object) }
  }

  /// Resets the objects after a turn that no controller reports, without making a list of their
  /// changes.
  ///
  /// For many objects, that list would take more memory than anything else in a turn.
  private func endPartUnheard(of touched: [ManagedObject]) {
    guard let undoManager else {
      for object in touched { _ = object.takeChange() }
      return
    }
    for object in touched {
      guard let change = object.takeChange() else { continue }
      undoRecorder.record(change, of: object, in: undoManager)
    }
    undoRecorder.forget()
  }

  /// Reports the changes of objects to the controllers.
  private func report(_ touched: [ManagedObject], mustDeliver: Bool) {
    let batch = takeChanges(of: touched)
    unprocessed.removeAll(keepingCapacity: touched.count < Self.keptCapacity)
    changesOfDeleted.removeAll()
    recordForUndo(batch)
    if let onProcessing {
      let changed = Set(batch.objects.map { ObjectIdentifier($0) })
      onProcessing(
        batch, touched.filter { !changed.contains(ObjectIdentifier($0)) }.map(\.objectID))
    }
    if !listeners.isEmpty, !batch.isEmpty || mustDeliver {
      for object in batch.objects { object.isInOpenBatch = true }
      batches.append(batch)
      deliverBatches()
    }
  }

  /// A longer list frees its memory when it is emptied.
  static var keptCapacity: Int { 1 << 14 }

  /// Resets the objects after a turn, and returns the changes of those that changed.
  private func takeChanges(of touched: [ManagedObject]) -> ContextChanges {
    var changes: [ObjectChange] = []
    changes.reserveCapacity(touched.count)
    // Nearly always every object changed, so the list of all objects can be used as it is.
    var objects: [ManagedObject]?
    for (place, object) in touched.enumerated() {
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
    guard isTracked(object.entity) else { return }
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

  /// Called when the context was reset; the receiver forgets everything.
  func contextDidReset()

  /// Whether the receiver's results contain an object of this number.
  func holds(_ number: Int64, in root: EntityDescription) -> Bool

  /// How many objects the receiver's results contain.
  var heldCount: Int { get }

  /// Whether the receiver has to be told if others save an object of an entity that is not in the
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
