/// A row that is compared with many others: what its keys cost is paid once.
package final class RowProbe {
  private let order: RowOrder
  private let number: Int64
  private let snapshot: ObjectSnapshot
  /// For each sort key the string with the bytes to compare by, where those are not the
  /// value's own.
  private let probes: [CollationProbe?]
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
    probes =
      order.comparesPlainly ? [] : order.keys.map { $0.collationProbe(of: snapshot) }
  }

  /// Returns whether another row comes before this one.
  @inline(__always)
  package func isAfter(_ other: ObjectSnapshot, _ otherNumber: Int64) -> Bool {
    order.comparesPlainly
      ? order.compare(other, otherNumber, snapshot, number) < 0
      : isAfter(otherNumber) { other[$0] }
  }

  /// Whether strings compare otherwise than by their own bytes, so that ``ProbeCode`` does not
  /// help.
  package var comparesByKeys: Bool { !order.comparesPlainly }

  /// Returns whether another row comes before this one, where strings compare by keys.
  ///
  /// - Parameter value: Gives the other row's value of an attribute.
  package func isAfter(_ otherNumber: Int64, _ value: (Int) -> PropertyValue) -> Bool {
    for index in order.keys.indices {
      let attribute = order.keys[index].attribute
      let other = value(attribute)
      let result: Int
      if let mine = probes[index], case .string(let text) = other {
        result = cache.compare(
          text, number: otherNumber, key: index, order: order.keys[index].strings, with: mine)
      } else {
        result = order.keys[index].compare(other, snapshot[attribute])
      }
      if result != 0 { return order.keys[index].ascending == (result < 0) }
    }
    return otherNumber < number
  }
}

extension RowOrder.Key {
  /// Returns a row's string with its bytes; nil if its value compares as it is.
  fileprivate func collationProbe(of snapshot: ObjectSnapshot) -> CollationProbe? {
    guard !strings.isPlain, case .string(let text) = snapshot[attribute] else { return nil }
    return CollationProbe(text: text, order: strings)
  }
}
