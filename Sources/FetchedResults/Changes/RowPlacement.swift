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

/// Finds the new places of the changed rows of a batch.
///
/// A row belongs to the section of its name, and is searched only among the rows of that section.
/// If a section has changed rows only, only its first row is searched.
struct PlacementSearch {
  let results: ResultRows
  let order: RowOrder
  let keys: any PlacementKeys

  /// The new places of the rows, and their sections.
  struct Outcome {
    let placement: RowPlacement
    /// Nil if the results have no section key path.
    var sections: SectionDiff?
  }

  /// Finds the places of changed rows.
  ///
  /// - Parameter names: The section name of each row that is a result after the batch; empty if the
  ///   results have no section key path.
  /// - Throws: ``ResultsDiff/UnknownValues``.
  /// - Complexity: O(*k* log *n*). If sections change places with others, O(*r* log *n*) more for
  ///   their *r* rows.
  func find(
    _ changed: [MembershipChange], names: [String]
  ) throws(ResultsDiff.UnknownValues) -> Outcome {
    switch try findOnce(changed, names: names) {
    case .found(let outcome): return outcome
    case .reordered(let sections):
      // Once their rows count as changed, no unchanged row passes another.
      let known = Set(changed.map(\.number))
      var all = changed
      var names = names
      for section in sections {
        let rows = try unchangedRows(of: section, besides: known)
        all += rows
        names += Array(repeating: results.name(ofSection: section), count: rows.count)
      }
      guard case .found(let outcome) = try findOnce(all, names: names) else {
        throw ResultsDiff.UnknownValues()
      }
      return outcome
    }
  }

  private func unchangedRows(
    of section: Int, besides changed: Set<Int64>
  ) throws(ResultsDiff.UnknownValues) -> [MembershipChange] {
    var rows: [MembershipChange] = []
    let first = results.firstRank(ofSection: section)
    for rank in first..<first + results.rowCount(ofSection: section) {
      let number = results.number(at: rank)
      if changed.contains(number) { continue }
      guard let values = keys.values(ofRow: number) else { throw ResultsDiff.UnknownValues() }
      rows.append(MembershipChange(unchanged: number, oldRank: rank, values: values))
    }
    return rows
  }
}

extension PlacementSearch {
  private enum Attempt {
    case found(Outcome)
    /// Sections with unchanged rows that change places with others, by their old
    /// indices, ascending.
    case reordered([Int])
  }

  private func findOnce(
    _ changed: [MembershipChange], names: [String]
  ) throws(ResultsDiff.UnknownValues) -> Attempt {
    let old = OldRows(changed)
    try checkStop(over: changed.count)
    let rows = EnteringRows(changed, order: order, keys: keys)
    try checkStop(over: changed.count)
    guard results.isSectioned else {
      let ranks = try ranks(of: rows, changed, in: nil)
      if keys.isIncomplete { throw ResultsDiff.UnknownValues() }
      let gaps = try gaps(of: ranks, old)
      return .found(Outcome(placement: placement(changed, old, rows.indices, gaps)))
    }
    let oldSections = OldSections(old.ranks, in: results)
    try checkStop(over: changed.count)
    var rowSections = RowSections(
      rows.indices, names: names, old: old, in: oldSections, of: results)
    try checkStop(over: changed.count)
    let ranks = try ranks(of: rows, changed, in: rowSections)
    let sequence = SectionSequence(
      rowSections, rows, ranks: { ranks[$0] }, old: oldSections, oldRanks: old.ranks, of: results)
    let places = sequence.places(of: rowSections.slots) { ranks[$0] }
    let keepsOrder = sequence.keepsOrder || mutation(.sectionsPassUnseen)
    let slotGaps = keepsOrder ? sequence.place(&rowSections.slots, at: places) : []
    let reordered =
      keepsOrder
      ? rowSections.reorderedSections(old: oldSections, sectionCount: results.sectionCount)
      : sequence.reordered(rowSections.slots, at: places)
    if keys.isIncomplete || rows.isIncomplete { throw ResultsDiff.UnknownValues() }
    try checkStop(over: changed.count)
    if !keepsOrder || !reordered.isEmpty {
      let unchanged = reordered.filter { !oldSections.emptied.contains(sorted: $0) }
      if !keepsOrder || !unchanged.isEmpty { return .reordered(unchanged.sorted()) }
    }
    var gaps = try gaps(of: ranks, old)
    for (row, rowSection) in rowSections.rowSections.enumerated() {
      if case .slot(let slot) = rowSection { gaps[row] = slotGaps[slot] }
    }
    let sequenceOfRows = rowSections.sequence(old: oldSections)
    try checkStop(over: changed.count)
    rowSections.reorder(sequenceOfRows)
    let placement = placement(
      changed, old, sequenceOfRows.map { rows.indices[$0] }, sequenceOfRows.map { gaps[$0] })
    return .found(
      Outcome(
        placement: placement,
        sections: SectionDiff(
          placement, rowSections, old: oldSections, reordered: reordered, of: results)))
  }

  /// Throws if the decision is to stop.
  ///
  /// - Parameter count: How many rows were handled since the last call.
  @inline(__always)
  private func checkStop(over count: Int) throws(ResultsDiff.UnknownValues) {
    if StopCheck.isLong(count), StopCheck.isWanted(after: count) {
      throw ResultsDiff.UnknownValues()
    }
  }

  /// Returns how many unchanged rows come before each of some ranks.
  private func gaps(
    of ranks: [SectionSequence.Rank], _ old: OldRows
  ) throws(ResultsDiff.UnknownValues) -> [Int] {
    var gaps: [Int] = []
    gaps.reserveCapacity(ranks.count)
    for (place, found) in ranks.enumerated() {
      if StopCheck.isWanted(at: place) { throw ResultsDiff.UnknownValues() }
      gaps.append(found.rank - old.ranks.countBefore(found.rank))
    }
    return gaps
  }

  private func placement(
    _ changed: [MembershipChange], _ old: OldRows, _ newOrder: [Int], _ newGaps: [Int]
  ) -> RowPlacement {
    RowPlacement(
      changed, old: old, newOrder: newOrder, newGaps: newGaps, rowCount: results.rowCount)
  }

  /// The most rows whose places are searched at once.
  private static var searchedTogether: Int { 1 << 14 }

  /// Returns the rank of each row.
  ///
  /// In a section of changed rows only, the first row alone gets one.
  private func ranks(
    of rows: EnteringRows, _ changed: [MembershipChange], in rowSections: RowSections?
  ) throws(ResultsDiff.UnknownValues) -> [SectionSequence.Rank] {
    var ranks = [SectionSequence.Rank](
      repeating: SectionSequence.Rank(rank: 0, isOwn: false), count: rows.count)
    var searched: [Int] = []
    var ranges: [Range<Int>] = []
    for (row, index) in rows.indices.enumerated() {
      if StopCheck.isWanted(at: row) { throw ResultsDiff.UnknownValues() }
      if let rowSections, !rowSections.isSearched(row) { continue }
      // Most changes do not touch the keys, so the place stays.
      if rowSections?.stays[row] ?? true, let oldRank = changed[index].oldRank,
        let values = keys.values(ofRow: changed[index].number, before: changed[index].before),
        mutation(.stalePlace) || rows.keepsKeys(row, of: values)
      {
        ranks[row] = SectionSequence.Rank(rank: oldRank, isOwn: true)
        continue
      }
      searched.append(row)
      ranges.append(rowSections?.ranges[row] ?? 0..<results.rowCount)
    }
    // A stop need not wait until the places of many rows are found.
    while searched.count > Self.searchedTogether {
      let start = searched.count - Self.searchedTogether
      let found = rows.ranks(
        of: Array(searched[start...]), in: Array(ranges[start...]), of: results)
      for (row, rank) in zip(searched[start...], found) {
        ranks[row] = SectionSequence.Rank(rank: rank, isOwn: false)
      }
      searched.removeLast(found.count)
      ranges.removeLast(found.count)
      try checkStop(over: found.count)
    }
    for (row, rank) in zip(searched, rows.ranks(of: searched, in: ranges, of: results)) {
      ranks[row] = SectionSequence.Rank(rank: rank, isOwn: false)
    }
    return ranks
  }
}

/// The section of each row that is a result after a batch: the section of its name.
struct RowSections {
  enum RowSection: Hashable {
    /// A section with unchanged rows, by its old index.
    case existing(Int)
    /// A section made of changed rows only.
    case slot(Int)
  }

  /// A section made of changed rows only: a new one, or one in which every old row left or changed.
  struct Slot {
    let name: ScalarString
    /// Its old index, if the name existed.
    let oldIndex: Int?
    /// The index of its first row among the rows.
    let first: Int
    var count: Int
    /// How many sections with unchanged rows come before it.
    var ordinal = 0
    /// The rank that its first row gets.
    var firstNewRank = 0
  }

  /// A section with unchanged rows that changed rows enter.
  struct Entered {
    let place: ResultRows.SectionPlace
    /// The index of the first row that enters it.
    let first: Int
  }

  /// The rowSection of each row.
  private(set) var rowSections: [RowSection] = []
  /// For each row, the ranks among which it is searched.
  private(set) var ranges: [Range<Int>] = []
  /// For each row whether it was in the section before.
  private(set) var stays: [Bool] = []
  /// The sections of changed rows, in the order of their first rows.
  var slots: [Slot] = []
  /// The entered sections, ascending.
  private(set) var entered: [Entered] = []

  private var ascends = true
  private var everywhere = 0..<0
  private var slotsByName: [ScalarString: Int] = [:]
  private var slotsByIndex: [Int: Int] = [:]

  /// - Parameters:
  ///   - rows: Indices of the changed rows; those of each section in their new
  ///     order.
  ///   - names: The section name of each changed row that is a result now.
  /// - Complexity: O(*k* log *n*).
  init(
    _ rows: [Int], names: [String], old: OldRows, in sections: OldSections,
    of results: ResultRows
  ) {
    rowSections.reserveCapacity(rows.count)
    ranges.reserveCapacity(rows.count)
    stays.reserveCapacity(rows.count)
    entered.reserveCapacity(rows.count)
    everywhere = 0..<results.rowCount
    for (row, index) in rows.enumerated() {
      if StopCheck.isWanted(at: row) { return }
      let name = names[index]
      // Most rows stay in their section.
      if let section = old.places[index].map({ sections.sectionsOfRows[$0] }) {
        let place = sections.places[section]
        let key = results.key(of: place)
        if key.string.hasSameScalars(as: name) {
          enter(place, isEmptied: sections.isEmptied(section), key, row)
          stays.append(true)
          continue
        }
      }
      stays.append(false)
      // Rows of one name mostly lie together.
      if row > 0, names[rows[row - 1]].hasSameScalars(as: name) {
        if case .slot(let slot) = rowSections[row - 1] { slots[slot].count += 1 }
        rowSections.append(rowSections[row - 1])
        ranges.append(ranges[row - 1])
        continue
      }
      let key = ScalarString(name)
      if let place = results.place(named: key) {
        enter(place, isEmptied: sections.emptied.contains(sorted: place.index), key, row)
      } else {
        fill(slotsByName[key], key, nil, row)
      }
    }
    if !ascends { sortEntered() }
  }

  /// Puts a row in an existing section.
  private mutating func enter(
    _ place: ResultRows.SectionPlace, isEmptied: Bool, _ name: ScalarString, _ row: Int
  ) {
    if isEmptied { return fill(slotsByIndex[place.index], name, place.index, row) }
    rowSections.append(.existing(place.index))
    ranges.append(place.ranks)
    if let last = entered.last?.place.index {
      if last == place.index { return }
      ascends = ascends && last < place.index
    }
    entered.append(Entered(place: place, first: row))
  }

  /// Puts a row in a section of changed rows, which is made if none has the name.
  private mutating func fill(
    _ known: Int?, _ name: ScalarString, _ oldIndex: Int?, _ row: Int
  ) {
    let slot = known ?? slots.count
    if known == nil {
      slots.append(Slot(name: name, oldIndex: oldIndex, first: row, count: 0))
      if let oldIndex { slotsByIndex[oldIndex] = slot } else { slotsByName[name] = slot }
    }
    slots[slot].count += 1
    rowSections.append(.slot(slot))
    ranges.append(everywhere)
  }

  /// Sorts the entered sections, and removes repeated ones.
  private mutating func sortEntered() {
    var sorted: [Entered] = []
    for section in entered.sorted(by: { ($0.place.index, $0.first) < ($1.place.index, $1.first) })
    where sorted.last?.place.index != section.place.index {
      sorted.append(section)
    }
    entered = sorted
  }
}

extension RowSections {
  /// Whether a row's place is searched.
  ///
  /// In a section of changed rows only, that is the first row alone.
  func isSearched(_ row: Int) -> Bool {
    guard case .slot(let slot) = rowSections[row] else { return true }
    return slots[slot].first == row
  }

  /// The old indices of the sections that change places with others, if sections with unchanged
  /// rows keep their order among themselves.
  func reorderedSections(old: OldSections, sectionCount: Int) -> Set<Int> {
    let movers = slots.compactMap { slot in
      slot.oldIndex.map { SectionReordering.Mover(oldIndex: $0, ordinal: slot.ordinal) }
    }
    return SectionReordering.find(movers, leftOut: old.emptied, sectionCount: sectionCount)
  }

  /// The new order of the rows: first by the order of their sections.
  func sequence(old: OldSections) -> [Int] {
    // A section of changed rows comes before the section next to it.
    let ofSlots = slots.map { old.index(ofOrdinal: $0.ordinal) * 2 }
    func place(_ row: Int) -> (section: Int, slot: Int, row: Int) {
      switch rowSections[row] {
      case .existing(let index): (index * 2 + 1, 0, row)
      case .slot(let slot): (ofSlots[slot], slot, row)
      }
    }
    let rows = Array(rowSections.indices)
    // If the sort keys agree with the sections, the rows are already in this order.
    let isSorted = zip(rows, rows.dropFirst()).allSatisfy { row, next in
      rowSections[row] == rowSections[next] || place(row) < place(next)
    }
    if isSorted { return rows }
    var sorted = rows
    StopCheck.sort(&sorted) { place($0) < place($1) }
    return sorted
  }

  /// Puts the rows in another order.
  mutating func reorder(_ sequence: [Int]) { rowSections = sequence.map { rowSections[$0] } }
}
