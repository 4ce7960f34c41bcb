import Basics

/// The changed rows that were results before a batch, by their ranks.
struct OldRows {
  /// Indices of the changed rows, by rank.
  let order: [Int]
  let ranks: [Int]
  /// For each changed row its index in `order`; nil if it was not a result.
  let places: [Int?]

  init(_ changed: [MembershipChange]) {
    order = changed.map(\.oldRank).orderOfRanks
    ranks = order.map { changed[$0].oldRank ?? 0 }
    var places = [Int?](repeating: nil, count: changed.count)
    for (place, index) in order.enumerated() { places[index] = place }
    self.places = places
  }
}

extension [Int?] {
  /// The indices of the changed rows that have a rank, by rank.
  var orderOfRanks: [Int] {
    var order = indices.filter { self[$0] != nil }
    StopCheck.sort(&order) { self[$0] ?? 0 < self[$1] ?? 0 }
    return order
  }
}

/// The sections before a batch that had changed rows.
struct OldSections {
  /// Each old row's section index and row, by old rank.
  private(set) var paths: [ResultsIndexPath] = []
  /// The sections that hold these rows, ascending.
  private(set) var places: [ResultRows.SectionPlace] = []
  /// For each of those sections, the index of its first old row among the old rows.
  private(set) var starts: [Int] = []
  /// For each old row, the index of its section in `places`.
  private(set) var sectionsOfRows: [Int] = []
  /// Indices of sections that have no unchanged row, ascending.
  private(set) var emptied: [Int] = []

  /// - Parameter oldRanks: The old ranks of the changed rows, ascending.
  /// - Complexity: O(*k* log *n*).
  init(_ oldRanks: [Int], in results: ResultRows) {
    paths.reserveCapacity(oldRanks.count)
    places.reserveCapacity(oldRanks.count)
    starts.reserveCapacity(oldRanks.count)
    sectionsOfRows.reserveCapacity(oldRanks.count)
    let sections = StopCheck.parts(of: oldRanks) { results.sections(ofRanks: $0) }
    for (row, place) in sections.enumerated() {
      let rank = oldRanks[row]
      // Old ranks ascend, so the rows of one section lie together.
      if places.last.map({ rank < $0.ranks.upperBound }) != true {
        places.append(place)
        starts.append(row)
      }
      sectionsOfRows.append(places.count - 1)
      paths.append(ResultsIndexPath(section: place.index, row: rank - place.firstRank))
      if row + 1 - starts[starts.count - 1] == place.rowCount { emptied.append(place.index) }
    }
  }

  /// How many old rows one of the sections holds.
  func changedCount(_ section: Int) -> Int {
    (section + 1 < starts.count ? starts[section + 1] : paths.count) - starts[section]
  }

  /// Whether all rows of one of the sections changed.
  func isEmptied(_ section: Int) -> Bool { changedCount(section) == places[section].rowCount }

  /// How many sections with unchanged rows came before an old index.
  func ordinal(of index: Int) -> Int { index - emptied.countBefore(index) }

  /// The old index of a section, from its position among the sections with unchanged rows.
  func index(ofOrdinal ordinal: Int) -> Int { emptied.number(leftOutAt: ordinal) }
}

extension [ResultRows.SectionPlace] {
  /// Returns the section with an old index, if it is among `places`, which ascend.
  ///
  /// - Complexity: O(log *n*).
  func place(of index: Int) -> ResultRows.SectionPlace? {
    let found = partitioningIndex { $0.index >= index }
    return found < count && self[found].index == index ? self[found] : nil
  }
}

/// The values that decide the places of rows in the results, while a batch is decided.
package protocol PlacementKeys: AnyObject {
  /// Sort keys of strings that were compared before.
  var collationKeys: CollationKeys { get }

  /// Returns the values that decided the old place of a changed row; nil if it no longer has one.
  ///
  /// - Parameter before: The values that the object had before the batch.
  func values(ofRow number: Int64, before: ObjectSnapshot?) -> ObjectSnapshot?

  /// Returns the values that decide the place of a row of the results; nil if it no longer has one.
  func values(ofRow number: Int64) -> ObjectSnapshot?

  /// Whether a comparison met a row whose values in the results are unknown. If so, the places that
  /// were found cannot be used.
  var isIncomplete: Bool { get }

  /// Returns whether a row of the results comes before another row.
  func isPlaced(_ number: Int64, before row: ComparedRow) -> Bool

  /// Returns for each of some rows how many rows of the results come before it.
  ///
  /// The search compares many rows, so it is done where their values are.
  ///
  /// - Parameter ranks: For each row, the ranks among which it is searched.
  func ranks(
    of rows: [ComparedRow], in ranks: [Range<Int>], of results: ResultRows
  ) -> [Int]
}

/// A row that is compared with rows of the results.
package struct ComparedRow {
  /// A number that tells most rows apart at little cost; nil if there is none.
  package let code: ProbeCode?
  package let probe: RowProbe

  init(_ values: ObjectSnapshot, number: Int64, order: RowOrder, cache: CollationKeys) {
    code = ProbeCode(values, order: order)
    probe = RowProbe(values, number: number, order: order, cache: cache)
  }
}

/// The changed rows that are results after a batch, in the sort order, and their comparison with
/// rows of the results.
final class EnteringRows {
  /// Indices of the changed rows.
  let indices: [Int]
  private let rows: [SortableRow]
  private let order: RowOrder
  private let keys: any PlacementKeys
  private var compared: [Int: ComparedRow] = [:]
  /// Whether a comparison met a row of the results whose values are unknown.
  private(set) var isIncomplete = false

  init(_ changed: [MembershipChange], order: RowOrder, keys: any PlacementKeys) {
    var entering: [SortableRow] = []
    var indices: [Int] = []
    if StopCheck.isLong(changed.count) {
      entering.reserveCapacity(changed.count)
      indices.reserveCapacity(changed.count)
    }
    for index in changed.indices {
      // The search for these rows stops, too.
      if StopCheck.isWanted(at: index) { break }
      guard let after = changed[index].after else { continue }
      entering.append(SortableRow(number: changed[index].number, snapshot: after))
      indices.append(index)
    }
    var sorted = order.sortedIndices(of: entering)
    if StopCheck.isLong(sorted.count), StopCheck.isWanted(after: sorted.count) { sorted = [] }
    self.indices = sorted.map { indices[$0] }
    var rows: [SortableRow] = []
    rows.reserveCapacity(sorted.count)
    for (place, index) in sorted.enumerated() {
      if StopCheck.isWanted(at: place) { break }
      rows.append(entering[index])
    }
    self.rows = rows
    self.order = order
    self.keys = keys
  }

  var count: Int { rows.count }

  /// Whether the values that place a row compare as equal to other values of it.
  func keepsKeys(_ row: Int, of values: ObjectSnapshot) -> Bool {
    order.compare(values, rows[row].number, rows[row].snapshot, rows[row].number) == 0
  }

  /// Returns how many rows of the results come before each of some rows.
  ///
  /// - Parameter ranks: For each row, the ranks among which it is searched.
  func ranks(
    of places: [Int], in ranks: [Range<Int>], of results: ResultRows
  ) -> [Int] {
    keys.ranks(of: places.map(makeCompared), in: ranks, of: results)
  }

  private func makeCompared(_ row: Int) -> ComparedRow {
    ComparedRow(
      rows[row].snapshot, number: rows[row].number, order: order, cache: keys.collationKeys)
  }
}

extension EnteringRows {
  /// The first row of a section after the batch.
  enum FirstRow {
    /// A changed row, by its index.
    case entering(Int)
    /// An unchanged row of the results, by its object's number.
    case kept(Int64)
  }

  func precedes(_ left: FirstRow, _ right: FirstRow) -> Bool {
    switch (left, right) {
    case (.entering(let left), .entering(let right)): return left < right
    case (.kept(let left), .entering(let right)):
      return keys.isPlaced(left, before: compared(right))
    case (.entering(let left), .kept(let right)):
      return !keys.isPlaced(right, before: compared(left))
    case (.kept(let left), .kept(let right)):
      guard let values = keys.values(ofRow: right) else {
        isIncomplete = true
        return true
      }
      let right = ComparedRow(values, number: right, order: order, cache: keys.collationKeys)
      return keys.isPlaced(left, before: right)
    }
  }

  /// Most rows are compared once.
  ///
  /// Rows that are compared often get their value prepared once.
  private func compared(_ row: Int) -> ComparedRow {
    if let known = compared[row] { return known }
    let made = makeCompared(row)
    compared[row] = made
    return made
  }
}

/// Finds which items keep their places while the others move around them.
package enum KeptOrder {
  /// Finds the items that keep their old order in the new order.
  ///
  /// The result is the heaviest such set. Of several, it is the one whose old positions come first
  /// in dictionary order.
  ///
  /// - Parameters:
  ///   - newPositions: The position of each item in the new order; all different.
  ///   - weights: How much it is worth to keep each item, at least 1.
  /// - Complexity: O(*n* log *n*).
  package static func longest(newPositions: [Int], weights: [Int]? = nil) -> [Bool] {
    let count = newPositions.count
    var kept = [Bool](repeating: false, count: count)
    guard zip(newPositions, newPositions.dropFirst()).contains(where: { $0 > $1 }) else {
      return Array(repeating: true, count: count)
    }

    if mutation(.noneKept) { return kept }

    // best[i]: the weight of the heaviest kept set that begins with thing i.
    let ranks = ranks(of: newPositions)
    var best = [Int](repeating: 0, count: count)
    var maxima = SuffixMaxima(count: count)
    for index in newPositions.indices.reversed() {
      if StopCheck.isWanted(at: index) { return kept }
      best[index] = (weights?[index] ?? 1) + maxima.maximum(above: ranks[index])
      maxima.raise(ranks[index], to: best[index])
    }

    // The first set begins with the earliest item that begins a heaviest set.
    var remaining = best.max() ?? 0
    var last = -1
    for index in newPositions.indices where best[index] == remaining && ranks[index] > last {
      kept[index] = true
      last = ranks[index]
      remaining -= weights?[index] ?? 1
      if remaining == 0 { break }
    }
    return kept
  }

  /// Replaces distinct numbers by their ranks in ascending order.
  private static func ranks(of positions: [Int]) -> [Int] {
    var ranks = positions
    var order = Array(positions.indices)
    StopCheck.sort(&order) { positions[$0] < positions[$1] }
    for (rank, index) in order.enumerated() { ranks[index] = rank }
    return ranks
  }

  /// A Fenwick tree from the right: the greatest value above a position.
  private struct SuffixMaxima {
    private var tree: [Int]

    init(count: Int) { tree = Array(repeating: 0, count: count + 1) }

    mutating func raise(_ place: Int, to value: Int) {
      var index = tree.count - 1 - place
      while index < tree.count {
        tree[index] = max(tree[index], value)
        index += index & -index
      }
    }

    func maximum(above place: Int) -> Int {
      var index = tree.count - 2 - place
      var result = 0
      while index > 0 {
        result = max(result, tree[index])
        index -= index & -index
      }
      return result
    }
  }
}
