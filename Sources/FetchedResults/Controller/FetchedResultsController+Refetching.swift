/// What a fetch found that decides a batch.
struct RefetchedRows {
  let numbers: [Int64]
  let runs: [SectionedResults.SectionRun]
  let keys: [Int64: Snapshot]
  let pinned: [Int64: FetchedState.PinnedRow]
  let foreignSaves: Int
}

/// Batches that no search can decide: another coordinator, or another process,
/// saved into the store's file, and a search would compare rows by other values
/// than those by which they stand where they do.
///
/// Such a batch is decided by a fetch, from which the new ranks of all rows are
/// known. What others saved meanwhile, and nobody has merged yet, is told with it.
extension FetchedResultsController {
  /// Decides a batch, and all that come after it, by a fetch.
  ///
  /// - Returns: The decision, with what was fetched for it, and the batch that it
  ///   is one of.
  /// - Throws: ``FetchedResultsError``, ``FetchError`` or ``ResultsDiff/Failure``
  ///   where the results cannot follow.
  /// - Complexity: O(*n* log *n*) in the rows.
  func decideByFetch(
    _ batch: ContextChanges, before later: [ContextChanges], in state: FetchedState
  ) throws -> (decision: ResultsDecision, batch: ContextChanges) {
    let context = managedObjectContext
    let batch = later.isEmpty ? batch : ContextChanges(joining: [batch] + later)
    let decision = try context.coordinator.store.readingOneState {
      let rows = try fetchRows(state.request, state.sectionNames, state.order, isCached: false)
      let fetched = RefetchedRows(
        numbers: rows.numbers, runs: rows.runs, keys: rows.keys,
        pinned: state.rowsToPin(among: rows.numbers),
        foreignSaves: context.coordinator.store.foreignSaves)
      let refetch = Refetch(fetched, of: batch, in: state)
      guard refetch.placement.finalCount == rows.numbers.count else {
        throw ResultsDiff.Failure.unknownValues
      }
      let standing = StandingRows(state, in: batch, before: [])
      var decision = try ResultsDiff.decide(
        refetch.placement, in: state.results, sectionNames: refetch.sectionNames,
        stood: { standing.values(ofRow: $0) },
        identify: hearDecision == nil ? nil : state.objectID)
      decision.refetched = fetched
      decision.silences = hearDecision.map { _ in Silences() }
      return decision
    }
    // What could not be read would count as gone.
    try context.coordinator.checkReads()
    // The later ones are part of it.
    context.markSeen(self)
    return (decision, batch)
  }
}

/// Finds which rows changed between some results and those of a fetch.
private struct Refetch {
  let placement: RowPlacement
  /// The section name of each row of the placement's new order.
  let sectionNames: [String]

  init(_ fetched: RefetchedRows, of batch: ContextChanges, in state: FetchedState) {
    let old = FetchedObjects(state: state, section: nil).numbers
    let oldRuns = (0..<state.results.sectionCount).map { index in
      SectionedResults.SectionRun(
        name: state.results.name(ofSection: index),
        count: state.results.rowCount(ofSection: index))
    }
    let names = SectionLabels(oldRuns + fetched.runs)
    let oldLabels = names.labels(of: oldRuns)
    let newLabels = names.labels(of: fetched.runs)
    var newRanks: [Int64: Int] = Dictionary(minimumCapacity: fetched.numbers.count)
    for (rank, number) in fetched.numbers.enumerated() { newRanks[number] = rank }
    var oldRanks: [Int64: Int] = Dictionary(minimumCapacity: old.count)
    for (rank, number) in old.enumerated() { oldRanks[number] = rank }

    var touched: [Int64: ObjectChange] = [:]
    var touchedRows: [Int64] = []
    for change in batch.changes where state.request.includes(change.object.entity) {
      let number = change.object.objectID.number
      let isFirst = touched.updateValue(change, forKey: number) == nil
      if isFirst, oldRanks[number] != nil || newRanks[number] != nil { touchedRows.append(number) }
    }
    // The rows that nothing happened to are as many as can be.
    let candidates = old.indices.filter { rank in
      guard touched[old[rank]] == nil, let new = newRanks[old[rank]] else { return false }
      return !state.results.isSectioned || oldLabels[rank] == newLabels[new]
    }
    var isUnchanged = [Bool](repeating: false, count: old.count)
    let kept = KeptOrder.longest(newPositions: candidates.map { newRanks[old[$0]] ?? 0 })
    for (rank, isKept) in zip(candidates, kept) { isUnchanged[rank] = isKept }

    let moved = old.indices.filter { !isUnchanged[$0] && touched[old[$0]] == nil }.map { old[$0] }
    let came = fetched.numbers.filter { oldRanks[$0] == nil && touched[$0] == nil }
    let objects = Dictionary(
      zip(moved + came, state.context.objects(moved + came, in: state.root)),
      uniquingKeysWith: { first, _ in first })
    let changed = (touchedRows + moved + came).map { number in
      let found = objects[number] ?? nil
      let object = touched[number]?.object ?? found ?? state.object(number)
      let isRow = newRanks[number] != nil
      return MembershipChange(
        object: object, oldRank: oldRanks[number], before: touched[number]?.before,
        after: isRow
          ? fetched.keys[number] ?? fetched.pinned[number]?.snapshot ?? object.snapshot : nil,
        isBirthOrDeath: touched[number].map { $0.kind != .updated } ?? (found == nil && !isRow))
    }
    placement = RowPlacement(
      changed, newRanks: changed.map { newRanks[$0.number] }, rowCount: old.count)
    sectionNames =
      state.results.isSectioned
      ? placement.newOrder.map { index in
        newRanks[changed[index].number].map { names.names[newLabels[$0]] } ?? ""
      } : []
  }
}

/// Numbers for the names of sections, by which rows are compared fast.
private struct SectionLabels {
  private(set) var names: [String] = []
  private var labels: [ScalarString: Int] = [:]

  init(_ runs: [SectionedResults.SectionRun]) {
    for run in runs where labels[ScalarString(run.name)] == nil {
      labels[ScalarString(run.name)] = names.count
      names.append(run.name)
    }
  }

  /// The label of each row.
  func labels(of runs: [SectionedResults.SectionRun]) -> [Int] {
    runs.flatMap { run in
      Array(repeating: labels[ScalarString(run.name)] ?? 0, count: run.count)
    }
  }
}
