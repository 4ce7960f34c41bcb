/// What a row is compared with many others by, as far as the codes of its first
/// two sort keys tell them apart.
///
/// It refers to nothing, and a comparison holds nothing: so the processor goes
/// on to the next one while it waits for an object.
package struct ProbeCode {
  @usableFromInline package struct Part {
    @usableFromInline let attribute: Int
    @usableFromInline let ascending: Bool
    @usableFromInline let code: SortCode

    init(_ key: RowOrder.Key, _ snapshot: ObjectSnapshot) {
      attribute = key.attribute
      ascending = key.ascending
      code = SortCode(snapshot[key.attribute])
    }
  }

  @usableFromInline let first: Part
  @usableFromInline let second: Part?

  /// - Returns: Nil if the order compares strings otherwise than by their own bytes, or has no key.
  package init?(_ snapshot: ObjectSnapshot, order: RowOrder) {
    guard order.comparesPlainly, let key = order.keys.first else { return nil }
    first = Part(key, snapshot)
    second = order.keys.count > 1 ? Part(order.keys[1], snapshot) : nil
  }

  /// Returns whether another row comes before this one, or nil if the codes do not tell.
  ///
  /// - Parameter value: Gives the other row's value of an attribute.
  @inlinable @inline(__always)
  package func isAfter(_ value: (Int) -> PropertyValue) -> Bool? {
    let other = SortCode(value(first.attribute))
    if other.number != first.code.number {
      return first.ascending == (other.number < first.code.number)
    }
    guard let second, other.isExact, first.code.isExact else { return nil }
    let next = SortCode(value(second.attribute))
    guard next.number != second.code.number else { return nil }
    return second.ascending == (next.number < second.code.number)
  }
}
