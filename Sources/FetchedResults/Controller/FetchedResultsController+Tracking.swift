extension FetchedResultsController: ContextChangeReceiver {
  func contextDidProcess(_ batch: ContextChanges, before later: [ContextChanges]) {
    guard let state else {
      hearDecision?(DecisionRecord(batch, kept: .notFetched))
      return
    }
    let isStopped = state.trackingError != nil
    guard let delegate, let style = deliveryStyle, !isStopped else {
      hearDecision?(DecisionRecord(batch, kept: isStopped ? .stopped : .noDelegate))
      if !fault(.unpinned) { state.pin(batch) }
      return
    }
    guard !isAnnouncing else {
      joining.append(batch)
      return
    }
    guard let (decision, batch) = decide(batch, before: later, in: state) else { return }
    guard !decision.isEmpty || fault(.emptyBatchTold) else {
      record(decision, of: batch, in: state, told: .nothing)
      if let fetched = decision.refetched { state.renew(fetched) }
      return
    }
    switch style {
    case .callbacks(let methods):
      announce(decision, of: batch, to: delegate, methods, state)
    case .snapshot:
      record(decision, of: batch, in: state, told: .snapshot)
      apply(decision, of: batch, to: state)
      delegate.controller(
        self, didChangeContentWith: state.snapshot(reloaded: decision.reloadedNumbers))
    case .difference:
      record(decision, of: batch, in: state, told: .difference)
      apply(decision, of: batch, to: state)
      delegate.controller(self, didChangeContentWith: decision.difference(in: state))
    }
  }

  /// Tells that a batch follows, carries it out and tells what it was.
  ///
  /// Batches that come while the delegate is told join this one, which is then
  /// decided anew: the results are still those before it.
  private func announce(
    _ decision: ResultsDecision, of batch: ContextChanges,
    to delegate: any FetchedResultsControllerDelegate, _ methods: FetchedResultsDelegateMethods,
    _ state: FetchedState
  ) {
    isAnnouncing = true
    if methods.contains(.willChangeContent) { delegate.controllerWillChangeContent(self) }
    isAnnouncing = false
    defer {
      if methods.contains(.didChangeContent) { delegate.controllerDidChangeContent(self) }
    }
    guard self.state === state else { return }
    var decision = decision
    var batch = batch
    if !joining.isEmpty {
      batch = ContextChanges(joining: [batch] + joining)
      joining = []
      guard let again = decide(batch, before: [], in: state) else { return }
      (decision, batch) = again
    }
    record(decision, of: batch, in: state, told: .callbacks(methods))
    apply(decision, of: batch, to: state)
    deliver(decision, to: delegate, methods, state)
  }

  private func apply(
    _ decision: ResultsDecision, of batch: ContextChanges, to state: FetchedState
  ) {
    state.results.apply(decision.edits)
    if let fetched = decision.refetched { return state.renew(fetched) }
    state.keepKeys(after: decision)
    guard !state.pinned.isEmpty else { return }
    for change in batch.changes where change.object.entity.root === state.root {
      state.pinned[change.object.objectID.number] = nil
    }
  }

  func contextDidReset() { forget() }

  func holds(_ number: Int64, in root: EntityDescription) -> Bool {
    state.map { $0.root === root && $0.results.contains(number) } ?? false
  }

  func batchedRow(_ number: Int64) -> StoreRow? { state?.row(number) }

  func contextDidRead(_ object: ManagedObject) {
    let number = object.objectID.number
    guard let state, state.isBehindStore, state.root === object.entity.root,
      state.pinned[number] == nil, state.results.contains(number)
    else { return }
    state.pinned[number] = FetchedState.PinnedRow(snapshot: nil, object: object)
  }

  func contextFollowsStore() { state?.mustFetch = true }

  func contextDidRenumber(_ numbers: [Int64: Int64], in root: EntityDescription) {
    if let state, state.root === root { state.renumber(numbers) }
  }

  func heldNumbers() -> (entity: EntityDescription, numbers: [Int64])? {
    state.map { ($0.entity, FetchedObjects(state: $0, section: nil).numbers) }
  }

  /// Ends what the last performFetch began, an announced batch included.
  func forget() {
    state = nil
    joining = []
    isAnnouncing = false
  }

  private typealias Decided = (decision: ResultsDecision, batch: ContextChanges)

  /// Works out what a batch means, or nil where the results cannot follow it
  /// any more.
  ///
  /// - Returns: The decision, and the batch that it is one of: where it takes a
  ///   fetch, the later ones are part of it.
  private func decide(
    _ batch: ContextChanges, before later: [ContextChanges], in state: FetchedState
  ) -> Decided? {
    do {
      if !state.mustFetch {
        do {
          return (try decideBySearch(batch, before: later, in: state), batch)
        } catch ResultsDiff.Failure.unknownValues {}
      }
      return try decideByFetch(batch, before: later, in: state)
    } catch {
      let reason = Self.trackingError(for: error)
      if case .fetch(.store(let failure)) = reason {
        managedObjectContext.coordinator.note(failure)
      }
      managedObjectContext.console?(Self.consoleMessage(for: reason))
      hearDecision?(DecisionRecord(batch, kept: .stopped))
      state.trackingError = reason
      state.pin(batch)
      return nil
    }
  }

  private func decideBySearch(
    _ batch: ContextChanges, before later: [ContextChanges], in state: FetchedState
  ) throws -> ResultsDecision {
    let silences = hearDecision.map { _ in Silences() }
    let rule = MembershipRule(
      request: state.request, predicate: state.predicate, order: state.order,
      results: state.results, isPinned: { state.pinned[$0] != nil }, silences: silences)
    let changed = try rule.changes(in: batch)
    guard !changed.isEmpty else {
      var decision = ResultsDecision()
      decision.silences = silences
      return decision
    }
    var hasNilSection = false
    var decision = try ResultsDiff.decide(
      changed, in: state.results, order: state.order,
      keys: StandingRows(state, in: batch, before: later),
      sectionName: { keys in
        let section = state.sectionNames?.name(of: keys) ?? (name: "", isNil: false)
        hasNilSection = hasNilSection || section.isNil
        return section.name
      },
      identify: hearDecision == nil ? nil : state.objectID)
    decision.silences = silences
    if !quirks.isEmpty { decision.apply(quirks) }
    if state.order.needsKeys { decision.keys = changed.map { ($0.number, $0.after) } }
    if hasNilSection, let names = state.sectionNames {
      managedObjectContext.console?(names.nilValueMessage)
    }
    return decision
  }

  /// Tells whoever asks for reasons by what a batch was decided.
  private func record(
    _ decision: ResultsDecision, of batch: ContextChanges, in state: FetchedState,
    told: DecisionRecord.Told
  ) {
    guard let hearDecision else { return }
    hearDecision(DecisionRecord(decision, of: batch, in: state, told: told))
  }

  /// Why a batch cannot be followed.
  private static func trackingError(for error: any Error) -> FetchedResultsError {
    switch error {
    case ResultsDiff.Failure.outOfOrderSection(let offence):
      .outOfOrderSection(index: offence.rank, previousName: offence.previousName)
    case let error as FetchedResultsError: error
    case let error as FetchError: .fetch(error)
    case let error as PredicateError: .fetch(.predicate(error))
    case let error as StoreError: .fetch(.store(error))
    default: .lostTrack
    }
  }

  /// What Core Data would print when a batch cannot be followed.
  private static func consoleMessage(for error: FetchedResultsError) -> String {
    "CoreData: error: (NSFetchedResultsController) \(error.reason)"
  }
}
