/// A row as it is sorted: by its values, and where they are equal by its number.
package struct SortableRow: Sendable {
  package let number: Int64
  package var snapshot: ObjectSnapshot

  package init(number: Int64, snapshot: ObjectSnapshot) {
    self.number = number
    self.snapshot = snapshot
  }
}

extension RowOrder {
  /// Sorts rows.
  ///
  /// - Complexity: O(*n* log *n*).
  package func sort(_ rows: inout [SortableRow]) {
    guard rows.count > 1 else { return }
    rows = sortedIndices(of: rows).map { rows[$0] }
  }

  /// Returns the indices of rows in the order of the rows.
  ///
  /// - Complexity: O(*n* log *n*).
  package func sortedIndices(of rows: [SortableRow]) -> [Int] {
    guard rows.count > 1 else { return Array(rows.indices) }
    return RowSorting(keys, of: ListedRows(rows: rows)).sorted(Array(rows.indices)) { $0 }
  }

  /// Returns the numbers of rows in the order of the rows.
  ///
  /// - Parameters:
  ///   - indices: The rows to sort, as ascending indices of `table`. They are released before the
  ///     sort.
  ///   - table: The values of all rows; row *n* is at index *n* - 1.
  /// - Complexity: O(*n* log *n*), with 24 bytes a row.
  package func sortedNumbers(
    ofRowsAt indices: consuming [Int], in table: ContiguousArray<ObjectSnapshot?>
  ) -> [Int64] {
    guard indices.count > 1, !keys.isEmpty else { return indices.map { Int64($0 + 1) } }
    return RowSorting(keys, of: TableRows(table: table)).sorted(consume indices) { Int64($0 + 1) }
  }
}

/// Rows in a list.
private struct ListedRows: RowSource {
  let rows: [SortableRow]

  @inline(__always)
  func number(of row: Int) -> Int64 { rows[row].number }

  @inline(__always)
  func value(of row: Int, at place: Int) -> PropertyValue { rows[row].snapshot[place] }
}

/// Rows in a table, where their place is their number.
private struct TableRows: RowSource {
  let table: ContiguousArray<ObjectSnapshot?>

  @inline(__always)
  func number(of row: Int) -> Int64 { Int64(row + 1) }

  @inline(__always)
  func value(of row: Int, at place: Int) -> PropertyValue { table[row]?[place] ?? .null }
}
