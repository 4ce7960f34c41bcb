import Basics

/// The order of the sections after a batch: that of their first rows, by the sort order.
///
/// Only a section with another first row can change its place among the others, and few sections
/// with unchanged rows get one. If the sort keys agree with the sections, none changes its place.
struct SectionSequence {
  private typealias FirstRow = EnteringRows.FirstRow

  /// How many rows of the results come before a row, and whether it is one of them and keeps its
  /// place.
  struct Rank {
    let rank: Int
    let isOwn: Bool
  }

  /// A section with unchanged rows that gets another first row.
  private struct Shift {
    let place: ResultRows.SectionPlace
    let first: FirstRow
    /// Whether the new first row comes after the old one.
    let isLater: Bool
  }

  /// A position among the old sections: how many of them, and how many rows, come before it.
  struct Place {
    let sections: Int
    let rows: Int
  }

  private let rows: EnteringRows
  private let old: OldSections
  private let oldRanks: [Int]
  private let results: ResultRows
  /// The shifts, ascending.
  private var shifts: [Shift] = []

  /// - Parameter ranks: The rank of each row.
  /// - Complexity: O(*k* log *n*).
  init(
    _ rowSections: RowSections, _ rows: EnteringRows, ranks: (Int) -> Rank,
    old: OldSections, oldRanks: [Int], of results: ResultRows
  ) {
    self.rows = rows
    self.old = old
    self.oldRanks = oldRanks
    self.results = results
    var entered = rowSections.entered[...]
    for (section, place) in old.places.enumerated() {
      while let next = entered.first, next.place.index < place.index {
        note(next.place, unchanged: next.place.firstRank, next.first, ranks)
        entered.removeFirst()
      }
      let isEntered = entered.first?.place.index == place.index
      let first = isEntered ? entered.removeFirst().first : nil
      if old.isEmptied(section) { continue }
      var unchanged = place.firstRank
      var row = old.starts[section]
      while row < oldRanks.count, oldRanks[row] == unchanged {
        unchanged += 1
        row += 1
      }
      note(place, unchanged: unchanged, first, ranks)
    }
    for next in entered { note(next.place, unchanged: next.place.firstRank, next.first, ranks) }
  }

  /// Notes a section if it gets another first row.
  ///
  /// - Parameters:
  ///   - unchanged: The rank of its first unchanged row.
  ///   - entering: Its first changed row.
  private mutating func note(
    _ place: ResultRows.SectionPlace, unchanged: Int, _ entering: Int?,
    _ ranks: (Int) -> Rank
  ) {
    if let entering {
      let found = ranks(entering)
      let rank = found.rank
      if rank <= unchanged {
        if found.isOwn, rank == place.firstRank { return }
        shifts.append(
          Shift(place: place, first: .entering(entering), isLater: rank > place.firstRank))
        return
      }
    }
    guard unchanged > place.firstRank else { return }
    shifts.append(
      Shift(place: place, first: .kept(results.number(at: unchanged)), isLater: true))
  }
}

// MARK: - Sections with unchanged rows

extension SectionSequence {
  /// Whether the sections with unchanged rows keep their order among themselves.
  ///
  /// - Complexity: O(*k* log *n*).
  var keepsOrder: Bool {
    shifts.indices.allSatisfy { index in
      let shift = shifts[index]
      if shift.isLater {
        return firstRow(after: index).map { rows.precedes(shift.first, $0) } ?? true
      }
      return firstRow(before: index).map { rows.precedes($0, shift.first) } ?? true
    }
  }

  /// The first row of the section after a section with another first row.
  private func firstRow(after shift: Int) -> FirstRow? {
    var index = shifts[shift].place.index + 1
    var rank = shifts[shift].place.ranks.upperBound
    while let emptied = emptied(index) {
      index += 1
      rank = emptied.ranks.upperBound
    }
    if index == results.sectionCount { return nil }
    if shift + 1 < shifts.count, shifts[shift + 1].place.index == index {
      return shifts[shift + 1].first
    }
    return .kept(results.number(at: rank))
  }

  /// The first row of the section before a section with another first row.
  private func firstRow(before shift: Int) -> FirstRow? {
    var index = shifts[shift].place.index - 1
    var end = shifts[shift].place.firstRank
    while let emptied = emptied(index) {
      index -= 1
      end = emptied.firstRank
    }
    if index < 0 { return nil }
    if shift > 0, shifts[shift - 1].place.index == index { return shifts[shift - 1].first }
    return .kept(results.number(at: results.section(ofRank: end - 1).firstRank))
  }

  /// The section with an old index, if it has no unchanged row.
  private func emptied(_ index: Int) -> ResultRows.SectionPlace? {
    old.emptied.contains(sorted: index) ? old.places.place(of: index) : nil
  }
}

// MARK: - Sections of changed rows

extension SectionSequence {
  /// Finds the place of each section of changed rows among the old sections.
  ///
  /// - Parameter ranks: For each of them, how many rows of the results come before its first row.
  /// - Complexity: O(*k* log *n*), and O(log *s* log *n*) more for each section whose first row is
  ///   among the rows of a section of *s*.
  func places(of slots: [RowSections.Slot], ranks: (Int) -> Rank) -> [Place] {
    slots.map { slot in
      let found = ranks(slot.first)
      let rank = found.rank
      if found.isOwn, let place = slot.oldIndex.flatMap(old.places.place), place.firstRank == rank {
        return Place(sections: place.index, rows: rank)
      }
      guard rank > 0 else { return Place(sections: 0, rows: 0) }
      let left = results.section(ofRank: rank - 1)
      let end = left.ranks.upperBound
      // Inside a section, a row may also come after the first rows of other sections.
      guard rank < end, end < results.rowCount,
        rows.precedes(.kept(results.number(at: end)), .entering(slot.first))
      else { return Place(sections: left.index + 1, rows: end) }
      return place(of: .entering(slot.first), after: left.index + 1)
    }
  }

  /// Finds the place among the old sections of a section that begins with a row.
  ///
  /// - Parameter known: An old section that comes before it.
  private func place(of first: FirstRow, after known: Int) -> Place {
    var low = known
    var high = results.sectionCount
    while high - low > 1 {
      let middle = (low + high) / 2
      let number = results.number(at: results.firstRank(ofSection: middle))
      if rows.precedes(.kept(number), first) { low = middle } else { high = middle }
    }
    return Place(
      sections: high,
      rows: high < results.sectionCount ? results.firstRank(ofSection: high) : results.rowCount)
  }

  /// Notes of each section of changed rows how many sections with unchanged rows come before it,
  /// where those keep their order.
  ///
  /// - Returns: For each how many unchanged rows come before it.
  func place(_ slots: inout [RowSections.Slot], at places: [Place]) -> [Int] {
    var passed = 0
    return slots.indices.map { index in
      let place = places[index]
      while passed < shifts.count,
        rows.precedes(shifts[passed].first, .entering(slots[index].first))
      {
        passed += 1
      }
      let before = shifts.partitioningIndex { $0.place.index >= place.sections }
      slots[index].ordinal = old.ordinal(of: place.sections) + passed - before
      guard passed != before else { return place.rows - oldRanks.countBefore(place.rows) }
      let next = old.index(ofOrdinal: slots[index].ordinal)
      let rank =
        next < results.sectionCount ? results.firstRank(ofSection: next) : results.rowCount
      return rank - oldRanks.countBefore(rank)
    }
  }

  /// Returns the old indices of the sections that change places with others,
  /// where those with unchanged rows do not keep their order.
  ///
  /// - Complexity: O(*k* log *k* + *k* log *s* log *n*) for *s* sections, and the
  ///   sections that are found.
  func reordered(_ slots: [RowSections.Slot], at places: [Place]) -> Set<Int> {
    let leftOut = (old.emptied + shifts.map(\.place.index)).sorted()
    var movers: [(first: FirstRow, mover: SectionReordering.Mover)] = []
    func add(_ first: FirstRow, _ oldIndex: Int, _ place: Place) {
      let ordinal = place.sections - leftOut.countBefore(place.sections)
      movers.append((first, SectionReordering.Mover(oldIndex: oldIndex, ordinal: ordinal)))
    }
    for (slot, place) in zip(slots, places) {
      if let oldIndex = slot.oldIndex { add(.entering(slot.first), oldIndex, place) }
    }
    for shift in shifts { add(shift.first, shift.place.index, place(of: shift.first, after: -1)) }
    movers.sort { rows.precedes($0.first, $1.first) }
    return SectionReordering.find(
      movers.map(\.mover), leftOut: leftOut, sectionCount: results.sectionCount)
  }
}
