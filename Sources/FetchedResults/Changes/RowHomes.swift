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
    var gaps: [Range<Int>] = []
    var leftRanks: [Int] = []
    gaps.reserveCapacity(names.count)
    leftRanks.reserveCapacity(names.count)
    var start = 0
    while start < names.count {
      let gap = placement.newGaps[start]
      var end = start
      while end < names.count && placement.newGaps[end] == gap { end += 1 }
      gaps.append(start..<end)
      if gap > 0 { leftRanks.append(placement.oldRank(ofUnchanged: gap - 1)) }
      start = end
    }
    let lefts = results.sections(ofRanks: leftRanks)
    // Only the first gap may lie before all unchanged rows.
    let unsided = gaps.count - lefts.count
    for (index, rows) in gaps.enumerated() {
      let left = index < unsided ? nil : lefts[index - unsided]
      guard assign(names, rows, behind: left) else { return nil }
    }
    if ScalarString.areAnyEqual(slots.map(\.name)) { return nil }
  }

  /// Assigns the rows of one gap: those at its ends may belong to the sections
  /// around, those between make up sections of their own.
  private mutating func assign(
    _ names: [String], _ rows: Range<Int>, behind left: SectionedResults.SectionPlace?
  ) -> Bool {
    let right = right(ofGap: placement.newGaps[rows.lowerBound], behind: left)
    var row = rows.lowerBound
    if let left {
      let leftName = results.key(of: left).string
      while row < rows.upperBound, names[row].hasSameScalars(as: leftName) {
        homes.append(.existing(left.index))
        row += 1
      }
    }
    if let left, left.index == right?.index { return row == rows.upperBound }
    let ordinal = left.map { old.ordinal(of: $0.index) + 1 } ?? 0
    let rightName = right.map { results.key(of: $0).string }
    while row < rows.upperBound {
      let name = names[row]
      if let right, let rightName, name.hasSameScalars(as: rightName) {
        guard names[row..<rows.upperBound].allSatisfy({ $0.hasSameScalars(as: rightName) })
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

  /// Looks up the section of the unchanged row behind a gap, and notes those on
  /// both sides of it.
  ///
  /// - Parameter left: The section of the unchanged row before it.
  private mutating func right(
    ofGap gap: Int, behind left: SectionedResults.SectionPlace?
  ) -> SectionedResults.SectionPlace? {
    if let left { note(left) }
    guard gap < placement.unchangedCount else { return nil }
    let rank = placement.oldRank(ofUnchanged: gap)
    // Often the row is the next one, in the same section or the one behind it.
    if let left, rank < left.firstRank + left.rowCount { return left }
    let next = left.flatMap { results.section(behind: $0) }
    let right =
      if let next, rank < next.firstRank + next.rowCount { next } else {
        results.section(ofRank: rank)
      }
    note(right)
    return right
  }

  private mutating func note(_ place: SectionedResults.SectionPlace) {
    if neighbours.last?.index != place.index { neighbours.append(place) }
  }
}
