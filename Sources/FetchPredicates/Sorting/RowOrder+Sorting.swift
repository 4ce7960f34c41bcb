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
    rows = sortedIndices(of: rows).map { rows[$0] }
  }

  /// Returns the indices of rows in the order of the rows.
  ///
  /// Each row gets the codes of its first two keys once, and each string that
  /// is compared by folding or by a locale its bytes.
  ///
  /// - Complexity: O(*n* log *n*).
  package func sortedIndices(of rows: [SortableRow]) -> [Int] {
    guard rows.count > 1 else { return Array(rows.indices) }
    let sorting = RowSorting(rows, by: keys)
    return sorting.sortedIndices()
  }
}

/// One sort of many rows.
private struct RowSorting {
  /// What most comparisons need, without a reference to anything.
  private struct Entry {
    var first: UInt64
    var second: UInt64
    let index: Int
  }

  private let rows: [SortableRow]
  private let keys: [RowOrder.Key]
  private var entries: ContiguousArray<Entry> = []
  /// For each key the rows' bytes, where strings need some.
  private var bytes: [[[UInt8]?]]
  /// Whether equal codes mean equal values, for the first two keys.
  private var isExact = (first: true, second: true)

  init(_ rows: [SortableRow], by keys: [RowOrder.Key]) {
    self.rows = rows
    self.keys = keys
    bytes = keys.map { key in
      key.strings.isPlain
        ? []
        : rows.map { row in
          // Without their bytes rows compare as they are, and no further than to a stop.
          StopCheck.isWanted(after: 16) ? nil : key.collationKey(of: row.snapshot)
        }
    }
    entries.reserveCapacity(rows.count)
    for index in rows.indices { entries.append(Entry(first: 0, second: 0, index: index)) }
    if keys.count > 0 { isExact.first = fill(forKey: 0) { $0.first = $1 } }
    // The second key matters only where the first ones are known to be equal.
    if keys.count > 1, isExact.first { isExact.second = fill(forKey: 1) { $0.second = $1 } }
  }

  /// Computes the codes of a key and tells whether all of them are exact.
  private mutating func fill(
    forKey number: Int, _ set: (inout Entry, UInt64) -> Void
  ) -> Bool {
    let key = keys[number]
    var isExact = true
    for index in rows.indices {
      let code = code(of: key, number, row: index)
      isExact = isExact && code.isExact
      set(&entries[index], key.ascending ? code.number : ~code.number)
    }
    return isExact
  }

  private func code(of key: RowOrder.Key, _ number: Int, row index: Int) -> SortCode {
    if !bytes[number].isEmpty, let text = bytes[number][index] {
      return text.withUnsafeBufferPointer { SortCode(bytes: $0) }
    }
    return SortCode(rows[index].snapshot[key.attribute])
  }

  func sortedIndices() -> [Int] {
    var entries = entries
    let known = !isExact.first ? 0 : keys.count > 1 && isExact.second ? 2 : 1
    // Texts may be long. Where the sort is to stop, all rows are alike.
    var isStopped = false
    var pause = 256
    entries.sort { left, right in
      if left.first != right.first { return left.first < right.first }
      if known > 0, left.second != right.second { return left.second < right.second }
      pause &-= 1
      if pause <= 0 {
        pause = 256
        isStopped = StopCheck.isWanted(after: 256)
      }
      return !isStopped && compare(left.index, right.index, from: known) < 0
    }
    return entries.map(\.index)
  }

  /// Compares two rows by the keys from one on.
  private func compare(_ left: Int, _ right: Int, from known: Int) -> Int {
    for number in min(known, keys.count)..<keys.count {
      let key = keys[number]
      let result: Int
      if !bytes[number].isEmpty, let a = bytes[number][left], let b = bytes[number][right] {
        result = a.withUnsafeBufferPointer { a in
          b.withUnsafeBufferPointer { b in a.comparedBytes(with: b) }
        }
      } else {
        result = key.compare(
          rows[left].snapshot[key.attribute], rows[right].snapshot[key.attribute])
      }
      if result != 0 { return key.ascending ? result : -result }
    }
    let a = rows[left].number
    let b = rows[right].number
    return a < b ? -1 : a == b ? 0 : 1
  }
}

extension RowOrder.Key {
  /// Returns the bytes by which a row's value compares; nil if it compares as it is.
  func collationKey(of snapshot: ObjectSnapshot) -> [UInt8]? {
    guard !strings.isPlain, case .string(let text) = snapshot[attribute] else { return nil }
    return strings.key(for: text)
  }
}
