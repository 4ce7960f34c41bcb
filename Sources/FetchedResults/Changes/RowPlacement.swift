import Basics

/// The old and new places of the changed rows, counted among the rows that did not change.
///
/// A *gap* is the number of unchanged rows before a changed one. Unchanged rows keep their order,
/// so equal gaps before and after mean that no unchanged row was passed. If a section has to change
/// places with others, its rows count as changed.
package struct RowPlacement {
  let changed: [MembershipChange]
  /// Indices into `changed` of the rows that were results, by old rank.
  let oldOrder: [Int]
  let oldRanks: [Int]
  /// For each row of `changed` its place in `oldOrder`.
  let oldPlaces: [Int?]
  /// Indices into `changed` of the rows that are results now, in new order.
  package let newOrder: [Int]
  /// The gap of each row of `newOrder`.
  let newGaps: [Int]
  /// How many rows did not change.
  let unchangedCount: Int

  /// - Parameter rowCount: How many rows there are before the batch.
  init(
    _ changed: [MembershipChange], old: OldRows, newOrder: [Int], newGaps: [Int], rowCount: Int
  ) {
    self.changed = changed
    oldOrder = old.order
    oldRanks = old.ranks
    oldPlaces = old.places
    self.newOrder = newOrder
    self.newGaps = newGaps
    unchangedCount = rowCount - old.ranks.count
  }

  /// Places rows whose new ranks are known.
  ///
  /// - Parameters:
  ///   - changed: The rows that the batch concerns.
  ///   - newRanks: The new rank of each of them; nil for one that is removed.
  ///   - rowCount: How many rows there are before the batch.
  package init(_ changed: [MembershipChange], newRanks: [Int?], rowCount: Int) {
    let newOrder = newRanks.orderOfRanks
    self.init(
      changed, old: OldRows(changed), newOrder: newOrder,
      newGaps: newOrder.enumerated().map { place, index in (newRanks[index] ?? 0) - place },
      rowCount: rowCount)
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
}

extension [Int] {
  /// How many elements of an ascending array are less than a bound.
  func countBefore(_ bound: Int) -> Int { partitioningIndex { $0 >= bound } }

  /// Whether an ascending array contains a number.
  func contains(sorted number: Int) -> Bool {
    let index = countBefore(number)
    return index < count && self[index] == number
  }

  /// The number at a position among the numbers that an ascending array leaves out, both counted
  /// from 0.
  func number(leftOutAt place: Int) -> Int {
    place + indices.partitioningIndex { self[$0] - $0 > place }
  }
}
