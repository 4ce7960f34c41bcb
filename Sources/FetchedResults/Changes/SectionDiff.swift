/// Which sections come, go and stay in a batch, and where each changed row
/// falls.
///
/// What it says does not change once it is made; it remembers the old sections
/// that it was asked for.
final class SectionDiff {
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
  /// Old indices of sections that have no unchanged row.
  private(set) var emptied: [Int] = []
  /// Old indices of the sections that changed places with others.
  private(set) var reordered: Set<Int> = []
  /// Each old row's section index and row, for the placement's old order.
  private(set) var oldPaths: [ResultsIndexPath] = []

  /// What was looked up of the sections as they were, by index.
  private var known: [Int: SectionedResults.SectionPlace] = [:]
  private let results: SectionedResults
  private let placement: RowPlacement

  /// Works the sections out.
  ///
  /// - Returns: Nil where a section name would come back after another one.
  /// - Complexity: O(*k* log *n*).
  init?(_ placement: RowPlacement, in results: SectionedResults, names: [String]) {
    self.results = results
    self.placement = placement
    oldPaths.reserveCapacity(placement.oldRanks.count)
    var last: (section: SectionedResults.SectionPlace, changed: Int)?
    for rank in placement.oldRanks {
      // Old ranks ascend, so the rows of one section lie together.
      if let current = last, rank < current.section.firstRank + current.section.rowCount {
        last?.changed += 1
      } else {
        noteEmptied(last)
        last = (section(ofOldRank: rank), 1)
      }
      guard let section = last?.section else { continue }
      oldPaths.append(ResultsIndexPath(section: section.index, row: rank - section.firstRank))
    }
    noteEmptied(last)
    homes.reserveCapacity(names.count)
    guard assignHomes(names) else { return nil }
    findReordered()
  }

  private func noteEmptied(_ run: (section: SectionedResults.SectionPlace, changed: Int)?) {
    if let run, run.section.rowCount == run.changed { emptied.append(run.section.index) }
  }

  private func section(ofOldRank rank: Int) -> SectionedResults.SectionPlace {
    let section = results.section(ofRank: rank)
    known[section.index] = section
    return section
  }

  /// Returns a section as it was.
  func old(_ index: Int) -> SectionedResults.SectionPlace {
    known[index] ?? section(ofOldRank: results.firstRank(ofSection: index))
  }
}

// MARK: - Rows to sections

extension SectionDiff {
  private func assignHomes(_ names: [String]) -> Bool {
    var taken: Set<ScalarString> = Set(minimumCapacity: names.count)
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
  private func assignHomes(
    _ names: [String], _ rows: Range<Int>, _ taken: inout Set<ScalarString>
  ) -> Bool {
    let gap = placement.newGaps[rows.lowerBound]
    let left = gap > 0 ? section(ofUnchanged: gap - 1) : nil
    let right = gap < placement.unchangedCount ? section(ofUnchanged: gap) : nil
    var row = rows.lowerBound
    if let left {
      while row < rows.upperBound, names[row].hasSameScalars(as: left.entry.name) {
        homes.append(.existing(left.index))
        row += 1
      }
    }
    if let left, left.index == right?.index { return row == rows.upperBound }
    let ordinal = left.map { self.ordinal(of: $0.index) + 1 } ?? 0
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
      guard taken.insert(key).inserted else { return false }
      let oldIndex = results.section(named: key).flatMap { results.position(of: $0)?.index }
      if let oldIndex, !emptied.contains(sorted: oldIndex) { return false }
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

  private func section(ofUnchanged row: Int) -> SectionedResults.SectionPlace {
    section(ofOldRank: placement.oldRank(ofUnchanged: row))
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
  private func findReordered() {
    let refilled = slots.indices.filter { slots[$0].oldIndex != nil }
    guard !keepOrder(refilled), !fault(.sectionsPassUnseen) else { return }
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

  /// Whether sections that were emptied and filled again stand where they
  /// stood, as most do.
  private func keepOrder(_ refilled: [Int]) -> Bool {
    var last = -1
    for index in refilled {
      guard let oldIndex = slots[index].oldIndex, oldIndex > last,
        slots[index].ordinal == ordinal(of: oldIndex)
      else { return false }
      last = oldIndex
    }
    return true
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
      if fault(.staleSection) { return oldIndex }
      let ordinal = self.ordinal(of: oldIndex)
      return ordinal + slotsBefore(ordinal: ordinal)
    }
  }

  /// The rank of a section's first row after the batch.
  func newFirstRank(of home: Home) -> Int {
    switch home {
    case .slot(let index): return slots[index].firstNewRank
    case .existing(let oldIndex):
      let first = old(oldIndex).firstRank
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
