/// An index of an entity's rows by some of their values, like the one that a store keeps for a
/// uniqueness constraint.
struct ValueIndex {
  /// What the index is of.
  struct Key: Hashable {
    let entity: EntityDescription
    /// The places of the values in a ``ObjectSnapshot``.
    let places: [Int]
  }

  private let key: Key
  private var numbers: [[PropertyValue]: [Int64]] = [:]

  init(_ key: Key) { self.key = key }

  /// Returns the numbers of the rows that have these values.
  func numbers(having values: [PropertyValue]) -> [Int64] { numbers[values.map(\.asStored)] ?? [] }

  /// Lets a row have other values, or be gone, or not be there yet.
  mutating func replace(_ old: StoreRow?, with new: StoreRow?, number: Int64) {
    let before = old.flatMap(values)
    let after = new.flatMap(values)
    guard before != after else { return }
    if let before {
      numbers[before]?.removeAll { $0 == number }
      if numbers[before]?.isEmpty == true { numbers[before] = nil }
    }
    if let after { numbers[after, default: []].append(number) }
  }

  private func values(of row: StoreRow) -> [PropertyValue]? {
    row.entity.isKindOf(entity: key.entity) ? key.places.map { row.snapshot[$0].asStored } : nil
  }
}

/// Where the rows of an entity are found by what a relationship without an
/// inverse leads to.
struct ReferenceIndex {
  /// What the index is of.
  struct Key: Hashable {
    let entity: EntityDescription
    let ordinal: Int
  }

  private let key: Key
  /// The numbers of the rows by the number of what they lead to; no set is
  /// empty.
  private var numbers: [Int64: Set<Int64>] = [:]

  init(_ key: Key) { self.key = key }

  /// Returns the numbers of the rows that lead to one of some objects, in order.
  func numbers(leadingTo ids: [ObjectID]) -> [Int64] {
    var found: Set<Int64> = []
    for id in ids { found.formUnion(numbers[id.number] ?? []) }
    return found.sorted()
  }

  /// Lets a row lead elsewhere; nil for one that is not there.
  mutating func replace(_ old: StoreRow?, with new: StoreRow?, number: Int64) {
    let before = members(of: old)
    let after = members(of: new)
    guard before != after else { return }
    for member in before {
      numbers[member]?.remove(number)
      if numbers[member]?.isEmpty == true { numbers[member] = nil }
    }
    for member in after { numbers[member, default: []].insert(number) }
  }

  private func members(of row: StoreRow?) -> [Int64] {
    guard let row, row.entity.isKindOf(entity: key.entity) else { return [] }
    return row.snapshot[row.entity.attributes.count + key.ordinal].members.map(\.number)
  }
}
