import Basics

/// Which sections are inserted, deleted and kept in a batch, and which section each changed row
/// belongs to.
final class SectionDiff {
  typealias RowSection = RowSections.RowSection

  /// The section of each row of the placement's new order.
  let rowSections: [RowSection]
  let slots: [RowSections.Slot]
  let old: OldSections
  /// Old indices of the sections that changed places with others.
  let reordered: Set<Int>

  private let entered: [ResultRows.SectionPlace]
  private let results: ResultRows
  private let placement: RowPlacement

  /// - Parameters:
  ///   - rowSections: The sections of the placement's new order.
  ///   - reordered: The old indices of the sections that change places with others. All their rows
  ///     count as changed.
  init(
    _ placement: RowPlacement, _ rowSections: RowSections, old: OldSections, reordered: Set<Int>,
    of results: ResultRows
  ) {
    self.rowSections = rowSections.rowSections
    var slots = rowSections.slots
    for (row, rowSection) in rowSections.rowSections.enumerated().reversed() {
      if case .slot(let slot) = rowSection { slots[slot].firstNewRank = placement.newRank(row) }
    }
    self.slots = slots
    self.old = old
    self.reordered = reordered
    entered = rowSections.entered.map(\.place)
    self.results = results
    self.placement = placement
  }

  /// Derives the sections from rows whose new ranks are known.
  ///
  /// - Parameter names: The section name of each row of the new order.
  /// - Returns: Nil if sections with unchanged rows change places with others, or if the work is to
  ///   stop.
  /// - Complexity: O(*k* log *n*).
  convenience init?(_ placement: RowPlacement, names: [String], of results: ResultRows) {
    let old = OldSections(placement.oldRanks, in: results)
    if StopCheck.isStopped(over: placement.changed.count) { return nil }
    var namesOfChanged = [String](repeating: "", count: placement.changed.count)
    for (index, name) in zip(placement.newOrder, names) { namesOfChanged[index] = name }
    var rowSections = RowSections(
      placement.newOrder, names: namesOfChanged, old: OldRows(placement.changed), in: old,
      of: results)
    if StopCheck.isStopped(over: placement.changed.count) { return nil }
    for slot in rowSections.slots.indices {
      let gap = placement.newGaps[rowSections.slots[slot].first]
      guard gap > 0 else { continue }
      let left = results.section(ofRank: placement.oldRank(ofUnchanged: gap - 1))
      rowSections.slots[slot].ordinal = old.ordinal(of: left.index) + 1
    }
    let reordered = rowSections.reorderedSections(old: old, sectionCount: results.sectionCount)
    guard reordered.allSatisfy(old.emptied.contains(sorted:)) else { return nil }
    self.init(placement, rowSections, old: old, reordered: reordered, of: results)
  }

  /// Returns a section before the batch.
  func place(of oldIndex: Int) -> ResultRows.SectionPlace {
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
    for case .existing(let index) in rowSections {
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
  func newIndex(of rowSection: RowSection) -> Int {
    switch rowSection {
    case .slot(let index): return slots[index].ordinal + index
    case .existing(let oldIndex):
      if mutation(.staleSection) { return oldIndex }
      let ordinal = old.ordinal(of: oldIndex)
      return ordinal + slotsBefore(ordinal: ordinal)
    }
  }

  /// The new rank of a section's first row.
  func newFirstRank(of rowSection: RowSection) -> Int {
    switch rowSection {
    case .slot(let index): return slots[index].firstNewRank
    case .existing(let oldIndex):
      let first = place(of: oldIndex).firstRank
      let unchangedBefore = first - placement.oldRanks.countBefore(first)
      var row = placement.newGaps.countBefore(unchangedBefore)
      while row < rowSections.count, placement.newGaps[row] == unchangedBefore,
        rowSections[row] != rowSection
      {
        row += 1
      }
      return unchangedBefore + row
    }
  }

  /// The section's old index, if there was a section of its name.
  func oldIndex(of rowSection: RowSection) -> Int? {
    switch rowSection {
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

/// Finds the surviving sections that do not keep their order.
///
/// Only a few sections can have passed others. The sections between two old or new places of those
/// stay or move together, as one block.
struct SectionReordering {
  /// A section that may have passed others.
  struct Mover {
    let oldIndex: Int
    /// How many of the other sections come before it after the batch.
    let ordinal: Int
  }

  /// The movers, in their new order.
  private let movers: [Mover]
  /// The indices of the sections that move or do not stay, ascending.
  private let leftOut: [Int]

  /// Returns the old indices of the sections that change places with others.
  ///
  /// - Parameters:
  ///   - movers: The sections that may have passed others, in their new order.
  ///   - leftOut: The old indices of the movers, and of the sections that do not stay, ascending.
  ///   - sectionCount: How many sections there are before the batch.
  static func find(_ movers: [Mover], leftOut: [Int], sectionCount: Int) -> Set<Int> {
    let search = Self(movers: movers, leftOut: leftOut)
    if search.keepOrder || mutation(.sectionsPassUnseen) { return [] }
    return search.find(others: sectionCount - leftOut.count)
  }

  /// How many of the other sections came before an index.
  private func oldOrdinal(_ index: Int) -> Int { index - leftOut.countBefore(index) }

  /// Whether the sections keep their places, which is the usual case.
  private var keepOrder: Bool {
    var last = -1
    for mover in movers {
      guard mover.oldIndex > last, mover.ordinal == oldOrdinal(mover.oldIndex) else {
        return false
      }
      last = mover.oldIndex
    }
    return true
  }

  private struct Piece {
    let oldKey: (Int, Int, Int)
    let newKey: (Int, Int, Int)
    let weight: Int
    let block: Range<Int>?
    let oldIndex: Int
  }

  private func find(others: Int) -> Set<Int> {
    var pieces: [Piece] = []
    var cuts: Set<Int> = [0, others]
    for (place, mover) in movers.enumerated() {
      let oldOrdinal = oldOrdinal(mover.oldIndex)
      cuts.formUnion([oldOrdinal, mover.ordinal])
      pieces.append(
        Piece(
          oldKey: (oldOrdinal, 0, mover.oldIndex), newKey: (mover.ordinal, 0, place),
          weight: 1, block: nil, oldIndex: mover.oldIndex))
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
    var found: Set<Int> = []
    for (piece, isKept) in zip(pieces, kept) where !isKept {
      if let block = piece.block {
        found.formUnion(block.map { leftOut.number(leftOutAt: $0) })
      } else {
        found.insert(piece.oldIndex)
      }
    }
    return found
  }
}

/// Divides rows into runs of one section name, and checks that no name occurs again after another
/// one.
package struct SectionOrder {
  /// A row that breaks the order.
  package struct MisplacedRow: Hashable, Sendable {
    /// The row's rank over all sections.
    package let rank: Int
    /// The name of the section before it.
    package let previousName: String
  }

  package private(set) var runs: [ResultRows.SectionRun] = []
  /// The first row that breaks the order, which makes a fetch fail.
  package private(set) var offence: MisplacedRow?
  private var seen: Set<ScalarString> = []
  private var rank = 0

  package init() {}

  /// Creates the order from sections that were already checked.
  init(checked runs: [ResultRows.SectionRun]) { self.runs = runs }

  /// Appends the next rows, which all belong to one section.
  package mutating func append(_ name: String, count: Int = 1) {
    guard count > 0 else { return }
    if let last = runs.last, last.name.hasSameScalars(as: name) {
      runs[runs.count - 1].count += count
    } else {
      if !seen.insert(ScalarString(name)).inserted, offence == nil {
        offence = MisplacedRow(rank: rank, previousName: runs.last?.name ?? "")
      }
      runs.append(ResultRows.SectionRun(name: name, count: count))
    }
    rank += count
  }
}

extension SectionOrder {
  /// Returns the sections of a range of the rows.
  ///
  /// - Complexity: O(*s*) for *s* sections.
  func cut(to ranks: Range<Int>) -> SectionOrder {
    var cut = SectionOrder()
    var start = 0
    for run in runs {
      cut.append(run.name, count: ranks.clamped(to: start..<start + run.count).count)
      start += run.count
    }
    return cut
  }

  /// Brings the rows of each section together, and sorts the sections by their first rows.
  ///
  /// - Parameter numbers: The objects' numbers of all rows.
  /// - Complexity: O(*n*).
  package func grouped(
    _ numbers: [Int64]
  ) -> (numbers: [Int64], runs: [ResultRows.SectionRun]) {
    var sections: [(name: String, numbers: [Int64])] = []
    var places: [ScalarString: Int] = [:]
    var start = 0
    for run in runs {
      let key = ScalarString(run.name)
      let place = places[key] ?? sections.count
      if place == sections.count {
        places[key] = place
        sections.append((run.name, []))
      }
      sections[place].numbers += numbers[start..<start + run.count]
      start += run.count
    }
    return (
      sections.flatMap(\.numbers),
      sections.map { ResultRows.SectionRun(name: $0.name, count: $0.numbers.count) }
    )
  }
}

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
