import Foundation

/// A key to sort by, its direction, and how strings compare.
public struct FetchSortDescriptor: Hashable, Sendable {
  /// The key path of the values to compare.
  public let key: String
  /// Whether smaller values come first; nil sorts first ascending and last
  /// descending.
  public let ascending: Bool
  /// The comparison of strings.
  public let selector: Selector

  /// Creates a descriptor.
  public init(key: String, ascending: Bool = true, selector: Selector = .compare) {
    self.key = key
    self.ascending = ascending
    self.selector = selector
  }

  /// The comparisons that Core Data's SQLite store knows.
  public enum Selector: String, Hashable, Sendable, CaseIterable {
    /// By Unicode scalars.
    case compare = "compare:"
    /// By Unicode scalars after case folding.
    case caseInsensitiveCompare = "caseInsensitiveCompare:"
    /// By the rules of the locale.
    case localizedCompare = "localizedCompare:"
    /// By the rules of the locale, without regard to case.
    case localizedCaseInsensitiveCompare = "localizedCaseInsensitiveCompare:"
    /// As a file browser sorts: by the locale, numbers by their value.
    case localizedStandardCompare = "localizedStandardCompare:"
  }
}

extension FetchSortDescriptor: CustomStringConvertible {
  /// `title ascending, localizedStandardCompare:`.
  public var description: String {
    key + (ascending ? " ascending" : " descending")
      + (selector == .compare ? "" : ", " + selector.rawValue)
  }
}

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
    var readers = try descriptors.map { descriptor throws(FetchError) in
      try KeyReader(descriptor.key, entity: entity, isSort: true)
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

  /// Whether rows are first sorted by their own value at a place, and texts by their bytes.
  func sortsFirst(by place: Int?) -> Bool {
    guard let first = keys.first, let place else { return false }
    return first.attribute == place && first.strings.isPlain && !needsKeys
  }

  /// Whether rows are compared by values other than their own.
  package var needsKeys: Bool { readers != nil }

  /// Returns the values by which an object is compared and put in a section:
  /// its own, or what the key paths lead to now.
  package func keys(of object: ObjectValues) -> ObjectSnapshot {
    guard let readers else { return object.snapshot }
    return ObjectSnapshot(count: readers.count) { .known(readers[$0].value(of: object)) }
  }

  /// Returns of a row's own values those that are compared.
  ///
  /// - Parameter place: Another place whose value is wanted.
  package func compared(_ snapshot: ObjectSnapshot, and place: Int? = nil) -> ObjectSnapshot {
    let places = keys.map(\.attribute) + [place].compactMap(\.self)
    return ObjectSnapshot(count: (places.max() ?? -1) + 1) {
      places.contains($0) ? .known(snapshot[$0]) : .known(.null)
    }
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
    let sorted = sortedIndices(of: rows)
    // A sort that was stopped returns any order.
    if StopCheck.isLong(sorted.count), StopCheck.isWanted(after: sorted.count) { return }
    rows = sorted.map { rows[$0] }
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

  @inline(__always)
  func touch(_ row: Int) -> Int { rows[row].snapshot.touch() }
}

/// Rows in a table, where their place is their number.
private struct TableRows: RowSource {
  let table: ContiguousArray<ObjectSnapshot?>

  @inline(__always)
  func number(of row: Int) -> Int64 { Int64(row + 1) }

  @inline(__always)
  func value(of row: Int, at place: Int) -> PropertyValue { table[row]?[place] ?? .null }

  @inline(__always)
  func touch(_ row: Int) -> Int { table[row]?.touch() ?? 0 }
}

/// How two strings compare, with a key of bytes that compares the same.
package enum StringOrder: Sendable {
  case scalars
  case folded
  case collated(Collator)

  package init(_ selector: FetchSortDescriptor.Selector, locale: String) {
    switch selector {
    case .compare: self = .scalars
    case .caseInsensitiveCompare: self = .folded
    case .localizedCompare:
      self = .collated(Collator(locale: locale, strength: .tertiary, isNumeric: false))
    case .localizedCaseInsensitiveCompare:
      self = .collated(Collator(locale: locale, strength: .secondary, isNumeric: false))
    case .localizedStandardCompare:
      self = .collated(Collator(locale: locale, strength: .tertiary, isNumeric: true))
    }
  }

  /// Whether strings compare by their own bytes, so that a key saves nothing.
  package var isPlain: Bool {
    if case .scalars = self { true } else { false }
  }

  /// Returns a negative number, 0 or a positive number.
  package func compare(_ left: String, _ right: String) -> Int {
    switch self {
    case .scalars: left.compareScalars(with: right)
    case .folded: left.caseFolded.compareScalars(with: right.caseFolded)
    case .collated(let collator): collator.compare(left, right)
    }
  }

  /// Compares two strings as far as that takes no key and no call of ICU.
  ///
  /// - Returns: A negative or a positive number; nil where only ``compare(_:_:)`` or keys can tell.
  func compareLetters(_ left: String, _ right: String) -> Int? {
    if case .collated(let collator) = self { collator.compareLetters(left, right) } else { nil }
  }

  /// Returns a number that orders as seven bytes of a string do; nil where only keys can tell.
  ///
  /// - Parameter offset: The first of these bytes, among those that the string compares by.
  func letterCode(of string: String, from offset: Int) -> UInt64? {
    guard case .collated(let collator) = self else { return nil }
    return collator.letterCode(of: string, from: offset)
  }

  /// Returns bytes that compare as the strings do.
  package func key(for string: String) -> [UInt8] {
    switch self {
    case .scalars: Array(string.utf8)
    case .folded: Array(string.caseFolded.utf8)
    case .collated(let collator): collator.key(for: string)
    }
  }
}

extension String {
  /// The text without case, independent of any locale, as `[c]` compares it.
  var caseFolded: String { folding(options: .caseInsensitive, locale: nil).composed }
}
