extension FetchedResultsController: ContextChangeReceiver {
  package func contextDidProcess(_ batch: ContextChanges, before later: [ContextChanges]) {
    guard let state else {
      onDecision?(DecisionRecord(batch, kept: .notFetched))
      return
    }
    let isStopped = state.trackingError.map { !$0.isPassing } ?? false
    let style = deliveryStyle
    guard style != nil || isObserved, !isStopped else {
      onDecision?(DecisionRecord(batch, kept: isStopped ? .stopped : .noDelegate))
      state.hasMissedBatch = true
      if !mutation(.unpinned) { state.pin(batch) }
      return
    }
    guard !isAnnouncing else {
      joining.append(batch)
      return
    }
    let undecided = state.undecided.map { ContextChanges(joining: [$0, batch]) }
    guard
      let outcome = takeDecided(batch, before: later, in: state)
        ?? decide(undecided ?? batch, before: later, in: state)
    else { return }
    outcome.consoleLine.map { managedObjectContext.console?($0) }
    guard !outcome.decision.isEmpty || mutation(.emptyBatchTold) else {
      record(outcome, in: state, delivery: .nothing)
      if state.keptLimit != nil || outcome.refetched != nil { apply(outcome, to: state) }
      return
    }
    switch style {
    case nil:
      record(outcome, in: state, delivery: isHidden ? .difference : .kept(.noDelegate))
      if change(by: outcome, state) { tellObservers() }
    case .callbacks(let delegate, let methods):
      // The delegate may be newer than the last fetch.
      if methods.contains(.difference), !hasWarnedOfDifference { warnOfDifference() }
      announce(outcome, before: later, to: delegate, methods, state)
    case .snapshot(let delegate):
      record(outcome, in: state, delivery: .snapshot)
      guard change(by: outcome, state) else { return }
      let reloaded =
        quirks.contains(.snapshotsWithoutReloads) ? [] : outcome.decision.reloadedNumbers
      tellObservers { deliverSnapshot(of: state, reloaded: reloaded, to: delegate) }
    case .difference(let delegate):
      record(outcome, in: state, delivery: .difference)
      guard change(by: outcome, state) else { return }
      let difference = outcome.decision.difference(in: state)
      tellObservers {
        calling(.difference) { delegate.controller(self, didChangeContentWith: difference) }
      }
    }
  }

  /// Announces a batch to the delegate, applies it, and delivers it.
  ///
  /// Batches that arrive during `willChangeContent` join this one. It is then decided again,
  /// because the results are still the old ones. If the delegate is replaced there, the new one
  /// receives the batch, unless delegates go on replacing each other.
  private func announce(
    _ outcome: BatchOutcome, before later: [ContextChanges],
    to delegate: any FetchedResultsControllerDelegate, _ methods: FetchedResultsDelegateMethods,
    _ state: FetchedState
  ) {
    var receiver = delegateChanges
    isAnnouncing = true
    if methods.contains(.willChangeContent) {
      calling(.willChangeContent) { delegate.controllerWillChangeContent(self) }
    }
    isAnnouncing = false
    defer {
      if methods.contains(.didChangeContent), delegateChanges == receiver {
        calling(.didChangeContent) { delegate.controllerDidChangeContent(self) }
      }
    }
    guard self.state === state else { return }
    var outcome = outcome
    var batch = outcome.batch
    let isJoined = !joining.isEmpty
    if isJoined { batch = ContextChanges(joining: [batch] + joining) }
    joining = []
    // It may have been set again.
    if self.delegate === delegate || handovers == Self.mostHandovers { receiver = delegateChanges }
    if delegateChanges != receiver {
      handovers += 1
      defer { handovers -= 1 }
      return contextDidProcess(batch, before: isJoined ? [] : later)
    }
    if isJoined {
      guard let again = decide(batch, before: [], in: state) else { return }
      again.consoleLine.map { managedObjectContext.console?($0) }
      outcome = again
    }
    if StopCheck.isLong(outcome.batch.changes.count), StopCheck.dropsChanges, StopCheck.isWanted() {
      return
    }
    record(outcome, in: state, delivery: .callbacks(methods))
    guard change(by: outcome, state) else { return }
    tellObservers { deliver(outcome, to: delegate, methods, state) }
  }

  /// Applies a decision, which the observers receive later.
  ///
  /// - Returns: Whether the results were not forgotten.
  private func change(by outcome: BatchOutcome, _ state: FetchedState) -> Bool {
    apply(outcome, to: state)
    guard self.state === state else { return false }
    guard isObserved else { return true }
    let difference = SectionedDifference(outcome, in: state)
    follower?.didChange(difference, outcome)
    guard self.state === state else { return false }
    if !observers.isEmpty {
      changeCount += 1
      undelivered.append(
        UndeliveredChange(number: changeCount, kind: .difference(difference, state)))
    }
    return true
  }

  /// Applies a decision.
  ///
  /// If that is stopped and its changes are dropped, the results are forgotten.
  private func apply(_ outcome: BatchOutcome, to state: FetchedState) {
    guard state.results.apply(outcome.decision.edits) else { return forget() }
    if let fetched = outcome.refetched { return state.renew(fetched) }
    if let edits = outcome.matchingEdits { state.keptLimit?.rows.apply(edits) }
    state.keepKeys(after: outcome.decision)
    guard !state.pinned.isEmpty else { return }
    for object in outcome.batch.objects where object.entity.root === state.root {
      state.pinned[object.objectID.number] = nil
    }
  }

  package func contextWillProcess(_ batch: ContextChanges) -> Bool {
    decided = nil
    guard let state, !isAnnouncing, !state.mustFetch, state.trackingError == nil,
      deliveryStyle != nil || isObserved
    else { return true }
    do {
      decided = EarlyDecision(try decideReadably(batch, before: [], in: state), in: state)
    } catch {
      // Any other error is found again when the batch comes.
      return !StopCheck.isStopped
    }
    return true
  }

  package func contextDidPutBack() { decided = nil }

  /// Returns and forgets what was decided about a batch before its delivery, if nothing has changed
  /// since.
  private func takeDecided(
    _ batch: ContextChanges, before later: [ContextChanges], in state: FetchedState
  ) -> BatchOutcome? {
    guard let decided else { return nil }
    self.decided = nil
    let context = managedObjectContext
    guard decided.state === state, decided.outcome.batch.sequence == batch.sequence,
      later.isEmpty, context.sequence == batch.sequence, context.unprocessed.isEmpty
    else { return nil }
    return decided.outcome
  }

  package func contextDidReset() {
    forget()
    tellObserversAll()
  }

  package func holds(_ number: Int64, in root: EntityDescription) -> Bool {
    state.map { $0.root === root && $0.knownRows.contains(number) } ?? false
  }

  package var heldCount: Int { state?.knownRows.rowCount ?? 0 }

  package func awaitsMerges(of entity: EntityDescription) -> Bool {
    guard let state else { return onDecision != nil }
    return state.root === entity.root || tracksRelated(entity)
  }

  package func batchedRow(_ number: Int64) -> StoreRow? { state?.row(number) }

  package func contextDidRead(_ object: ManagedObject) {
    let number = object.objectID.number
    guard let state, state.isOlderThanStore, state.root === object.entity.root,
      state.pinned[number] == nil, state.knownRows.contains(number)
    else { return }
    state.pinned[number] = FetchedState.PinnedRow(snapshot: nil, object: object)
  }

  package func contextWillFire(_ fault: ManagedObject) {
    let number = fault.objectID.number
    guard let state, state.root === fault.entity.root, state.pinned[number] == nil,
      state.knownRows.contains(number),
      let values = fault.isUnprocessed ? fault.baseline : fault.snapshot
    else { return }
    state.pinned[number] = FetchedState.PinnedRow(snapshot: values, object: fault)
  }

  package func tracksRelated(_ entity: EntityDescription) -> Bool {
    state?.crossed.contains { entity.isKindOf(entity: $0.entity) } ?? false
  }

  package func contextDidSave() { announcePermanentIDs() }

  package func contextFollowsStore() { state?.mustFetch = true }

  package var readsRelatedObjects: Bool {
    guard let state else { return false }
    return !state.request.crossedObjects(section: sectionNameKeyPath).isEmpty
  }

  package func contextDidRenumber(_ numbers: [Int64: Int64], in root: EntityDescription) {
    for index in joining.indices { joining[index].renumber() }
    fetchRequest.renumber { $0.renumbered(numbers, in: root) }
    guard let state else { return }
    state.renumberRequest { $0.renumbered(numbers, in: root) }
    guard state.root === root else { return }
    state.renumber(numbers)
    if numbers.keys.contains(where: state.results.contains)
      || numbers.values.contains(where: state.results.contains)
    {
      tellObserversAll()
    }
  }

  package func heldNumbers() -> (entity: EntityDescription, numbers: [Int64])? {
    state.map { ($0.entity, $0.knownRows.numbers) }
  }

  /// Drops the results of the last `performFetch`, and ends a batch that was announced.
  func forget() {
    state = nil
    joining = []
    isAnnouncing = false
    decided = nil
  }

  /// Decides a batch; nil if the results can no longer follow it.
  ///
  /// - Returns: The decision, with its batch. If it takes a fetch, the later batches are part of
  ///   it.
  private func decide(
    _ batch: ContextChanges, before later: [ContextChanges], in state: FetchedState
  ) -> BatchOutcome? {
    do {
      guard StopCheck.isInstalled else {
        return try decideWithoutStop(batch, before: later, in: state)
      }
      // Another controller may have told its delegate of the batch, so this one has to follow.
      return try StopCheck.finishing {
        try decideWithoutStop(batch, before: later, in: state)
      }
    } catch {
      stopTracking(state, at: batch, because: Self.trackingError(for: error))
      return nil
    }
  }

  /// Decides a batch by a search, or by a fetch if it takes one.
  private func decideWithoutStop(
    _ batch: ContextChanges, before later: [ContextChanges], in state: FetchedState
  ) throws -> BatchOutcome {
    if !state.mustFetch {
      do {
        return try decideReadably(batch, before: later, in: state)
      } catch is ResultsDiff.UnknownValues {}
    }
    let outcome = try decideByFetch(batch, before: later, in: state)
    state.trackingError = nil
    state.undecided = nil
    return outcome
  }

  /// Keeps the results as they are, for good or until the store can be read.
  private func stopTracking(
    _ state: FetchedState, at batch: ContextChanges, because reason: FetchedResultsError
  ) {
    // While it pauses, each attempt fails in the same way.
    if state.trackingError == nil {
      if case .fetch(.store(let failure)) = reason {
        managedObjectContext.persistentStoreCoordinator.note(failure)
      }
      managedObjectContext.console?(Self.consoleMessage(for: reason))
    }
    onDecision?(DecisionRecord(batch, kept: .stopped))
    state.trackingError = reason
    state.pin(batch)
    guard reason.isPassing else { return }
    state.undecided = batch
    state.mustFetch = true
    managedObjectContext.fetchesAgain = true
    managedObjectContext.awaitEndOfTurn()
  }

  /// Decides a batch without a fetch.
  ///
  /// - Throws: ``StoreError`` if a related object could not be read. A predicate would take it for
  ///   one without values.
  private func decideReadably(
    _ batch: ContextChanges, before later: [ContextChanges], in state: FetchedState
  ) throws -> BatchOutcome {
    let coordinator = managedObjectContext.persistentStoreCoordinator
    let earlier = coordinator.takeReadFailure()
    defer { if let earlier { coordinator.note(earlier) } }
    let outcome = try decideBySearch(batch, before: later, in: state)
    try coordinator.checkReads()
    return outcome
  }

  private func decideBySearch(
    _ batch: ContextChanges, before later: [ContextChanges], in state: FetchedState
  ) throws -> BatchOutcome {
    let found = expand(batch, before: later, in: state)
    guard found.isComplete else { throw ResultsDiff.UnknownValues() }
    let batch = found.batch(of: state)
    var outcome = BatchOutcome(
      batch: batch, objects: batch.objects, unreported: onDecision.map { _ in [] },
      related: found.causes)
    let rule = MembershipRule(
      request: state.request, predicate: state.predicate, order: state.order,
      results: state.knownRows, graph: state.context, isPinned: { state.pinned[$0] != nil })
    var changed = try rule.changes(in: batch.changes, unreported: &outcome.unreported)
    guard !changed.isEmpty else { return outcome }
    let keys = state.order.needsKeys ? changed.map { ($0.number, $0.after) } : []
    if let kept = state.keptLimit {
      if onDecision != nil {
        outcome.matching = Set(changed.lazy.filter { $0.after != nil }.map(\.number))
      }
      changed = try show(changed, in: state, kept, &outcome, before: later)
    }
    var hasNilSection = false
    outcome.decision = try ResultsDiff.decide(
      changed, in: state.results, order: state.order,
      keys: PreBatchKeys(state, in: batch, before: later),
      sectionName: { keys in
        let section = state.sectionNames?.name(of: keys) ?? (name: "", isNil: false)
        hasNilSection = hasNilSection || section.isNil
        return section.name
      },
      identify: onDecision == nil ? nil : state.objectID)
    if !quirks.isEmpty { outcome.decision.apply(quirks) }
    outcome.decision.keys = keys
    if hasNilSection, let names = state.sectionNames {
      outcome.consoleLine = names.nilValueMessage
    }
    let count = changed.count
    releaseInBackground(consume changed, count: count)
    return outcome
  }

  /// Returns a batch with the objects that count as changed because related objects are tracked.
  func expand(
    _ batch: ContextChanges, before later: [ContextChanges], in state: FetchedState
  ) -> RelatedChanges.Expansion {
    if state.crossed.isEmpty { return RelatedChanges.Expansion(batch: batch) }
    return RelatedChanges(
      context: managedObjectContext, request: state.request, crossed: state.crossed
    ).expand(batch, before: later)
  }

  /// Places changes among all matching rows, and returns the changes of the rows that a kept limit
  /// shows.
  ///
  /// Unchanged rows that it lets in or cuts off are included.
  private func show(
    _ changed: [MembershipChange], in state: FetchedState, _ kept: KeptLimit,
    _ outcome: inout BatchOutcome, before later: [ContextChanges]
  ) throws -> [MembershipChange] {
    let window = try WindowChange(
      changed, in: kept, order: state.order,
      keys: PreBatchKeys(state, in: outcome.batch, before: later))
    outcome.matchingEdits = window.edits
    let shown = window.shown(
      changed, ranks: state.results.ranks(of: changed.map(\.number)),
      unreported: &outcome.unreported)
    let numbers = window.leaving + window.entering
    guard !numbers.isEmpty else { return shown }
    let objects = managedObjectContext.objects(numbers, in: state.root)
    // Rows that were read just now may differ from the rows of the results.
    let standing = PreBatchKeys(state, in: outcome.batch, before: later)
    var crossing: [MembershipChange] = []
    for (index, number) in numbers.enumerated() {
      let isRow = index >= window.leaving.count
      // An object that was deleted while the controller did not track is still a row here.
      let object = state.pinned[number]?.object ?? objects[index] ?? state.object(number)
      let values = standing.values(ofRow: number)
      if isRow, values == nil { throw ResultsDiff.UnknownValues() }
      crossing.append(
        MembershipChange(
          objectID: object.objectID, place: outcome.objects.count,
          oldRank: isRow ? nil : state.results.rank(of: number), before: values,
          after: isRow ? values : nil, cause: .limit))
      outcome.objects.append(object)
    }
    return shown + crossing
  }

  /// Passes the reasons of a batch to ``onDecision``.
  private func record(
    _ outcome: BatchOutcome, in state: FetchedState, delivery: DecisionRecord.Delivery
  ) {
    guard let onDecision else { return }
    onDecision(DecisionRecord(outcome, in: state, delivery: delivery))
  }

  /// The error because of which a batch cannot be followed.
  private static func trackingError(for error: any Error) -> FetchedResultsError {
    switch error {
    case let error as FetchedResultsError: error
    case let error as FetchError: .fetch(error)
    case let error as InvalidPredicateError: .fetch(.predicate(error))
    case let error as StoreError: .fetch(.store(error))
    default: .lostTrack
    }
  }

  /// The line that Core Data would print when a batch cannot be followed.
  private static func consoleMessage(for error: FetchedResultsError) -> String {
    "CoreData: error: (NSFetchedResultsController) \(error.reason)"
  }
}

extension FetchedResultsError {
  /// Whether the same fetch may succeed later.
  fileprivate var isPassing: Bool {
    if case .fetch(.store) = self { return true }
    return self == .fetch(.cancelled)
  }
}
