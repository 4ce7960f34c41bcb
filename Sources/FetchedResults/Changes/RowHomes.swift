/// The section of each row that is a result after a batch: the section of its name.
struct RowHomes {
  enum Home: Hashable {
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
    let place: SectionedResults.SectionPlace
    /// The index of the first row that enters it.
    let first: Int
  }

  /// The home of each row.
  private(set) var homes: [Home] = []
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
    of results: SectionedResults
  ) {
    homes.reserveCapacity(rows.count)
    ranges.reserveCapacity(rows.count)
    stays.reserveCapacity(rows.count)
    entered.reserveCapacity(rows.count)
    everywhere = 0..<results.rowCount
    for (row, index) in rows.enumerated() {
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
        if case .slot(let slot) = homes[row - 1] { slots[slot].count += 1 }
        homes.append(homes[row - 1])
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
    _ place: SectionedResults.SectionPlace, isEmptied: Bool, _ name: ScalarString, _ row: Int
  ) {
    if isEmptied { return fill(slotsByIndex[place.index], name, place.index, row) }
    homes.append(.existing(place.index))
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
    homes.append(.slot(slot))
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

extension RowHomes {
  /// Whether a row's place is searched.
  ///
  /// In a section of changed rows only, that is the first row alone.
  func isSearched(_ row: Int) -> Bool {
    guard case .slot(let slot) = homes[row] else { return true }
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
      switch homes[row] {
      case .existing(let index): (index * 2 + 1, 0, row)
      case .slot(let slot): (ofSlots[slot], slot, row)
      }
    }
    let rows = Array(homes.indices)
    // If the sort keys agree with the sections, the rows are already in this order.
    let isSorted = zip(rows, rows.dropFirst()).allSatisfy { row, next in
      homes[row] == homes[next] || place(row) < place(next)
    }
    if isSorted { return rows }
    return rows.sorted { place($0) < place($1) }
  }

  /// Puts the rows in another order.
  mutating func reorder(_ sequence: [Int]) { homes = sequence.map { homes[$0] } }
}
