import Algorithms

/// Which sections come, go and stay in a batch, and where each changed row
/// falls.
final class SectionDiff {
  typealias Home = RowHomes.Home

  /// The home of each row of the placement's new order.
  let homes: [Home]
  let slots: [RowHomes.Slot]
  let old: OldSections
  /// Old indices of the sections that changed places with others.
  let reordered: Set<Int>

  private let neighbours: [SectionedResults.SectionPlace]
  private let results: SectionedResults
  private let placement: RowPlacement

  /// Works the sections out.
  ///
  /// - Parameter names: The section name of each row of the new order.
  /// - Returns: Nil where a section name would come back after another one.
  /// - Complexity: O(*k* log *n*).
  init?(_ placement: RowPlacement, in results: SectionedResults, names: [String]) {
    let old = OldSections(placement, in: results)
    guard let found = RowHomes(placement, in: results, old: old, names: names) else { return nil }
    homes = found.homes
    slots = found.slots
    neighbours = found.neighbours
    reordered = SectionReordering.find(slots, old: old, sectionCount: results.sectionCount)
    self.old = old
    self.results = results
    self.placement = placement
  }

  /// Returns a section as it was.
  func place(of oldIndex: Int) -> SectionedResults.SectionPlace {
    old.places.place(of: oldIndex) ?? neighbours.place(of: oldIndex)
      ?? results.section(ofRank: results.firstRank(ofSection: oldIndex))
  }

  /// Returns the name of a section that was there.
  func key(of oldIndex: Int) -> ScalarString { results.key(of: place(of: oldIndex)) }

  /// By how many rows each section with unchanged rows grows, by old index,
  /// ascending; those that stay as they are may be left out.
  var growths: [(index: Int, rows: Int)] {
    var growths: [(index: Int, rows: Int)] = []
    var leaving = zip(old.places, old.changedCounts).lazy
      .filter { $0.rowCount != $1 }.makeIterator()
    var next = leaving.next()
    // Homes ascend, as the gaps do.
    for case .existing(let index) in homes {
      while let (place, count) = next, place.index <= index {
        growths.append((place.index, -count))
        next = leaving.next()
      }
      if growths.last?.index == index {
        growths[growths.count - 1].rows += 1
      } else {
        growths.append((index, 1))
      }
    }
    while let (place, count) = next {
      growths.append((place.index, -count))
      next = leaving.next()
    }
    return growths
  }
}

// MARK: - Where sections and rows stand after

extension SectionDiff {
  /// The index that a section has after the batch.
  func newIndex(of home: Home) -> Int {
    switch home {
    case .slot(let index): return slots[index].ordinal + index
    case .existing(let oldIndex):
      if mutation(.staleSection) { return oldIndex }
      let ordinal = old.ordinal(of: oldIndex)
      return ordinal + slotsBefore(ordinal: ordinal)
    }
  }

  /// The rank of a section's first row after the batch.
  func newFirstRank(of home: Home) -> Int {
    switch home {
    case .slot(let index): return slots[index].firstNewRank
    case .existing(let oldIndex):
      let first = place(of: oldIndex).firstRank
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
    slots.partitioningIndex { $0.ordinal > ordinal }
  }
}

extension [Int] {
  /// Whether an ascending array contains a number.
  func contains(sorted number: Int) -> Bool {
    let index = countBefore(number)
    return index < count && self[index] == number
  }
}
