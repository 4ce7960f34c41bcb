import Basics

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
    _ changed: [MembershipChange], in kept: KeptLimit, order: RowOrder, keys: any StandingKeys
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
  ///   - silences: Called for each change that concerns no shown row; nil if no reasons are kept.
  func shown(
    _ changed: [MembershipChange], ranks: [Int?], silences: inout [SilentChange]?
  ) -> [MembershipChange] {
    changed.indices.compactMap { index in
      let change = changed[index]
      guard wasShown[index] || isShown[index] else {
        if let place = change.place {
          silences?.append(SilentChange(place: place, silence: .outsideLimit))
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
