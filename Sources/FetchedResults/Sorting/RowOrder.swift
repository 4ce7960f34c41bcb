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
