import Foundation

/// The rows of one root entity in memory; row *n* is at index *n* - 1.
///
/// A row takes 8 bytes beside its values, 4 more once a row of the table was changed, and 4 more
/// if the table has rows of several entities.
///
/// A reference of its own: looking a row up counts one reference, and not one for each list.
final class RowTable {
  @exclusivity(unchecked) var lastNumber: Int64 = 0
  /// How many numbers have a row.
  @exclusivity(unchecked) private(set) var rowCount: Int64 = 0
  /// The values of the rows; nil where a number has none.
  @exclusivity(unchecked) private(set) var snapshots: ContiguousArray<ObjectSnapshot?> = []
  /// The versions of the rows; empty while all have the first one.
  @exclusivity(unchecked) private var versions: ContiguousArray<Int32> = []
  /// How many rows each page of 64 numbers has.
  @exclusivity(unchecked) private var rowsOfPages: ContiguousArray<UInt8> = []
  /// The entities of the rows, each once.
  @exclusivity(unchecked) private var entities: [EntityDescription] = []
  /// For each row the place of its entity; empty while there is one entity at most.
  @exclusivity(unchecked) private var kinds: ContiguousArray<UInt32> = []

  /// The indices of all numbers that may have a row.
  private var indices: Range<Int> { snapshots.indices }

  /// Returns the index of the first row at an index or after it; nil where none follows.
  ///
  /// Pages without a row are skipped, so that a table that many rows came to and left stays quick
  /// to walk.
  @inline(__always)
  func firstRow(from index: Int) -> Int? {
    var index = index
    while index < snapshots.count {
      if index & 63 == 0, rowsOfPages[index >> 6] == 0 {
        index += 64
      } else if snapshots[index] != nil {
        return index
      } else {
        index += 1
      }
    }
    return nil
  }

  /// The values of a row; nil where the number has none.
  @inline(__always)
  func snapshot(at index: Int) -> ObjectSnapshot? { snapshots[index] }

  /// One value of a row; null where the number has none.
  @inline(__always)
  func value(at index: Int, _ place: Int) -> PropertyValue { snapshots[index]?[place] ?? .null }

  /// The entity of a row, which must exist.
  @inline(__always)
  func entity(at index: Int) -> EntityDescription {
    entities[kinds.isEmpty ? 0 : Int(kinds[index])]
  }

  /// The row at an index; nil where the number has none.
  subscript(index: Int) -> StoreRow? {
    guard indices.contains(index), let snapshot = snapshots[index] else { return nil }
    return StoreRow(
      entity: entity(at: index), snapshot: snapshot,
      version: versions.isEmpty ? Self.firstVersion : versions[index])
  }

  /// Sets or removes a row.
  func set(_ row: StoreRow?, at index: Int) {
    guard let row else {
      guard indices.contains(index), snapshots[index] != nil else { return }
      snapshots[index] = nil
      rowCount -= 1
      rowsOfPages[index >> 6] -= 1
      return
    }
    grow(toHold: index)
    if snapshots[index] == nil {
      rowCount += 1
      rowsOfPages[index >> 6] += 1
    }
    snapshots[index] = row.snapshot
    setVersion(row.version, at: index)
    setKind(row.entity, at: index)
  }

  /// Returns a table with the same rows, which share their memory until one of both changes.
  func copy() -> RowTable {
    let copy = RowTable()
    copy.takeRows(of: self)
    return copy
  }

  /// Replaces the rows by those of another table.
  func takeRows(of other: RowTable) {
    rowCount = other.rowCount
    snapshots = other.snapshots
    versions = other.versions
    rowsOfPages = other.rowsOfPages
    entities = other.entities
    kinds = other.kinds
  }

  private static let firstVersion: Int32 = 1

  private func setVersion(_ version: Int32, at index: Int) {
    if versions.isEmpty {
      if version == Self.firstVersion { return }
      versions = ContiguousArray(repeating: Self.firstVersion, count: snapshots.count)
    }
    versions[index] = version
  }

  private func setKind(_ entity: EntityDescription, at index: Int) {
    if kinds.isEmpty {
      if entities.isEmpty { entities.append(entity) }
      if entities[0] === entity { return }
      kinds = ContiguousArray(repeating: 0, count: snapshots.count)
    }
    if entities[Int(kinds[index])] === entity { return }
    // Searched from the end: rows of one entity often come together.
    guard let place = entities.lastIndex(where: { $0 === entity }) else {
      kinds[index] = UInt32(entities.count)
      entities.append(entity)
      return
    }
    kinds[index] = UInt32(place)
  }

  private func grow(toHold index: Int) {
    guard index >= snapshots.count else { return }
    if index >= snapshots.capacity {
      // Room for all that may follow soon, so that a large save does not copy the rows twice.
      let room = max(index + 1, Int(lastNumber), snapshots.capacity * 3 / 2)
      snapshots.reserveCapacity(room)
    }
    while rowsOfPages.count <= index >> 6 { rowsOfPages.append(0) }
    while snapshots.count <= index {
      snapshots.append(nil)
      if !versions.isEmpty { versions.append(Self.firstVersion) }
      if !kinds.isEmpty { kinds.append(0) }
    }
  }
}

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

/// The values that an object has under one uniqueness constraint.
///
/// Two keys are equal if a store treats the values as equal. Decimals that a SQLite column cannot
/// tell apart are equal, in memory too.
struct UniqueKey: Hashable {
  /// The entity that has the constraint, with all that inherit from it.
  let entity: EntityDescription
  /// The names of the constraint's attributes.
  let attributes: [String]
  /// The attributes' places in a ``ObjectSnapshot``.
  let places: [Int]
  /// The values as the object has them.
  let values: [PropertyValue]
  /// The values as they are compared.
  private let storedValues: [PropertyValue]

  /// The keys of an object, without those that contain a nil, because nil never causes a conflict.
  static func keys(of snapshot: ObjectSnapshot, in entity: EntityDescription) -> [UniqueKey] {
    entity.uniquenessConstraints.enumerated().compactMap { ordinal, attributes in
      let places = attributes.compactMap(entity.attributeIndex(named:))
      let values = places.map { snapshot[$0] }
      let storedValues = values.map(\.asStored)
      guard !storedValues.contains(where: \.isNull) else { return nil }
      var owner = entity
      while let parent = owner.superentity, ordinal < parent.uniquenessConstraints.count {
        owner = parent
      }
      return UniqueKey(
        entity: owner, attributes: attributes, places: places, values: values,
        storedValues: storedValues)
    }
  }

  /// Whether an object of an entity has these values.
  func isHeld(by snapshot: ObjectSnapshot, of entity: EntityDescription) -> Bool {
    entity.isKindOf(entity: self.entity)
      && zip(places, storedValues).allSatisfy { snapshot[$0].asStored == $1 }
  }

  static func == (left: Self, right: Self) -> Bool {
    left.entity === right.entity && left.places == right.places
      && left.storedValues == right.storedValues
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(entity)
    hasher.combine(places)
    hasher.combine(storedValues)
  }
}

extension PropertyValue {
  /// The value as a unique column of a store compares it.
  ///
  /// A decimal becomes a floating-point number, a URI its text, and NaN becomes nil.
  var asStored: PropertyValue {
    switch self {
    case .decimal(let number): isNaN ? self : PropertyValue.double(number.nearestDouble).asStored
    case .double(let number): number.isNaN ? .null : self
    case .uri(let url): .string(url.absoluteString)
    case .null, .bool, .int, .string, .date, .uuid, .data, .object, .list: self
    }
  }
}

/// Says which constraint a batch request would break.
struct UniquenessCheck {
  let store: any PersistentStore

  /// Returns the entity that declares the first constraint that changes would break, or nil.
  ///
  /// Rows are checked in the order of the changes, and constraints in the order of the entity. So
  /// every store names the same entity.
  ///
  /// - Throws: What the store throws; ``StoreError/cancelled`` if the work is to stop.
  func brokenBy(_ changes: [StoreChange]) throws(StoreError) -> EntityDescription? {
    var holders: [UniqueKey: ObjectID] = [:]
    var changed: Set<ObjectID> = []
    var stop = StopCheck.Loop()
    if changes.contains(where: { !$0.objectID.entity.uniquenessConstraints.isEmpty }) {
      changed.reserveCapacity(changes.count)
      for change in changes {
        if stop.isWanted(after: 4) { throw .cancelled }
        changed.insert(change.objectID)
      }
    }
    for change in changes {
      if stop.isWanted(after: changed.isEmpty ? 1 : 16) { throw .cancelled }
      guard let snapshot = change.snapshot else { continue }
      let id = change.objectID
      for key in UniqueKey.keys(of: snapshot, in: id.entity) {
        if holders.updateValue(id, forKey: key) != nil { return key.entity }
        let root = key.entity.root
        for number in try store.rows(of: key.entity, having: key.values, at: key.places)
        where !changed.contains(ObjectID(entity: root, number: number)) {
          return key.entity
        }
      }
    }
    return nil
  }
}

extension PersistentStore {
  /// The error of a refused batch request.
  ///
  /// It names the entity of the constraint that would break.
  ///
  /// - Parameter entity: The entity to name if another process changed the rows in the meantime, so
  ///   that no constraint would break any more.
  package func sharedUniqueValues(
    of changes: [StoreChange], else entity: EntityDescription
  ) -> StoreError {
    let broken = try? UniquenessCheck(store: self).brokenBy(changes)
    return .sharedUniqueValues(entity: (broken ?? entity).name)
  }
}
