import Algorithms

/// Where the changed rows stood and where they will stand, counted among the
/// rows that did not change.
///
/// A *gap* is the number of unchanged rows before a changed one. Unchanged rows
/// keep their order, so equal gaps before and after mean that no unchanged row
/// was passed.
package struct RowPlacement {
  let changed: [MembershipChange]
  /// Indices into `changed` of the rows that were results, by old rank.
  let oldOrder: [Int]
  let oldRanks: [Int]
  /// Indices into `changed` of the rows that are results now, in new order.
  package let newOrder: [Int]
  /// The gap of each row of `newOrder`.
  let newGaps: [Int]
  /// How many rows did not change.
  let unchangedCount: Int

  /// Places the changed rows.
  ///
  /// - Parameters:
  ///   - changed: The rows that the batch concerns.
  ///   - results: The results before the batch.
  ///   - order: The results' order.
  ///   - keys: The values by which a row of the results stands where it does.
  /// - Complexity: O(*k* log *n*) comparisons.
  init(
    _ changed: [MembershipChange], in results: SectionedResults, order: RowOrder,
    keys: any StandingKeys
  ) {
    self.changed = changed
    oldOrder = Self.ordered(changed.map(\.oldRank))
    oldRanks = oldOrder.map { changed[$0].oldRank ?? 0 }
    var entering: [SortableRow] = []
    var indices: [Int] = []
    for index in changed.indices {
      guard let after = changed[index].after else { continue }
      entering.append(SortableRow(number: changed[index].number, snapshot: after))
      indices.append(index)
    }
    let sorted = order.sortedIndices(of: entering)
    newOrder = sorted.map { indices[$0] }
    var newGaps = [Int](repeating: 0, count: entering.count)
    var searches: [RowSearch] = []
    var searching: [Int] = []
    for place in sorted.indices {
      let row = entering[sorted[place]]
      let index = newOrder[place]
      // Most changes leave the keys alone, and with them the place.
      if let oldRank = changed[index].oldRank,
        let old = keys.values(ofRow: row.number, before: changed[index].before),
        mutation(.stalePlace) || order.compare(old, row.number, row.snapshot, row.number) == 0
      {
        newGaps[place] = oldRank - oldRanks.countBefore(oldRank)
        continue
      }
      searching.append(place)
      searches.append(
        RowSearch(
          code: ProbeCode(row.snapshot, order: order),
          probe: RowProbe(
            row.snapshot, number: row.number, order: order, cache: keys.collationKeys)))
    }
    for (place, rank) in zip(searching, keys.ranks(of: searches, in: results)) {
      newGaps[place] = rank - oldRanks.countBefore(rank)
    }
    self.newGaps = newGaps
    unchangedCount = results.rowCount - oldRanks.count
  }

  /// Places rows whose new ranks are known.
  ///
  /// - Parameters:
  ///   - changed: The rows that the batch concerns.
  ///   - newRanks: The rank that each of them gets; nil of one that goes.
  ///   - rowCount: How many rows there are before the batch.
  package init(_ changed: [MembershipChange], newRanks: [Int?], rowCount: Int) {
    self.changed = changed
    oldOrder = Self.ordered(changed.map(\.oldRank))
    oldRanks = oldOrder.map { changed[$0].oldRank ?? 0 }
    newOrder = Self.ordered(newRanks)
    newGaps = newOrder.enumerated().map { place, index in (newRanks[index] ?? 0) - place }
    unchangedCount = rowCount - oldRanks.count
  }

  /// The indices of what has a rank, by rank.
  private static func ordered(_ ranks: [Int?]) -> [Int] {
    ranks.indices.filter { ranks[$0] != nil }.sorted { ranks[$0] ?? 0 < ranks[$1] ?? 0 }
  }

  /// How many rows there are after the batch.
  package var finalCount: Int { unchangedCount + newOrder.count }

  /// The rank that a row of `newOrder` gets.
  func newRank(_ index: Int) -> Int { newGaps[index] + index }

  /// The gap of a row of `oldOrder`.
  func oldGap(_ index: Int) -> Int { oldRanks[index] - index }

  /// The old rank of the unchanged row with a number, counted from 0.
  func oldRank(ofUnchanged row: Int) -> Int {
    row + oldRanks.indices.partitioningIndex { oldGap($0) > row }
  }

  /// The new rank of the unchanged row with a number, counted from 0.
  func newRank(ofUnchanged row: Int) -> Int { row + newGaps.countBefore(row + 1) }
}

extension [Int] {
  /// How many elements of an ascending array are less than a bound.
  func countBefore(_ bound: Int) -> Int { partitioningIndex { $0 >= bound } }
}
