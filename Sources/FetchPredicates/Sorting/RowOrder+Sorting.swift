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
    sorted(Array(rows.indices), number: { rows[$0].number }, value: { rows[$0].snapshot[$1] })
  }

  /// Returns rows in order.
  ///
  /// - Parameters:
  ///   - rows: What the caller calls the rows. They are 0 or above, and given up before the sort.
  ///   - number: Returns the number of a row's object, by which rows with equal keys are ordered.
  ///   - value: Returns a row's value of an attribute.
  /// - Complexity: O(*n* log *n*), with 24 bytes a row.
  package func sorted(
    _ rows: consuming [Int], number: @escaping (Int) -> Int64,
    value: @escaping (Int, Int) -> PropertyValue
  ) -> [Int] {
    guard rows.count > 1 else { return rows }
    return RowSorting(rows, by: keys, number: number, value: value).sorted()
  }
}

/// One sort of many rows.
///
/// Rows are sorted by the first key, those with equal values by the next one, and so on. So only
/// one code for each row is in memory.
private struct RowSorting {
  /// What most comparisons need, without a reference to anything.
  private struct Entry {
    var code: UInt64
    let row: Int
  }

  private let keys: [RowOrder.Key]
  private let number: (Int) -> Int64
  private let value: (Int, Int) -> PropertyValue
  private var entries: ContiguousArray<Entry>
  /// For each key the bytes of rows, where strings need some.
  private let bytes: [[[UInt8]?]]

  init(
    _ rows: consuming [Int], by keys: [RowOrder.Key], number: @escaping (Int) -> Int64,
    value: @escaping (Int, Int) -> PropertyValue
  ) {
    self.keys = keys
    self.number = number
    self.value = value
    var bytes: [[[UInt8]?]] = []
    for key in keys { bytes.append(Self.bytes(of: rows, by: key) { value($0, key.attribute) }) }
    self.bytes = bytes
    entries = ContiguousArray(rows.lazy.map { Entry(code: 0, row: $0) })
  }

  /// Returns the bytes by which strings compare; none where they are not needed.
  private static func bytes(
    of rows: [Int], by key: RowOrder.Key, value: (Int) -> PropertyValue
  ) -> [[UInt8]?] {
    func text(_ row: Int) -> String? {
      if case .string(let text) = value(row) { text } else { nil }
    }
    guard !key.strings.isPlain,
      rows.contains(where: { text($0).map { key.strings.letterCode(of: $0) == nil } ?? false })
    else { return [] }
    var bytes = [[UInt8]?](repeating: nil, count: (rows.max() ?? -1) + 1)
    // Without their bytes rows compare as they are, and no further than to a stop.
    for row in rows where !StopCheck.isWanted(after: 16) {
      bytes[row] = text(row).map(key.strings.key)
    }
    return bytes
  }

  consuming func sorted() -> [Int] {
    var entries = entries
    // A reference less, so that the entries are sorted where they are.
    self.entries = []
    entries.withUnsafeMutableBufferPointer { sort($0[...], by: 0) }
    return entries.map(\.row)
  }

  /// Sorts rows that are equal by the keys before one.
  private func sort(_ part: Slice<UnsafeMutableBufferPointer<Entry>>, by key: Int) {
    guard part.count > 1 else { return }
    var entries = UnsafeMutableBufferPointer(rebasing: part)
    guard key < keys.count else { return sortByNumber(entries) }
    var isExact = true
    for place in entries.indices {
      let code = code(of: entries[place].row, by: key)
      isExact = isExact && code.isExact
      entries[place].code = keys[key].ascending ? code.number : ~code.number
    }
    guard isExact else { return sort(entries, from: key) }
    entries.sort { $0.code < $1.code }
    var start = 0
    for end in 1...entries.count
    where end == entries.count || entries[end].code != entries[start].code {
      sort(entries[start..<end], by: key + 1)
      start = end
    }
  }

  private func sortByNumber(_ entries: UnsafeMutableBufferPointer<Entry>) {
    var entries = entries
    for place in entries.indices {
      // The order of signed numbers, as that of unsigned ones.
      entries[place].code = UInt64(bitPattern: number(entries[place].row)) ^ (1 << 63)
    }
    entries.sort { $0.code < $1.code }
  }

  /// Sorts by the codes, and where these are equal by the values from a key on.
  private func sort(_ entries: UnsafeMutableBufferPointer<Entry>, from key: Int) {
    var entries = entries
    // Texts may be long. Where the sort is to stop, all rows are alike.
    var isStopped = false
    var pause = 256
    entries.sort { left, right in
      if left.code != right.code { return left.code < right.code }
      pause &-= 1
      if pause <= 0 {
        pause = 256
        isStopped = StopCheck.isWanted(after: 256)
      }
      return !isStopped && compare(left.row, right.row, from: key) < 0
    }
  }

  private func code(of row: Int, by number: Int) -> SortCode {
    let key = keys[number]
    if !bytes[number].isEmpty, let text = bytes[number][row] {
      return text.withUnsafeBufferPointer { SortCode(bytes: $0) }
    }
    let value = value(row, key.attribute)
    guard !key.strings.isPlain, case .string(let text) = value else { return SortCode(value) }
    // Without a code all texts are alike until they are compared.
    let code = bytes[number].isEmpty ? key.strings.letterCode(of: text) : nil
    return SortCode(letters: code ?? 0)
  }

  /// Compares two rows by the keys from one on.
  private func compare(_ left: Int, _ right: Int, from known: Int) -> Int {
    for number in known..<keys.count {
      let key = keys[number]
      let result: Int
      if !bytes[number].isEmpty, let a = bytes[number][left], let b = bytes[number][right] {
        result = a.withUnsafeBufferPointer { a in
          b.withUnsafeBufferPointer { b in a.comparedBytes(with: b) }
        }
      } else {
        result = key.compare(value(left, key.attribute), value(right, key.attribute))
      }
      if result != 0 { return key.ascending ? result : -result }
    }
    let a = number(left)
    let b = number(right)
    return a < b ? -1 : a == b ? 0 : 1
  }
}
