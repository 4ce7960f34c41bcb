/// The result of a fetch that decides a batch.
struct RefetchedRows {
  let numbers: [Int64]
  /// All matching rows if a limit is kept; otherwise nil.
  let matching: [Int64]?
  let runs: [SectionedResults.SectionRun]
  let keys: [Int64: ObjectSnapshot]
  let pinned: [Int64: FetchedState.PinnedRow]
  let foreignSaves: Int
}

/// Batches that a search cannot decide. Another coordinator or process saved into the store's file.
/// A search would compare rows by other values than those that decided their places.
///
/// A fetch decides such a batch, because it gives the new ranks of all rows. The batch also reports
/// what others saved and no one has merged yet.
extension FetchedResultsController {
  /// Decides a batch, and all that come after it, by a fetch.
  ///
  /// - Returns: The decision, the result of the fetch, and the joined batch.
  /// - Throws: ``FetchedResultsError``, ``FetchError`` or ``ResultsDiff/UnknownValues`` if the
  ///   results cannot follow.
  /// - Complexity: O(*n* log *n*) in the rows.
  func decideByFetch(
    _ batch: ContextChanges, before later: [ContextChanges], in state: FetchedState
  ) throws -> BatchOutcome {
    let context = managedObjectContext
    let related = expand(
      later.isEmpty ? batch : ContextChanges(joining: [batch] + later), before: [], in: state)
    let batch = related.batch
    let outcome = try context.persistentStoreCoordinator.store.readingOneState {
      let fetch = RowFetch(
        context: context, request: state.request, names: state.sectionNames, order: state.order,
        window: state.keptLimit?.window)
      let rows = try fetch.rows(of: fetch.matching(isTracking: true), isTracking: true)
      let fetched = RefetchedRows(
        numbers: rows.numbers, matching: rows.matching, runs: rows.runs, keys: rows.keys,
        pinned: state.rowsToPin(among: rows.matching ?? rows.numbers),
        foreignSaves: context.persistentStoreCoordinator.store.foreignSaves)
      let refetch = Refetch(fetched, of: batch, in: state)
      guard refetch.placement.finalCount == rows.numbers.count else {
        throw ResultsDiff.UnknownValues()
      }
      let standing = StandingRows(state, in: batch, before: [])
      let decision = try ResultsDiff.decide(
        refetch.placement, in: state.results, sectionNames: refetch.sectionNames,
        oldValues: { standing.values(ofRow: $0) },
        identify: hearDecision == nil ? nil : state.objectID)
      var outcome = BatchOutcome(
        batch: batch, decision: decision, objects: refetch.objects, related: related.causes,
        refetched: fetched)
      outcome.hadForeignRows = state.hasForeignRows
      return outcome
    }
    // Rows that could not be read would count as deleted.
    try context.persistentStoreCoordinator.checkReads()
    // The later batches are part of this one.
    context.markSeen(self)
    return outcome
  }
}

/// Compares the results with those of a fetch, to find which rows changed.
private struct Refetch {
  let placement: RowPlacement
  /// The objects of the rows that changed.
  let objects: [ManagedObject]
  /// The section name of each row of the placement's new order.
  let sectionNames: [String]

  init(_ fetched: RefetchedRows, of batch: ContextChanges, in state: FetchedState) {
    let old = state.results.numbers
    let oldRuns = (0..<state.results.sectionCount).map { index in
      SectionedResults.SectionRun(
        name: state.results.name(ofSection: index),
        count: state.results.rowCount(ofSection: index))
    }
    let names = SectionLabels(oldRuns + fetched.runs)
    let oldLabels = names.labels(of: oldRuns)
    let newLabels = names.labels(of: fetched.runs)
    let newRanks = Self.ranks(of: fetched.numbers)
    let oldRanks = Self.ranks(of: old)

    var touched: [Int64: (change: ObjectChange, object: ManagedObject)] = [:]
    var touchedRows: [Int64] = []
    for (change, object) in zip(batch.changes, batch.objects)
    where state.request.includes(change.objectID.entity) {
      let number = change.objectID.number
      let isFirst = touched.updateValue((change, object), forKey: number) == nil
      if isFirst, oldRanks[number] != nil || newRanks[number] != nil { touchedRows.append(number) }
    }
    let quiet = QuietRows(
      old, of: oldRuns, labels: state.results.isSectioned ? (oldLabels, newLabels) : nil,
      newRank: { touched[$0] == nil ? newRanks[$0] : nil })
    let moved = old.indices.filter { !quiet.isUnchanged[$0] && touched[old[$0]] == nil }.map {
      old[$0]
    }
    let came = fetched.numbers.filter { oldRanks[$0] == nil && touched[$0] == nil }
    let others = Dictionary(
      zip(moved + came, state.context.objects(moved + came, in: state.root)),
      uniquingKeysWith: { first, _ in first })
    let rows = touchedRows + moved + came
    let objects = rows.map { touched[$0]?.object ?? (others[$0] ?? nil) ?? state.object($0) }
    self.objects = objects
    let matching = fetched.matching.map(Set.init)
    let changes = rows.enumerated().map { place, number in
      let isRow = newRanks[number] != nil
      let change = touched[number]?.change
      return MembershipChange(
        objectID: objects[place].objectID, place: place, oldRank: oldRanks[number],
        before: change?.before,
        after: isRow
          ? fetched.keys[number] ?? fetched.pinned[number]?.snapshot ?? objects[place].snapshot
          : nil,
        cause: matching?.contains(number) == true && state.knownRows.contains(number)
          ? .limit
          : change.map { $0.kind != .updated } ?? ((others[number] ?? nil) == nil && !isRow)
            ? .existence : .match)
    }
    let changed =
      changes
      + quiet.carried.map { number in
        MembershipChange(unchanged: number, oldRank: oldRanks[number] ?? 0, values: nil)
      }
    placement = RowPlacement(
      changed, newRanks: changed.map { newRanks[$0.number] }, rowCount: old.count)
    sectionNames =
      state.results.isSectioned
      ? placement.newOrder.map { index in
        newRanks[changed[index].number].map { names.names[newLabels[$0]] } ?? ""
      } : []
  }

  private static func ranks(of numbers: [Int64]) -> [Int64: Int] {
    var ranks: [Int64: Int] = Dictionary(minimumCapacity: numbers.count)
    for (rank, number) in numbers.enumerated() { ranks[number] = rank }
    return ranks
  }
}

/// The rows that are in both results, and that no change of the batch names.
private struct QuietRows {
  /// For each old rank, whether the row counts as unchanged; as many as possible do in each
  /// section.
  private(set) var isUnchanged: [Bool]
  /// The rows of sections that change places, which are reported only with their section.
  private(set) var carried: [Int64] = []

  /// - Parameters:
  ///   - old: The rows before, in order.
  ///   - runs: The sections before.
  ///   - labels: The section of each row before and after; nil without sections.
  ///   - newRank: The rank after the batch of a row that no change names; nil for other rows.
  /// - Complexity: O(*n* log *n*) in the rows.
  init(
    _ old: [Int64], of runs: [SectionedResults.SectionRun], labels: (old: [Int], new: [Int])?,
    newRank: (Int64) -> Int?
  ) {
    let replaced = labels.map { SectionLabels.replaced($0.old, $0.new) } ?? []
    isUnchanged = [Bool](repeating: false, count: old.count)
    var start = 0
    for count in labels == nil ? [old.count] : runs.map(\.count) {
      let ranks = start..<start + count
      start += count
      let candidates = ranks.compactMap { rank -> (old: Int, new: Int)? in
        guard let new = newRank(old[rank]) else { return nil }
        if let labels, labels.old[rank] != labels.new[new] { return nil }
        return (rank, new)
      }
      if let labels, let first = ranks.first, replaced.contains(labels.old[first]) {
        carried += candidates.map { old[$0.old] }
        for candidate in candidates { isUnchanged[candidate.old] = true }
        continue
      }
      let kept = KeptOrder.longest(newPositions: candidates.map(\.new))
      for (candidate, isKept) in zip(candidates, kept) { isUnchanged[candidate.old] = isKept }
    }
  }
}

/// Numbers for the names of sections, which make comparing rows fast.
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

  /// Returns the labels of the sections that change places with others.
  ///
  /// - Parameters:
  ///   - old: The label of each row before the batch.
  ///   - new: The label of each row after the batch.
  static func replaced(_ old: [Int], _ new: [Int]) -> Set<Int> {
    var newPlaces: [Int: Int] = [:]
    for label in new where newPlaces[label] == nil { newPlaces[label] = newPlaces.count }
    var seen: Set<Int> = []
    let surviving = old.filter { newPlaces[$0] != nil && seen.insert($0).inserted }
    let kept = KeptOrder.longest(newPositions: surviving.map { newPlaces[$0] ?? 0 })
    return Set(zip(surviving, kept).lazy.filter { !$1 }.map(\.0))
  }
}
