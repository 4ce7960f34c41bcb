/// Which sections come, go and stay in a batch, and where each changed row
/// falls.
struct SectionDiff {
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
    let name: String
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
  /// Old indices of sections that have no unchanged row.
  let emptied: [Int]
  /// Old indices of the sections that changed places with others.
  private(set) var reordered: Set<Int> = []
  /// Each old row's section index and row, for the placement's old order.
  let oldPaths: [ResultsIndexPath]

  private let results: SectionedResults
  private let placement: RowPlacement

  /// Works the sections out.
  ///
  /// - Returns: Nil where a section name would come back after another one.
  /// - Complexity: O(*k* log *n*).
  init?(_ placement: RowPlacement, in results: SectionedResults, names: [String]) {
    self.results = results
    self.placement = placement
    oldPaths = placement.oldRanks.map { results.indexPath(ofRank: $0) }
    var removed: [Int: Int] = [:]
    for path in oldPaths { removed[path.section, default: 0] += 1 }
    emptied = removed.filter { results.rowCount(ofSection: $0.key) == $0.value }.keys.sorted()
    homes.reserveCapacity(names.count)
    guard assignHomes(names) else { return nil }
    findReordered()
  }
}

// MARK: - Rows to sections

extension SectionDiff {
  private mutating func assignHomes(_ names: [String]) -> Bool {
    var taken: Set<ScalarString> = []
    var start = 0
    while start < names.count {
      var end = start
      while end < names.count && placement.newGaps[end] == placement.newGaps[start] { end += 1 }
      guard assignHomes(names, start..<end, &taken) else { return false }
      start = end
    }
    return true
  }

  /// Assigns the rows of one gap: those at its ends may belong to the sections
  /// around, those between make up sections of their own.
  private mutating func assignHomes(
    _ names: [String], _ rows: Range<Int>, _ taken: inout Set<ScalarString>
  ) -> Bool {
    let gap = placement.newGaps[rows.lowerBound]
    let left = gap > 0 ? oldSection(ofUnchanged: gap - 1) : nil
    let right = gap < placement.unchangedCount ? oldSection(ofUnchanged: gap) : nil
    let leftName = left.map { results.section(at: $0).name }
    let rightName = right.map { results.section(at: $0).name }
    var row = rows.lowerBound
    if let left, let leftName {
      while row < rows.upperBound, names[row].hasSameScalars(as: leftName) {
        homes.append(.existing(left))
        row += 1
      }
    }
    if let left, left == right { return row == rows.upperBound }
    let ordinal = left.map { self.ordinal(of: $0) + 1 } ?? 0
    while row < rows.upperBound {
      let name = names[row]
      if let right, let rightName, name.hasSameScalars(as: rightName) {
        guard names[row..<rows.upperBound].allSatisfy({ $0.hasSameScalars(as: rightName) })
        else { return false }
        while row < rows.upperBound {
          homes.append(.existing(right))
          row += 1
        }
        return true
      }
      guard taken.insert(ScalarString(name)).inserted else { return false }
      let oldIndex = results.section(named: name).flatMap { results.position(of: $0)?.index }
      if let oldIndex, !emptied.contains(sorted: oldIndex) { return false }
      slots.append(
        Slot(
          name: name, ordinal: ordinal, oldIndex: oldIndex,
          firstNewRank: placement.newRank(row), count: 0))
      while row < rows.upperBound, names[row].hasSameScalars(as: name) {
        homes.append(.slot(slots.count - 1))
        slots[slots.count - 1].count += 1
        row += 1
      }
    }
    return true
  }

  private func oldSection(ofUnchanged row: Int) -> Int {
    results.indexPath(ofRank: placement.oldRank(ofUnchanged: row)).section
  }

  /// How many sections with unchanged rows stood before an old index.
  func ordinal(of oldIndex: Int) -> Int { oldIndex - emptied.countBefore(oldIndex) }
}

// MARK: - Sections among themselves

extension SectionDiff {
  /// Finds the surviving sections that do not keep their order.
  ///
  /// Only a section without unchanged rows can pass another. So the sections
  /// between two such places, old or new, stay or go together, as one block.
  private mutating func findReordered() {
    let refilled = slots.indices.filter { slots[$0].oldIndex != nil }
    guard !refilled.isEmpty else { return }
    struct Piece {
      let oldKey: (Int, Int, Int)
      let newKey: (Int, Int, Int)
      let weight: Int
      let block: Range<Int>?
      let oldIndex: Int
    }
    var pieces: [Piece] = []
    var cuts: Set<Int> = [0, results.sectionCount - emptied.count]
    for index in refilled {
      guard let oldIndex = slots[index].oldIndex else { continue }
      let oldOrdinal = ordinal(of: oldIndex)
      cuts.formUnion([oldOrdinal, slots[index].ordinal])
      pieces.append(
        Piece(
          oldKey: (oldOrdinal, 0, oldIndex), newKey: (slots[index].ordinal, 0, index),
          weight: 1, block: nil, oldIndex: oldIndex))
    }
    let bounds = cuts.sorted()
    for (start, end) in zip(bounds, bounds.dropFirst()) {
      pieces.append(
        Piece(
          oldKey: (start, 1, 0), newKey: (start, 1, 0), weight: end - start,
          block: start..<end, oldIndex: -1))
    }
    pieces.sort { $0.oldKey < $1.oldKey }
    let byNew = pieces.indices.sorted { pieces[$0].newKey < pieces[$1].newKey }
    var newPositions = [Int](repeating: 0, count: pieces.count)
    for (position, index) in byNew.enumerated() { newPositions[index] = position }
    let kept = KeptOrder.longest(newPositions: newPositions, weights: pieces.map(\.weight))
    for (piece, isKept) in zip(pieces, kept) where !isKept {
      if let block = piece.block {
        reordered.formUnion(block.map { oldIndex(ofOrdinal: $0) })
      } else {
        reordered.insert(piece.oldIndex)
      }
    }
  }

  /// The old index of the section with a place among those with unchanged
  /// rows.
  private func oldIndex(ofOrdinal ordinal: Int) -> Int {
    var low = 0
    var high = emptied.count
    while low < high {
      let middle = (low + high) / 2
      if emptied[middle] - middle <= ordinal { low = middle + 1 } else { high = middle }
    }
    return ordinal + low
  }
}

// MARK: - Where sections and rows stand after

extension SectionDiff {
  /// The index that a section has after the batch.
  func newIndex(of home: Home) -> Int {
    switch home {
    case .slot(let index): return slots[index].ordinal + index
    case .existing(let oldIndex):
      let ordinal = self.ordinal(of: oldIndex)
      return ordinal + slotsBefore(ordinal: ordinal)
    }
  }

  /// The rank of a section's first row after the batch.
  func newFirstRank(of home: Home) -> Int {
    switch home {
    case .slot(let index): return slots[index].firstNewRank
    case .existing(let oldIndex):
      let first = results.firstRank(ofSection: oldIndex)
      let unchangedBefore = first - placement.oldRanks.countBefore(first)
      var row = placement.newGaps.countBefore(unchangedBefore)
      while row < homes.count, placement.newGaps[row] == unchangedBefore, homes[row] != home {
        row += 1
      }
      return unchangedBefore + row
    }
  }

  /// The section's index before, where there was one of its name.
  func oldIndex(of home: Home) -> Int? {
    switch home {
    case .slot(let index): slots[index].oldIndex
    case .existing(let oldIndex): oldIndex
    }
  }

  /// How many slots stand at or before a place among the sections with
  /// unchanged rows; slots are in new order, so their ordinals ascend.
  private func slotsBefore(ordinal: Int) -> Int {
    var low = 0
    var high = slots.count
    while low < high {
      let middle = (low + high) / 2
      if slots[middle].ordinal <= ordinal { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension [Int] {
  /// Whether an ascending array contains a number.
  func contains(sorted number: Int) -> Bool {
    let index = countBefore(number)
    return index < count && self[index] == number
  }
}
