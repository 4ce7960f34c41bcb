extension ManagedObjectContext {
  /// Ends a turn: collects what changed since the last processing and lets
  /// every controller on this context report it, in order of their creation,
  /// one whole batch after another.
  ///
  /// Where the context merges automatically, what was saved elsewhere since the
  /// last turn is merged then, as a batch of its own.
  ///
  /// A delegate may change objects and may call this again, as a fetch inside
  /// a callback does: the nested batch is reported inside the first, after the
  /// first was reported to the controllers that have not heard it yet.
  public func processPendingChanges() { processPendingChanges(merging: .max) }

  /// Ends a turn.
  ///
  /// - Parameter count: About how many objects of other contexts' saves are merged.
  package func processPendingChanges(merging count: Int) {
    alone { endTurn(merging: count) }
  }

  private func endTurn(merging count: Int) {
    process()
    undoManager?.closeGroup()
    persistentStoreCoordinator.tellRemoteChanges()
    mergeHistoryAutomatically()
    if automaticallyMergesChangesFromParent, let inbox {
      queuedSaves += inbox.take(objects: count)
    }
    guard !queuedSaves.isEmpty else { return }
    let saves = queuedSaves
    queuedSaves = []
    for save in saves { mergeChanges(fromContextDidSave: save) }
    process()
  }

  /// Whether the end of a turn has nothing to do, not even to ask others.
  package var isAtRest: Bool {
    unprocessed.isEmpty && changesOfDeleted.isEmpty && deletions.isEmpty && !followsStore
      && queuedSaves.isEmpty && !automaticallyMergesChangesFromParent && !reconciler.isAwaited
      && undoManager?.isOpen != true && persistentStoreCoordinator.remoteChangeHandler == nil
  }

  /// Whether a turn's end has something to do.
  package var awaitsTurn: Bool {
    !unprocessed.isEmpty || !changesOfDeleted.isEmpty || !queuedSaves.isEmpty || followsStore
  }

  /// Processes pending changes in the midst of a turn, as a fetch does.
  package func process() {
    propagateDeletions()
    if reconciler.isAwaited { reconciler.finish() }
    guard !unprocessed.isEmpty || !changesOfDeleted.isEmpty || followsStore else { return }
    let mustDeliver = followsStore
    followsStore = false
    sequence += 1
    let touched = unprocessed
    if listeners.isEmpty, hearProcessing == nil {
      unprocessed = []
      changesOfDeleted.removeAll()
      endPartUnheard(of: touched)
    } else {
      report(touched, mustDeliver: mustDeliver)
    }
    for object in touched
    where object.isDeleted && !object.isPending && !object.isUnprocessed { forget(object) }
  }

  /// Ends the objects' part in a turn that nobody is told about, without a list of what became of
  /// them: of many objects, it takes more memory than anything else of a turn.
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

  /// Tells controllers what became of objects.
  private func report(_ touched: [ManagedObject], mustDeliver: Bool) {
    let batch = takeChanges(of: touched)
    unprocessed.removeAll(keepingCapacity: touched.count < Self.keptCapacity)
    changesOfDeleted.removeAll()
    recordForUndo(batch)
    if let hearProcessing {
      let changed = Set(batch.objects.map { ObjectIdentifier($0) })
      hearProcessing(
        batch, touched.filter { !changed.contains(ObjectIdentifier($0)) }.map(\.objectID))
    }
    if !listeners.isEmpty, !batch.isEmpty || mustDeliver {
      for object in batch.objects { object.openBatches += 1 }
      batches.append(batch)
      deliverBatches()
    }
  }

  /// A list of more objects gives its memory back when it is emptied.
  static var keptCapacity: Int { 1 << 14 }

  /// Ends the objects' part in a turn, and returns what became of those that
  /// changed.
  private func takeChanges(of touched: [ManagedObject]) -> ContextChanges {
    var changes: [ObjectChange] = []
    changes.reserveCapacity(touched.count)
    // Nearly always each object changed, and the list of all serves as it is.
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
    // Inside a callback the batch around this one is still being looked at.
    guard deliveryDepth == 0 else { return }
    for batch in batches {
      for object in batch.objects where object.openBatches > 0 { object.openBatches -= 1 }
    }
    batches.removeAll()
    hasForgottenInDelivery = false
  }

  /// One controller's place in the stream of batches.
  final class Listener {
    weak var receiver: (any ContextChangeReceiver)?
    var seen: Int

    init(_ receiver: any ContextChangeReceiver, seen: Int) {
      self.receiver = receiver
      self.seen = seen
    }
  }

  /// Adds a receiver after those that listen already.
  package func addReceiver(_ receiver: any ContextChangeReceiver) {
    let listener = Listener(receiver, seen: sequence)
    listeners.append(listener)
    // One that is gone may have had the same address.
    listenersByReceiver[ObjectIdentifier(receiver)] = listener
  }

  /// Lets a receiver skip the batches that its new contents already include.
  package func markSeen(_ receiver: any ContextChangeReceiver) {
    listenersByReceiver[ObjectIdentifier(receiver)]?.seen = sequence
  }

  /// Tells controllers of an object that was read after others saved.
  func tellReceivers(ofRead object: ManagedObject) {
    for listener in listeners { listener.receiver?.contextDidRead(object) }
  }

  /// Notes the values of a deleted object that is about to change, where key paths may read them.
  func noteChange(ofDeleted object: ManagedObject) {
    if isTracked(object.entity) { changesOfDeleted.append(DeletedObjectChange(of: object)) }
  }

  /// Whether a controller tracks what its key paths read of an entity's objects.
  func isTracked(_ entity: EntityDescription) -> Bool {
    listeners.contains { $0.receiver?.tracksRelated(entity) == true }
  }

  /// Whether a controller's results have an object of this number.
  func isHeld(_ number: Int64, in root: EntityDescription) -> Bool {
    listeners.contains { $0.receiver?.holds(number, in: root) == true }
  }
}

/// What is told about a context's processed changes: a controller.
package protocol ContextChangeReceiver: AnyObject {
  /// Takes one batch.
  ///
  /// The later ones are those that this receiver will get next; their objects
  /// already have newer values.
  func contextDidProcess(_ batch: ContextChanges, before later: [ContextChanges])

  /// Forgets everything, since the context did.
  func contextDidReset()

  /// Whether the receiver's results have an object of this number.
  func holds(_ number: Int64, in root: EntityDescription) -> Bool

  /// Returns a row of the results, read with those beside it.
  func batchedRow(_ number: Int64) -> StoreRow?

  /// Is told that an object was made of a row, and that its values may not be those by which the
  /// row is in the results: others have saved.
  func contextDidRead(_ object: ManagedObject)

  /// Is told that a fault is about to be read, whose values may then be others than
  /// those that decided the place of the row in the results.
  func contextWillFire(_ fault: ManagedObject)

  /// Whether the receiver tracks what its key paths read of an entity's objects.
  func tracksRelated(_ entity: EntityDescription) -> Bool

  /// Is told that the context saved.
  func contextDidSave()

  /// Is told that others saved what only a new fetch finds; the next batch must be decided by one.
  func contextFollowsStore()

  /// The entity of the results, and the numbers of all of them.
  func heldNumbers() -> (entity: EntityDescription, numbers: [Int64])?

  /// Puts new numbers in place of those of objects that were never saved.
  func contextDidRenumber(_ numbers: [Int64: Int64], in root: EntityDescription)
}

extension ContextChangeReceiver {
  package func batchedRow(_ number: Int64) -> StoreRow? { nil }

  package func contextDidRead(_ object: ManagedObject) {}

  package func contextWillFire(_ fault: ManagedObject) {}

  package func tracksRelated(_ entity: EntityDescription) -> Bool { false }

  package func contextDidSave() {}

  package func contextFollowsStore() {}

  /// Who keeps no numbers has none to change.
  package func contextDidRenumber(_ numbers: [Int64: Int64], in root: EntityDescription) {}
}

extension ManagedObject {
  /// Ends the object's part in a turn and returns what it was.
  fileprivate func takeChange() -> ObjectChange? {
    isUnprocessed = false
    let change = ObjectChange(
      objectID: objectID, before: baseline, after: isDeleted ? nil : snapshot, causes: causes)
    baseline = nil
    causes = []
    return change.kind == nil ? nil : change
  }
}
