/// In which section each changed row falls that is a result after a batch.
struct RowHomes {
  /// Where a row of the new order falls.
  enum Home: Hashable {
    /// In the section with this index before, which has unchanged rows.
    case existing(Int)
    /// In a section made of changed rows only.
    case slot(Int)
  }

  /// A section made of changed rows only: a new one, or one that every old row
  /// left or changed in.
  struct Slot {
    let name: ScalarString
    /// How many sections with unchanged rows stand before it.
    let ordinal: Int
    /// Its index before, where the name existed.
    let oldIndex: Int?
    let firstNewRank: Int
    var count: Int
  }

  /// The home of each row of the placement's new order.
  private(set) var homes: [Home] = []
  private(set) var slots: [Slot] = []
  /// The sections around the new places, as they were, ascending.
  private(set) var neighbours: [SectionedResults.SectionPlace] = []

  private let placement: RowPlacement
  private let results: SectionedResults
  private let old: OldSections

  /// - Parameter names: The section name of each row of the new order.
  /// - Returns: Nil where a section name would come back after another one.
  /// - Complexity: O(*k* log *n*).
  init?(
    _ placement: RowPlacement, in results: SectionedResults, old: OldSections, names: [String]
  ) {
    self.placement = placement
    self.results = results
    self.old = old
    homes.reserveCapacity(names.count)
    neighbours.reserveCapacity(names.count)
    var start = 0
    while start < names.count {
      var end = start
      while end < names.count && placement.newGaps[end] == placement.newGaps[start] { end += 1 }
      guard assign(names, start..<end) else { return nil }
      start = end
    }
    if ScalarString.areAnyEqual(slots.map(\.name)) { return nil }
  }

  /// Assigns the rows of one gap: those at its ends may belong to the sections
  /// around, those between make up sections of their own.
  private mutating func assign(_ names: [String], _ rows: Range<Int>) -> Bool {
    let (left, right) = neighbours(ofGap: placement.newGaps[rows.lowerBound])
    var row = rows.lowerBound
    if let left {
      while row < rows.upperBound, names[row].hasSameScalars(as: left.entry.name) {
        homes.append(.existing(left.index))
        row += 1
      }
    }
    if let left, left.index == right?.index { return row == rows.upperBound }
    let ordinal = left.map { old.ordinal(of: $0.index) + 1 } ?? 0
    while row < rows.upperBound {
      let name = names[row]
      if let right, name.hasSameScalars(as: right.entry.name) {
        guard names[row..<rows.upperBound].allSatisfy({ $0.hasSameScalars(as: right.entry.name) })
        else { return false }
        while row < rows.upperBound {
          homes.append(.existing(right.index))
          row += 1
        }
        return true
      }
      let key = ScalarString(name)
      let oldIndex = results.section(named: key).flatMap { results.position(of: $0)?.index }
      if let oldIndex, !old.emptied.contains(sorted: oldIndex) { return false }
      slots.append(
        Slot(
          name: key, ordinal: ordinal, oldIndex: oldIndex,
          firstNewRank: placement.newRank(row), count: 0))
      while row < rows.upperBound, names[row].hasSameScalars(as: name) {
        homes.append(.slot(slots.count - 1))
        slots[slots.count - 1].count += 1
        row += 1
      }
    }
    return true
  }

  /// Looks up the sections of the unchanged rows on either side of a gap.
  private mutating func neighbours(
    ofGap gap: Int
  ) -> (left: SectionedResults.SectionPlace?, right: SectionedResults.SectionPlace?) {
    var left: SectionedResults.SectionPlace?
    if gap > 0 {
      let rank = placement.oldRank(ofUnchanged: gap - 1)
      if let last = neighbours.last, rank >= last.firstRank, rank < last.firstRank + last.rowCount {
        left = last
      } else {
        let place = results.section(ofRank: rank)
        neighbours.append(place)
        left = place
      }
    }
    guard gap < placement.unchangedCount else { return (left, nil) }
    let rank = placement.oldRank(ofUnchanged: gap)
    // Often the row is the next one, in the same section or the one behind it.
    if let left, rank < left.firstRank + left.rowCount { return (left, left) }
    let next = left.flatMap { results.section(behind: $0) }
    let right =
      if let next, rank < next.firstRank + next.rowCount { next } else {
        results.section(ofRank: rank)
      }
    neighbours.append(right)
    return (left, right)
  }
}
