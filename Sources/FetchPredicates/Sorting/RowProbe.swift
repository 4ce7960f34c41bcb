/// A row that is compared with many others: what its keys cost is paid once.
package struct RowProbe {
  private let order: RowOrder
  private let number: Int64
  private let snapshot: ObjectSnapshot
  /// For each sort key the bytes to compare by, where those are not the
  /// value's own.
  private let bytes: [[UInt8]?]
  private let cache: CollationKeys

  /// - Parameter cache: Keeps the bytes of the rows that this one is compared
  ///   with.
  package init(
    _ snapshot: ObjectSnapshot, number: Int64, order: RowOrder, cache: CollationKeys
  ) {
    self.order = order
    self.number = number
    self.snapshot = snapshot
    self.cache = cache
    bytes =
      order.comparesPlainly ? [] : order.keys.map { $0.collationKey(of: snapshot) }
  }

  /// Returns whether another row stands before this one.
  @inline(__always)
  package func isBehind(_ other: ObjectSnapshot, _ otherNumber: Int64) -> Bool {
    order.comparesPlainly
      ? order.compare(other, otherNumber, snapshot, number) < 0
      : isBehindByBytes(other, otherNumber)
  }

  private func isBehindByBytes(_ other: ObjectSnapshot, _ otherNumber: Int64) -> Bool {
    for (index, key) in order.keys.enumerated() {
      let result: Int
      if let mine = bytes[index], case .string(let text) = other[key.attribute] {
        let theirs = cache.bytes(
          of: text, number: otherNumber, key: index, order: key.strings)
        result = theirs.withUnsafeBufferPointer { theirs in
          mine.withUnsafeBufferPointer { theirs.comparedBytes(with: $0) }
        }
      } else {
        result = key.compare(other[key.attribute], snapshot[key.attribute])
      }
      if result != 0 { return key.ascending == (result < 0) }
    }
    return otherNumber < number
  }
}
