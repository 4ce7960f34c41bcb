/// The order of a request's rows: its sort descriptors with their keys
/// resolved, and the object's number where all of them are equal.
package struct RowOrder: Sendable {
  package struct Key: Sendable {
    let attribute: Int
    let ascending: Bool
    let strings: StringOrder
  }

  package let keys: [Key]

  /// - Throws: ``FetchError/unknownKeyPath(_:entity:)``.
  package init(
    _ descriptors: [FetchSortDescriptor], entity: EntityDescription, locale: String
  ) throws(FetchError) {
    var keys: [Key] = []
    for descriptor in descriptors {
      guard let attribute = entity.attributeIndex(named: descriptor.key) else {
        throw FetchError.unknownKeyPath(descriptor.key, entity: entity.name)
      }
      keys.append(
        Key(
          attribute: attribute, ascending: descriptor.ascending,
          strings: StringOrder(descriptor.selector, locale: locale)))
    }
    self.keys = keys
  }

  /// Returns a negative number where the left row comes first, a positive one
  /// where the right row does, and 0 for one and the same object.
  package func compare(
    _ left: Snapshot, _ leftNumber: Int64, _ right: Snapshot, _ rightNumber: Int64
  ) -> Int {
    for key in keys {
      let result = key.compare(left[key.attribute], right[key.attribute])
      if result != 0 { return key.ascending ? result : -result }
    }
    return leftNumber < rightNumber ? -1 : leftNumber == rightNumber ? 0 : 1
  }
}

extension RowOrder.Key {
  /// Compares two values of the attribute, without the direction.
  ///
  /// A NaN, which is not ordered among numbers, comes before all of them: rows
  /// need a total order.
  @inline(__always)
  func compare(_ left: Value, _ right: Value) -> Int {
    switch (left, right) {
    case (.string(let a), .string(let b)): strings.compare(a, b)
    case (.int(let a), .int(let b)): a < b ? -1 : a == b ? 0 : 1
    case (.double(let a), .double(let b)) where a.isNaN || b.isNaN:
      (a.isNaN ? 0 : 1) - (b.isNaN ? 0 : 1)
    default: (left.ordering(right) ?? .same).rawValue
    }
  }
}

extension RowOrder {
  /// Sorts rows; each string that needs a key gets it once.
  ///
  /// - Complexity: O(*n* log *n*).
  package func sort(_ rows: inout [(number: Int64, snapshot: Snapshot)]) {
    guard keys.contains(where: { !$0.strings.isPlain }) else {
      rows.sort { compare($0.snapshot, $0.number, $1.snapshot, $1.number) < 0 }
      return
    }
    var keyed = rows.map { row in (row, keys.map { key in key.sortKey(of: row.snapshot) }) }
    keyed.sort { compare($0, $1) < 0 }
    rows = keyed.map(\.0)
  }

  private typealias KeyedRow = ((number: Int64, snapshot: Snapshot), [[UInt8]?])

  private func compare(_ left: KeyedRow, _ right: KeyedRow) -> Int {
    for (index, key) in keys.enumerated() {
      let result: Int
      if let a = left.1[index], let b = right.1[index] {
        result = a.withUnsafeBufferPointer { a in
          b.withUnsafeBufferPointer { b in a.comparedBytes(with: b) }
        }
      } else {
        result = key.compare(left.0.snapshot[key.attribute], right.0.snapshot[key.attribute])
      }
      if result != 0 { return key.ascending ? result : -result }
    }
    return left.0.number < right.0.number ? -1 : left.0.number == right.0.number ? 0 : 1
  }
}

extension RowOrder.Key {
  fileprivate func sortKey(of snapshot: Snapshot) -> [UInt8]? {
    guard !strings.isPlain, case .string(let text) = snapshot[attribute] else { return nil }
    return strings.key(for: text)
  }
}
