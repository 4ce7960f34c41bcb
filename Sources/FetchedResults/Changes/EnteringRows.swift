/// The changed rows that are results after a batch, in the sort order, and their comparison with
/// rows of the results.
final class EnteringRows {
  /// Indices of the changed rows.
  let indices: [Int]
  private let rows: [SortableRow]
  private let order: RowOrder
  private let keys: any StandingKeys
  private var compared: [Int: ComparedRow] = [:]
  /// Whether a comparison met a row of the results whose values are unknown.
  private(set) var isIncomplete = false

  init(_ changed: [MembershipChange], order: RowOrder, keys: any StandingKeys) {
    var entering: [SortableRow] = []
    var indices: [Int] = []
    for index in changed.indices {
      guard let after = changed[index].after else { continue }
      entering.append(SortableRow(number: changed[index].number, snapshot: after))
      indices.append(index)
    }
    let sorted = order.sortedIndices(of: entering)
    self.indices = sorted.map { indices[$0] }
    rows = sorted.map { entering[$0] }
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
    of places: [Int], in ranks: [Range<Int>], of results: SectionedResults
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
    case standing(Int64)
  }

  func precedes(_ left: FirstRow, _ right: FirstRow) -> Bool {
    switch (left, right) {
    case (.entering(let left), .entering(let right)): return left < right
    case (.standing(let left), .entering(let right)):
      return keys.isPlaced(left, before: compared(right))
    case (.entering(let left), .standing(let right)):
      return !keys.isPlaced(right, before: compared(left))
    case (.standing(let left), .standing(let right)):
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
