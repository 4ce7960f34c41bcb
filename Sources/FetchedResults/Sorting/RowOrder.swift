/// The order of a request's rows: its sort descriptors with their keys
/// resolved, and the object's number where all of them are equal.
///
/// Rows are compared by the values of their own attributes where the keys are
/// such, as most are. Where a key crosses a relationship, or sections come from
/// a transient attribute, a row is first turned into its *keys*, a snapshot of
/// another layout: see ``keys(of:)``.
package struct RowOrder: Sendable {
  package struct Key: Sendable {
    /// The place of the value in what is compared.
    package let attribute: Int
    package let ascending: Bool
    package let selector: FetchSortDescriptor.Selector
    package let strings: StringOrder
  }

  package let keys: [Key]
  /// Whether all strings compare by their own bytes.
  let comparesPlainly: Bool
  /// The place of the section's value in what is compared; nil without a
  /// section key path.
  package let sectionIndex: Int?
  /// What makes up a row's keys; nil if its own values are compared.
  private let readers: [KeyReader]?

  /// - Throws: ``FetchError`` if a key path leads nowhere.
  package init(
    _ descriptors: [FetchSortDescriptor], section: String? = nil, entity: EntityDescription,
    locale: String
  ) throws(FetchError) {
    var readers: [KeyReader] = []
    for descriptor in descriptors {
      readers.append(try KeyReader(descriptor.key, entity: entity, isSort: true))
    }
    if let section { readers.append(try KeyReader(section, entity: entity, isSort: false)) }
    let own = (descriptors.map(\.key) + [section].compactMap(\.self)).compactMap { key in
      entity.attributeIndex(named: key).flatMap { entity.attributes[$0].isTransient ? nil : $0 }
    }
    let comparesOwn = own.count == readers.count
    self.readers = comparesOwn ? nil : readers
    keys = descriptors.enumerated().map { index, descriptor in
      Key(
        attribute: comparesOwn ? own[index] : index, ascending: descriptor.ascending,
        selector: descriptor.selector,
        strings: StringOrder(descriptor.selector, locale: locale))
    }
    comparesPlainly = keys.allSatisfy(\.strings.isPlain)
    sectionIndex = section.map { _ in comparesOwn ? own[own.count - 1] : descriptors.count }
  }

  private init() {
    keys = []
    comparesPlainly = true
    sectionIndex = nil
    readers = nil
  }

  /// Checks a key path of a sort, or of a section.
  ///
  /// - Throws: ``FetchError`` if it leads nowhere.
  package static func check(
    _ keyPath: String, of entity: EntityDescription, isSort: Bool
  ) throws(FetchError) {
    _ = try KeyReader(keyPath, entity: entity, isSort: isSort)
  }

  /// The order by number alone.
  package static let byNumber = RowOrder()

  /// Whether rows are compared by values other than their own.
  package var needsKeys: Bool { readers != nil }

  /// Returns the values by which an object is compared and put in a section:
  /// its own, or what the key paths lead to now.
  package func keys(of object: ObjectValues) -> ObjectSnapshot {
    guard let readers else { return object.snapshot }
    return ObjectSnapshot(stored: ContiguousArray(readers.map { .known($0.value(of: object)) }))
  }

  /// Returns of a row's own values those that are compared.
  ///
  /// - Parameter place: Another place whose value is wanted.
  package func compared(_ snapshot: ObjectSnapshot, and place: Int? = nil) -> ObjectSnapshot {
    let places = keys.map(\.attribute) + [place].compactMap(\.self)
    var values = ContiguousArray<StoredValue>(
      repeating: .known(.null), count: (places.max() ?? -1) + 1)
    for place in places { values[place] = .known(snapshot[place]) }
    return ObjectSnapshot(stored: values)
  }

  /// Returns a negative number where the left row comes first, a positive one
  /// where the right row does, and 0 for one and the same object.
  package func compare(
    _ left: ObjectSnapshot, _ leftNumber: Int64, _ right: ObjectSnapshot, _ rightNumber: Int64
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
  func compare(_ left: PropertyValue, _ right: PropertyValue) -> Int {
    switch (left, right) {
    case (.string(let a), .string(let b)): strings.compare(a, b)
    case (.int(let a), .int(let b)): a < b ? -1 : a == b ? 0 : 1
    case (.double(let a), .double(let b)) where a.isNaN || b.isNaN:
      (a.isNaN ? 0 : 1) - (b.isNaN ? 0 : 1)
    case (.decimal, .decimal) where left.isNaN || right.isNaN:
      (left.isNaN ? 0 : 1) - (right.isNaN ? 0 : 1)
    case (.object(let a), .object(let b)):
      a.number < b.number ? -1 : a.number == b.number ? 0 : 1
    default: (left.ordering(right) ?? .same).rawValue
    }
  }
}
