import Basics

/// A changed object as one controller sees it: its place before, and its values now.
package struct MembershipChange: Sendable {
  package let number: Int64
  /// Nil for an unchanged row whose section changes places with others.
  package let objectID: ObjectID?
  /// The object's index in the batch's list of objects; nil for an unchanged row whose section
  /// changes places with others.
  package let place: Int?
  /// The object's old rank; nil if it was not a result.
  package let oldRank: Int?
  /// The values before the batch; nil if it did not exist.
  package let before: ObjectSnapshot?
  /// The values that decide its new place; nil if it is not a result now.
  package let after: ObjectSnapshot?
  /// Why the object enters or leaves the results, if it does.
  package let cause: Cause

  /// Why an object becomes a result, or stops being one.
  package enum Cause: Hashable, Sendable {
    /// The object was inserted or deleted.
    case existence
    /// The object started or stopped matching.
    case match
    /// It matches before and after, and a kept limit lets it in or cuts it off.
    case limit
  }

  /// Returns the change as a change of the rows that a limit shows.
  ///
  /// - Parameters:
  ///   - rank: The old rank among the shown rows; nil if the row was not shown.
  ///   - isRow: Whether the row is shown after the batch.
  func shown(at rank: Int?, isRow: Bool, cause: Cause) -> MembershipChange {
    MembershipChange(
      number: number, objectID: objectID, place: place, oldRank: rank, before: before,
      after: isRow ? after : nil, cause: cause)
  }
}

extension MembershipChange {
  package init(
    objectID: ObjectID, place: Int, oldRank: Int?, before: ObjectSnapshot?, after: ObjectSnapshot?,
    cause: Cause
  ) {
    self.init(
      number: objectID.number, objectID: objectID, place: place, oldRank: oldRank, before: before,
      after: after, cause: cause)
  }

  /// Includes an unchanged row, because its section changes places with others.
  ///
  /// - Parameter values: The values that decide its place.
  package init(unchanged number: Int64, oldRank: Int, values: ObjectSnapshot?) {
    self.init(
      number: number, objectID: nil, place: nil, oldRank: oldRank, before: nil, after: values,
      cause: .match)
  }
}

/// Decides which changed objects concern a controller: objects of its entity that were results
/// before the batch, or are results now.
package struct MembershipRule {
  private let request: FetchRequest
  private let predicate: CompiledPredicate?
  private let order: RowOrder
  private let results: ResultRows
  /// Reads the objects that relationships lead to.
  private let graph: (any ObjectGraph)?
  /// Whether a row's object changed while the controller did not track changes.
  private let isPinned: (Int64) -> Bool

  package init(
    request: FetchRequest, predicate: CompiledPredicate?, order: RowOrder,
    results: ResultRows, graph: (any ObjectGraph)?, isPinned: @escaping (Int64) -> Bool
  ) {
    self.request = request
    self.predicate = predicate
    self.order = order
    self.results = results
    self.graph = graph
    self.isPinned = isPinned
  }

  /// Returns what the batch changes in the results, in the batch's order.
  ///
  /// - Parameter unreported: Called for each change that does not concern the controller; nil if no
  ///   reasons are kept.
  /// - Throws: ``InvalidPredicateError`` if the predicate raises on an object.
  /// - Complexity: O(*k* log *n*) for *k* changed objects and *n* rows.
  package func changes(
    in batch: [ObjectChange], unreported: inout [UnreportedChange]?
  ) throws(InvalidPredicateError) -> [MembershipChange] {
    var found: [MembershipChange] = []
    // The closure would copy the whole rule.
    let results = results
    let ranks = StopCheck.parts(of: batch) { results.ranks(of: $0.map(\.objectID.number)) }
    if StopCheck.isStopped(over: batch.count) { throw .stopped }
    for (place, change) in batch.enumerated() {
      if StopCheck.isWanted(at: place) { throw .stopped }
      let oldRank = ranks[place]
      guard request.includes(change.objectID.entity) else {
        unreported?.append(UnreportedChange(place: place, reason: .otherEntity))
        continue
      }
      var after = change.after
      if let snapshot = after, let predicate, !mutation(.staleMatch),
        try !predicate.matches(snapshot, of: change.objectID)
      {
        after = nil
      }
      if oldRank == nil && after == nil {
        unreported?.append(UnreportedChange(place: place, reason: .staysOutside))
        continue
      }
      if mutation(.missedReentry), oldRank == nil, change.kind == .updated { continue }
      // A merge reports an object that a fetch has already found.
      if oldRank != nil, change.kind == .inserted || change.isArrival,
        !isPinned(change.objectID.number)
      {
        unreported?.append(UnreportedChange(place: place, reason: .alreadyFetched))
        continue
      }
      if order.needsKeys, let snapshot = after {
        after = order.keys(
          of: ObjectValues(objectID: change.objectID, snapshot: snapshot, graph: graph))
      }
      found.append(
        MembershipChange(
          objectID: change.objectID, place: place, oldRank: oldRank, before: change.before,
          after: after, cause: change.kind == .updated ? .match : .existence))
    }
    return found
  }
}

/// The part of all matching rows that remains after an offset and a limit.
package struct LimitWindow: Hashable, Sendable {
  /// How many matching rows come before the first one of the window.
  package let offset: Int
  /// The most rows of the window; nil for no limit.
  package let limit: Int?

  /// - Returns: Nil if a request has neither an offset nor a limit.
  package init?(_ request: FetchRequest) {
    guard request.fetchLimit > 0 || request.fetchOffset > 0 else { return nil }
    offset = max(request.fetchOffset, 0)
    limit = request.fetchLimit > 0 ? request.fetchLimit : nil
  }

  /// The ranks of the window among some rows.
  package func ranks(among count: Int) -> Range<Int> {
    let first = min(offset, count)
    return first..<first + min(limit ?? .max, count - first)
  }
}

/// All matching rows, in the sort order and without sections, of a controller that keeps the limit
/// of its request.
///
/// They include the row that comes in when another one leaves.
struct KeptLimit {
  let window: LimitWindow
  let rows: ResultRows

  init(_ window: LimitWindow, _ numbers: [Int64], shape: CountedTreeShape = .standard) {
    self.window = window
    rows = ResultRows(numbers: numbers, runs: [], isSectioned: false, shape: shape)
  }
}

/// What a batch does to the rows that a kept limit shows.
///
/// The changes are first placed among all matching rows. That moves each end of the window by at
/// most *k* unchanged rows. These rows come in or leave although they did not change.
struct WindowChange {
  /// How the matching rows change.
  let edits: ResultsDecision.Edits
  /// Unchanged rows that come in, in order.
  private(set) var entering: [Int64] = []
  /// Unchanged rows that leave, in order.
  private(set) var leaving: [Int64] = []
  /// For each changed row whether it is shown after the batch.
  private var isShown: [Bool]
  /// For each changed row whether it was shown before the batch.
  private var wasShown: [Bool]

  /// Places changes among all matching rows.
  ///
  /// - Parameters:
  ///   - changed: The changes of rows that match before or after the batch.
  ///   - keys: The values that decide the place of a matching row.
  /// - Throws: ``ResultsDiff/UnknownValues``.
  /// - Complexity: O(*k* log *n*) for *k* changes and *n* matching rows.
  init(
    _ changed: [MembershipChange], in kept: KeptLimit, order: RowOrder, keys: any PlacementKeys
  ) throws(ResultsDiff.UnknownValues) {
    let (placement, edits) = try ResultsDiff.place(
      changed, in: kept.rows, order: order, keys: keys)
    self.edits = edits
    let old = kept.window.ranks(among: kept.rows.rowCount)
    let new = kept.window.ranks(among: placement.finalCount)
    wasShown = changed.map { $0.oldRank.map(old.contains) ?? false }
    isShown = Array(repeating: false, count: changed.count)
    for (place, index) in placement.newOrder.enumerated() {
      isShown[index] = new.contains(placement.newRank(place))
    }
    // Both are ranges of unchanged rows, counted among these alone.
    let oldRows = placement.unchanged(ofOldRanks: old)
    let newRows = placement.unchanged(ofNewRanks: new)
    func numbers(_ rows: Range<Int>) -> [Int64] {
      rows.map { kept.rows.number(at: placement.oldRank(ofUnchanged: $0)) }
    }
    leaving = oldRows.without(newRows).flatMap(numbers)
    if !mutation(.limitNotRefilled) { entering = newRows.without(oldRows).flatMap(numbers) }
  }

  /// Returns the changes of rows that are shown before or after the batch.
  ///
  /// - Parameters:
  ///   - changed: The changes that were placed.
  ///   - ranks: The rank of each of them among the shown rows; nil if it is not shown.
  ///   - unreported: Called for each change that concerns no shown row; nil if no reasons are kept.
  func shown(
    _ changed: [MembershipChange], ranks: [Int?], unreported: inout [UnreportedChange]?
  ) -> [MembershipChange] {
    changed.indices.compactMap { index in
      let change = changed[index]
      guard wasShown[index] || isShown[index] else {
        if let place = change.place {
          unreported?.append(UnreportedChange(place: place, reason: .outsideLimit))
        }
        return nil
      }
      let crosses =
        wasShown[index] != isShown[index] && change.oldRank != nil && change.after != nil
      return change.shown(
        at: ranks[index], isRow: isShown[index], cause: crosses ? .limit : change.cause)
    }
  }
}

extension RowPlacement {
  /// The unchanged rows whose ranks before the batch are in a range.
  fileprivate func unchanged(ofOldRanks ranks: Range<Int>) -> Range<Int> {
    func count(before rank: Int) -> Int { rank - oldRanks.countBefore(rank) }
    return count(before: ranks.lowerBound)..<count(before: ranks.upperBound)
  }

  /// The unchanged rows whose ranks after the batch are in a range.
  fileprivate func unchanged(ofNewRanks ranks: Range<Int>) -> Range<Int> {
    func count(before rank: Int) -> Int {
      rank - newOrder.indices.partitioningIndex { newRank($0) >= rank }
    }
    return count(before: ranks.lowerBound)..<count(before: ranks.upperBound)
  }
}

extension Range<Int> {
  /// Returns the parts of the range that are not in another one.
  fileprivate func without(_ other: Range<Int>) -> [Range<Int>] {
    guard overlaps(other) else { return [self] }
    return [
      lowerBound..<Swift.max(lowerBound, other.lowerBound),
      Swift.min(upperBound, other.upperBound)..<upperBound,
    ]
  }
}
