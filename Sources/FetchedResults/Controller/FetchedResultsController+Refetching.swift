/// The result of a fetch that decides a batch.
struct RefetchedRows {
  let numbers: [Int64]
  /// All matching rows if a limit is kept; otherwise nil.
  let matching: [Int64]?
  let runs: [ResultRows.SectionRun]
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
    let batch = related.batch(of: state)
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
      let standing = PreBatchKeys(state, in: batch, before: [])
      let decision = try ResultsDiff.decide(
        refetch.placement, in: state.results, sectionNames: refetch.sectionNames,
        oldValues: { standing.values(ofRow: $0) },
        identify: onDecision == nil ? nil : state.objectID)
      var outcome = BatchOutcome(
        batch: batch, decision: decision, objects: refetch.objects, related: related.causes,
        refetched: fetched)
      outcome.hadForeignRows = state.hasForeignRows
      if onDecision != nil { outcome.matching = fetched.matching.map(Set.init) }
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
      ResultRows.SectionRun(
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
    _ old: [Int64], of runs: [ResultRows.SectionRun], labels: (old: [Int], new: [Int])?,
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

  init(_ runs: [ResultRows.SectionRun]) {
    for run in runs where labels[ScalarString(run.name)] == nil {
      labels[ScalarString(run.name)] = names.count
      names.append(run.name)
    }
  }

  /// The label of each row.
  func labels(of runs: [ResultRows.SectionRun]) -> [Int] {
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

/// Fetches the rows of a controller, in order and in sections.
struct RowFetch {
  let context: ManagedObjectContext
  let request: FetchRequest
  let names: SectionNames?
  let order: RowOrder
  /// The part of the rows that is shown, if the controller keeps the limit; otherwise nil.
  let window: LimitWindow?
  /// Whether only the numbers of rows in each section are asked for, and laid over the rows.
  var countsSections = false

  /// The matching rows before they are divided into sections.
  struct Matching {
    let numbers: [Int64]
    var sections: SectionOrder
    let keys: [Int64: ObjectSnapshot]
    /// The rows that were read whole.
    var rows: [Int64: StoreRow] = [:]
    /// Whether rows are in sections that are not their own.
    var hasForeignRows = false
  }

  /// The rows that a controller shows.
  struct Rows {
    let numbers: [Int64]
    let runs: [ResultRows.SectionRun]
    let keys: [Int64: ObjectSnapshot]
    let rows: [Int64: StoreRow]
    /// All matching rows in the sort order, if the limit is kept; otherwise nil.
    let matching: [Int64]?
  }

  init(
    context: ManagedObjectContext, request: FetchRequest, names: SectionNames?, order: RowOrder,
    window: LimitWindow?
  ) {
    self.context = context
    self.request = window == nil ? request : request.withoutLimit
    self.names = names
    self.order = order
    self.window = window
  }

  /// Fetches all rows of the request, or all matching rows if the limit is kept.
  ///
  /// The caller has processed changes before.
  ///
  /// - Parameter isTracking: Whether the fetch decides a batch. Then no row is read whole.
  /// - Throws: ``FetchError``.
  func matching(isTracking: Bool = false) throws -> Matching {
    var numbers: [Int64]
    var keys: [Int64: ObjectSnapshot] = [:]
    let fetch = ContextFetch(context)
    let readsRows = !isTracking && window == nil && fetch.readsRows(request)
    let found: FoundRows
    var sections = SectionOrder()
    var count = 0
    var hasNilSection = false
    var counts: SectionCounts?
    if countsSections, let names {
      counts = SectionCounts(keyPath: names.keyPath, request.sortDescriptors)
    }
    let shown = window?.ranks(among: .max) ?? 0..<Int.max
    func append(_ value: PropertyValue, count next: Int, _ names: SectionNames) {
      let section = names.name(of: value)
      if section.isNil, shown.overlaps(count..<count + next) { hasNilSection = true }
      sections.append(section.name, count: next)
      counts?.add(section.name, value, count: next)
      count += next
    }
    if order.needsKeys {
      (found, keys) = try fetch.keyedRows(request, by: order, readsRows: readsRows)
      numbers = found.numbers
      // A row that disappeared between two reads of a store is dropped.
      numbers.removeAll { keys[$0] == nil }
      if let names {
        for number in numbers { append(keys[number]?[names.index] ?? .null, count: 1, names) }
      }
    } else {
      found = try fetch.processedRows(
        request, sectionIndex: order.sectionIndex, readsRows: readsRows)
      numbers = found.numbers
      if let names {
        for run in found.sections ?? [] { append(run.value, count: run.count, names) }
      }
    }
    if hasNilSection { names?.nilValueMessage.map { context.console?($0) } }
    var matching = Matching(
      numbers: numbers, sections: sections, keys: keys, rows: found.rows.byNumber())
    if let counted = counts?.order(), counted.runs != sections.runs {
      matching.sections = counted
      matching.hasForeignRows = true
    }
    return matching
  }

  /// Returns the shown rows among those that match.
  ///
  /// - Parameter isTracking: Whether the rows decide a batch. Then the rows of each section are
  ///   brought together. Otherwise the method throws if a section name occurs again after another
  ///   one.
  /// - Throws: ``FetchedResultsError/outOfOrderSection(index:previousName:)``.
  func rows(of found: Matching, isTracking: Bool = false) throws -> Rows {
    let ranks = window?.ranks(among: found.numbers.count)
    let numbers = ranks.map { Array(found.numbers[$0]) } ?? found.numbers
    let sections = ranks.map(found.sections.cut(to:)) ?? found.sections
    var shown = (numbers: numbers, runs: sections.runs)
    if let offence = sections.offence {
      guard isTracking else {
        throw FetchedResultsError.outOfOrderSection(
          index: offence.rank, previousName: offence.previousName)
      }
      shown = sections.grouped(numbers)
    }
    return Rows(
      numbers: shown.numbers, runs: shown.runs, keys: found.keys,
      rows: ranks == nil || isTracking ? found.rows : readRows(numbers),
      matching: ranks == nil ? nil : found.numbers)
  }

  /// Reads the rows of a window whole, if a fetch without a window would.
  private func readRows(_ numbers: [Int64]) -> [Int64: StoreRow] {
    guard ContextFetch(context).readsRows(request),
      let rows = context.source.readableRows(numbers, in: request.entity.root)
    else { return [:] }
    var found: [Int64: StoreRow] = [:]
    for case (let number, let row?) in zip(numbers, rows) { found[number] = row }
    return found
  }
}

extension FetchRequest {
  /// The request for all rows that match.
  var withoutLimit: FetchRequest {
    var request = self
    request.fetchLimit = 0
    request.fetchOffset = 0
    return request
  }
}

/// Rows that were read before their objects were accessed: by the fetch, or together with another
/// row of their batch.
///
/// Only the last batches are kept. A walk through the results needs the rest of a batch soon, or
/// never.
struct RowBatches {
  private static var capacity: Int { 4 }

  /// Rows that the fetch read, for a request without a batch size.
  private var fetched: [Int64: StoreRow] = [:]
  private var batches: [[Int64: StoreRow]] = []
  /// How many saves of others the store had noticed when the batches were read.
  private var foreignSaves = 0

  /// Drops the batches that were read before others saved.
  ///
  /// An object made from such a row would have older values than those that other controllers of
  /// its context have fetched since.
  mutating func dropOutdated(at foreignSaves: Int) {
    guard self.foreignSaves != foreignSaves else { return }
    self.foreignSaves = foreignSaves
    batches = []
    fetched = [:]
  }

  /// Keeps what the fetch read.
  ///
  /// - Parameter foreignSaves: How many saves of others the store had noticed then.
  mutating func keep(_ rows: [Int64: StoreRow], at foreignSaves: Int) {
    self.foreignSaves = foreignSaves
    fetched = rows
  }

  /// Adds a batch of rows, and drops the oldest.
  mutating func add(_ rows: some Sequence<(Int64, StoreRow?)>) {
    if batches.count == Self.capacity { batches.removeFirst() }
    var batch: [Int64: StoreRow] = [:]
    for case (let number, let row?) in rows { batch[number] = row }
    batches.append(batch)
  }

  /// Removes a row and returns it.
  mutating func take(_ number: Int64) -> StoreRow? {
    if !fetched.isEmpty, let row = fetched.removeValue(forKey: number) { return row }
    for index in batches.indices.reversed() {
      if let row = batches[index].removeValue(forKey: number) { return row }
    }
    return nil
  }

  /// Returns a row.
  func peek(_ number: Int64) -> StoreRow? {
    fetched[number] ?? batches.lazy.compactMap { $0[number] }.first
  }
}
