import Basics

/// Which sections are inserted, deleted and kept in a batch, and which section each changed row
/// belongs to.
final class SectionDiff {
  typealias Home = RowHomes.Home

  /// The section of each row of the placement's new order.
  let homes: [Home]
  let slots: [RowHomes.Slot]
  let old: OldSections
  /// Old indices of the sections that changed places with others.
  let reordered: Set<Int>

  private let entered: [SectionedResults.SectionPlace]
  private let results: SectionedResults
  private let placement: RowPlacement

  /// - Parameters:
  ///   - homes: The sections of the placement's new order.
  ///   - reordered: The old indices of the sections that change places with others. All their rows
  ///     count as changed.
  init(
    _ placement: RowPlacement, _ homes: RowHomes, old: OldSections, reordered: Set<Int>,
    of results: SectionedResults
  ) {
    self.homes = homes.homes
    var slots = homes.slots
    for (row, home) in homes.homes.enumerated().reversed() {
      if case .slot(let slot) = home { slots[slot].firstNewRank = placement.newRank(row) }
    }
    self.slots = slots
    self.old = old
    self.reordered = reordered
    entered = homes.entered.map(\.place)
    self.results = results
    self.placement = placement
  }

  /// Derives the sections from rows whose new ranks are known.
  ///
  /// - Parameter names: The section name of each row of the new order.
  /// - Returns: Nil if sections with unchanged rows change places with others.
  /// - Complexity: O(*k* log *n*).
  convenience init?(_ placement: RowPlacement, names: [String], of results: SectionedResults) {
    let old = OldSections(placement.oldRanks, in: results)
    var namesOfChanged = [String](repeating: "", count: placement.changed.count)
    for (index, name) in zip(placement.newOrder, names) { namesOfChanged[index] = name }
    var homes = RowHomes(
      placement.newOrder, names: namesOfChanged, old: OldRows(placement.changed), in: old,
      of: results)
    for slot in homes.slots.indices {
      let gap = placement.newGaps[homes.slots[slot].first]
      guard gap > 0 else { continue }
      let left = results.section(ofRank: placement.oldRank(ofUnchanged: gap - 1))
      homes.slots[slot].ordinal = old.ordinal(of: left.index) + 1
    }
    let reordered = homes.reorderedSections(old: old, sectionCount: results.sectionCount)
    guard reordered.allSatisfy(old.emptied.contains(sorted:)) else { return nil }
    self.init(placement, homes, old: old, reordered: reordered, of: results)
  }

  /// Returns a section before the batch.
  func place(of oldIndex: Int) -> SectionedResults.SectionPlace {
    old.places.place(of: oldIndex) ?? entered.place(of: oldIndex)
      ?? results.section(ofRank: results.firstRank(ofSection: oldIndex))
  }

  /// Returns the name of a section before the batch.
  func key(of oldIndex: Int) -> ScalarString { results.key(of: place(of: oldIndex)) }

  /// The number of rows by which each section with unchanged rows grows, by old index, ascending.
  ///
  /// Sections that do not change may be left out.
  var growths: [(index: Int, rows: Int)] {
    var growths: [(index: Int, rows: Int)] = []
    var leaving = old.places.indices.lazy.filter { !self.old.isEmptied($0) }
      .map { (self.old.places[$0], self.old.changedCount($0)) }.makeIterator()
    var next = leaving.next()
    // Homes ascend, like the gaps.
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

// MARK: - New places of sections and rows

extension SectionDiff {
  /// The new index of a section.
  func newIndex(of home: Home) -> Int {
    switch home {
    case .slot(let index): return slots[index].ordinal + index
    case .existing(let oldIndex):
      if mutation(.staleSection) { return oldIndex }
      let ordinal = old.ordinal(of: oldIndex)
      return ordinal + slotsBefore(ordinal: ordinal)
    }
  }

  /// The new rank of a section's first row.
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

  /// The section's old index, if there was a section of its name.
  func oldIndex(of home: Home) -> Int? {
    switch home {
    case .slot(let index): slots[index].oldIndex
    case .existing(let oldIndex): oldIndex
    }
  }

  /// How many slots are at or before a position among the sections with unchanged rows.
  ///
  /// Slots are in new order, so their ordinals ascend.
  private func slotsBefore(ordinal: Int) -> Int {
    slots.partitioningIndex { $0.ordinal > ordinal }
  }
}
