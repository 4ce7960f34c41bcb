package import Foundation
import Synchronization

/// An object's values at one moment: its attributes, then its relationships, in the entity's order.
///
/// A to-one relationship holds an object or null. A to-many relationship holds a list of objects,
/// which is sorted by number unless the relationship is ordered.
///
/// A snapshot is a value. Keeping an old one costs only a reference until the object changes.
public struct ObjectSnapshot: Hashable, Sendable {
  @usableFromInline package var stored: StoredValues

  /// - Complexity: O(*n*), because the values are copied.
  @inlinable package init(_ values: some Sequence<PropertyValue>) {
    let values = Array(values)
    self.init(count: values.count) { .known(values[$0]) }
  }

  /// Creates a snapshot of values that are computed one after the other.
  ///
  /// - Parameter value: Returns the value at a place, counted from 0.
  @inlinable
  @inline(__always)
  package init(count: Int, _ value: (_ place: Int) throws -> StoredValue) rethrows {
    stored = try StoredValues(count: count, value)
  }

  /// How many properties the object has.
  @inlinable package var count: Int { stored.count }

  /// The value of the property at an index in its entity.
  ///
  /// A relationship that was not read yet is read from the store.
  @inlinable package subscript(index: Int) -> PropertyValue {
    @inline(__always) get { stored[index].value }
    @inline(__always) set { stored[index] = .known(newValue) }
  }

  /// Whether the property with this index has no value, without copying the value.
  @inlinable package func isNull(at index: Int) -> Bool {
    if case .known(.null) = stored[index] { true } else { false }
  }

  /// Compares two texts by their bytes, or two whole numbers, and counts no reference.
  ///
  /// - Returns: A negative number, 0 or a positive number; nil for other values.
  @inline(__always)
  func comparePlainly(at place: Int, with other: ObjectSnapshot) -> Int? {
    compare(at: place, with: other) { left, right in left.comparedBytes(with: right) }
  }

  /// Compares two texts by `compareTexts`, or two whole numbers, and counts no reference.
  ///
  /// - Returns: A negative number, 0 or a positive number; nil for other values, and where
  ///   `compareTexts` returns nil.
  @inline(__always)
  func compare(
    at place: Int, with other: ObjectSnapshot,
    _ compareTexts: (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) -> Int?
  ) -> Int? {
    stored.check(place)
    other.stored.check(place)
    return stored.storage.withUnsafeMutablePointerToElements { mine in
      other.stored.storage.withUnsafeMutablePointerToElements { theirs in
        if case .known(.string(let left)) = mine[place],
          case .known(.string(let right)) = theirs[place]
        {
          return left.utf8.withContiguousStorageIfAvailable { left in
            right.utf8.withContiguousStorageIfAvailable { compareTexts(left, $0) } ?? nil
          } ?? nil
        }
        if case .known(.int(let left)) = mine[place], case .known(.int(let right)) = theirs[place] {
          return left < right ? -1 : left == right ? 0 : 1
        }
        return nil
      }
    }
  }

  /// Reads something from the beginning and from the end of the values, so that the processor
  /// fetches them.
  @inline(__always)
  func touch() -> Int {
    stored.storage.withUnsafeMutablePointers { count, values in
      let count = count.pointee
      guard count > 0 else { return 0 }
      return count &+ Int(UnsafeRawPointer(values + (count - 1)).load(as: UInt8.self))
    }
  }

  /// Reads a byte of a text that has memory of its own, so that the processor fetches it; 0 if it
  /// has none.
  @inline(__always)
  func firstByte(ofTextAt place: Int) -> UInt8 {
    stored.check(place)
    return stored.storage.withUnsafeMutablePointerToElements { values in
      guard case .known(.string(let text)) = values[place], text.utf8.count > Self.shortText else {
        return 0
      }
      return text.utf8.withContiguousStorageIfAvailable { $0[0] } ?? 0
    }
  }

  /// The most bytes of a text that is kept in the snapshot itself.
  private static var shortText: Int { 15 }

  /// The values, without those that were not read yet.
  package var knownValues: some Sequence<PropertyValue> {
    stored.lazy.compactMap { if case .unread = $0 { nil } else { $0.value } }
  }

  /// Whether a value was not read yet, so that nothing can have changed it.
  package func isUnread(_ index: Int) -> Bool {
    if case .unread(let fault) = stored[index] { fault.isUnread } else { false }
  }

  /// Reads all relationships that were not read yet, before the store changes them.
  package func readRelationships() {
    for case .unread(let fault) in stored where fault.reference == nil { _ = fault.value }
  }

  /// What the store's row has in place of data in a file, if the data is still the row's.
  package func reference(at index: Int) -> Data? {
    if case .unread(let fault) = stored[index] { fault.reference } else { nil }
  }
}

/// The values of an ``ObjectSnapshot``, in memory that is shared until one of them changes.
///
/// An array would keep its capacity too, and ask for it where it is made. Its initializer that takes
/// a buffer is not specialized by the compiler, so that it looks its type up for each row.
@usableFromInline package struct StoredValues: @unchecked Sendable {
  /// The number of values, and then the values.
  @usableFromInline final class Storage: ManagedBuffer<Int, StoredValue> {
    @inlinable deinit {
      _ = withUnsafeMutablePointers { count, values in
        values.deinitialize(count: count.pointee)
      }
    }
  }

  @usableFromInline var storage: Storage

  /// Creates values that are computed one after the other.
  @inlinable
  @inline(__always)
  init(count: Int, _ value: (_ place: Int) throws -> StoredValue) rethrows {
    // Unmanaged, and without a closure around the loop. Otherwise each snapshot counts three
    // references more.
    let buffer = Unmanaged.passRetained(Storage.create(minimumCapacity: count) { _ in 0 })
    let (made, values) = buffer._withUnsafeGuaranteedRef {
      $0.withUnsafeMutablePointers { ($0, $1) }
    }
    do {
      for place in 0..<count {
        (values + place).initialize(to: try value(place))
        made.pointee = place + 1
      }
    } catch {
      buffer.release()
      throw error
    }
    storage = unsafeDowncast(buffer.takeRetainedValue(), to: Storage.self)
  }

  /// Makes this the only user of its memory, so that a value can be changed where it is.
  @inlinable
  @inline(__always)
  mutating func makeUnique() {
    if !isKnownUniquelyReferenced(&storage) { self = copied() }
  }

  @inlinable
  @inline(__always)
  func check(_ place: Int) {
    if UInt(bitPattern: place) >= UInt(bitPattern: count) { refuse(place) }
  }

  @usableFromInline
  @inline(never)
  func refuse(_ place: Int) -> Never {
    programmingError(
      "a snapshot of \(count) values has none at \(place); use the place of one of its properties")
  }

  @usableFromInline
  @inline(never)
  func copied() -> StoredValues { StoredValues(count: count) { self[$0] } }
}

extension StoredValues: RandomAccessCollection, MutableCollection {
  /// 0.
  @inlinable package var startIndex: Int { 0 }
  /// How many values there are.
  @inlinable package var endIndex: Int { count }
  /// How many values there are.
  @inlinable package var count: Int {
    @inline(__always) get { storage.withUnsafeMutablePointerToHeader { $0.pointee } }
  }

  /// The value at a place.
  ///
  /// - Precondition: The place is at least 0 and less than ``count``.
  @inlinable package subscript(place: Int) -> StoredValue {
    @inline(__always) get {
      check(place)
      return storage.withUnsafeMutablePointerToElements { $0[place] }
    }
    @inline(__always) _modify {
      check(place)
      makeUnique()
      // The storage outlives the access: this is its only user.
      let value = storage.withUnsafeMutablePointerToElements { $0 + place }
      yield &value.pointee
    }
  }
}

extension StoredValues: Hashable {
  /// Whether both have the same values.
  @usableFromInline package static func == (left: Self, right: Self) -> Bool {
    left.storage === right.storage || left.elementsEqual(right)
  }

  /// Hashes the values.
  @usableFromInline package func hash(into hasher: inout Hasher) {
    for value in self { hasher.combine(value) }
  }
}

extension ObjectSnapshot {
  /// Takes over the changes between an older snapshot and another one.
  ///
  /// For a to-many relationship, it takes over the added and removed objects and keeps later
  /// changes of this snapshot. An ordered relationship gets the other's order, followed by objects
  /// that only this snapshot has.
  package mutating func take(
    from other: ObjectSnapshot, whereChangedSince older: ObjectSnapshot,
    of entity: EntityDescription
  ) {
    for index in stored.indices where other.stored[index] != older.stored[index] {
      guard case .list(let mine) = self[index], case .list(let theirs) = other[index],
        case .list(let common) = older[index], mine != common
      else {
        stored[index] = other.stored[index]
        continue
      }
      let relationship = entity.relationships[index - entity.attributes.count]
      let merged = theirs.merged(with: mine, since: common)
      self[index] = .list(relationship.isOrdered ? merged : merged.sortedByNumber)
    }
  }
}

extension [PropertyValue] {
  /// Merges two lists that were changed from the same older list: the result has what one of them
  /// added, and lacks what one of them removed.
  fileprivate func merged(with other: [PropertyValue], since older: [PropertyValue])
    -> [PropertyValue]
  {
    let mine = Set(self)
    let theirs = Set(other)
    let common = Set(older)
    return filter { theirs.contains($0) || !common.contains($0) }
      + other.filter { !mine.contains($0) && !common.contains($0) }
  }

  fileprivate var sortedByNumber: [PropertyValue] {
    sorted { ($0.objectID?.number ?? 0) < ($1.objectID?.number ?? 0) }
  }
}

extension PropertyValue {
  /// Returns the objects that are in exactly one of two values of a relationship.
  package static func members(thatDifferIn left: PropertyValue?, _ right: PropertyValue?)
    -> [ObjectID]
  {
    guard left != right else { return [] }
    let before = left?.members ?? []
    let after = right?.members ?? []
    let kept = Set(before).intersection(after)
    return (before + after).filter { !kept.contains($0) }
  }

  /// The objects of a relationship's value.
  package var members: [ObjectID] {
    switch self {
    case .object(let id): [id]
    case .list(let values): values.compactMap(\.objectID)
    case .null, .bool, .int, .double, .string, .date, .decimal, .uuid, .uri, .data: []
    }
  }
}

/// The value of a property in an ``ObjectSnapshot``.
///
/// An unread value is not a ``PropertyValue``, so that a client's switch needs no case for
/// it. The compiler gives both enums the same size, because it can use bits that ``PropertyValue``
/// does not need.
@usableFromInline package enum StoredValue: Sendable {
  case known(PropertyValue)
  /// A to-many relationship, or data in a file of its own, that a store has not read yet.
  case unread(ValueFault)
  /// A long to-many relationship that has changed.
  indirect case members(MemberList)

  /// The value.
  ///
  /// A value that was not read yet is read.
  @inlinable package var value: PropertyValue {
    @inline(__always) get {
      switch self {
      case .known(let value): value
      case .unread(let fault): fault.value
      case .members(let list): .list(list.members)
      }
    }
  }

  /// Takes a long relationship out, so that it is changed where it is; null is left.
  ///
  /// - Returns: Nil if the value is not a long relationship.
  /// - Complexity: O(1); O(*n*) if the relationship is long, but not in blocks yet.
  @inline(never)
  package mutating func takeMembers(isOrdered: Bool) -> MemberList? {
    let taken: MemberList
    switch self {
    case .members(let list): taken = list
    case .known(.list(let values)) where values.count >= MemberList.least:
      guard let list = MemberList(values, isOrdered: isOrdered) else { return nil }
      taken = list
    case .known, .unread: return nil
    }
    self = .known(.null)
    return taken
  }

  /// Puts a long relationship back; a short one is a plain list again.
  package mutating func put(_ list: consuming MemberList) {
    self = list.count < MemberList.least / 2 ? .known(.list(list.members)) : .members(list)
  }
}

/// A value that a store has not read yet: the objects of a to-many relationship, or data in a file
/// of its own.
///
/// The first access reads the value and keeps it. Copies of a snapshot share the fault, so all of
/// them have what one has read.
///
/// Few values are faults, so the compiler does not copy these functions into each use of a value.
/// The copies were a fifteenth of all that it optimised in the engine.
@usableFromInline package final class ValueFault: Sendable {
  /// What the store's row has in place of data in a file; nil for a relationship.
  package let reference: Data?
  /// Returns the value; nil if reading failed, in which case the store keeps the error if it should.
  private let read: @Sendable (_ keepsError: Bool) -> PropertyValue?
  private let known = Mutex<PropertyValue?>(nil)

  /// A to-many relationship.
  ///
  /// - Parameter read: Returns the objects in the relationship's order, or nil if they cannot be
  ///   read.
  package init(members read: @escaping @Sendable () -> [PropertyValue]?) {
    reference = nil
    self.read = { _ in read().map(PropertyValue.list) }
  }

  /// Data in a file of its own.
  ///
  /// - Parameters:
  ///   - reference: What the store's row has in place of the data.
  ///   - read: Returns the data, or nil if it cannot be read. If `keepsError` is false, the data
  ///     was not asked for, and the error is ignored.
  package init(reference: Data, _ read: @escaping @Sendable (_ keepsError: Bool) -> Data?) {
    self.reference = reference
    self.read = { read($0).map(PropertyValue.data) }
  }

  /// Whether the value has not been read yet.
  @inline(never)
  package var isUnread: Bool { known.withLock { $0 == nil } }

  /// The value, which is read now if necessary.
  ///
  /// If it cannot be read, a relationship is empty and data is null. The next access tries again.
  @usableFromInline
  @inline(never)
  package var value: PropertyValue {
    value(keepsError: true) ?? (reference == nil ? .list([]) : .null)
  }

  private func value(keepsError: Bool) -> PropertyValue? {
    if let value = known.withLock({ $0 }) { return value }
    // Read without holding the lock, because reading can take long.
    guard let value = read(keepsError) else { return nil }
    known.withLock { $0 = value }
    return value
  }

  /// Whether the fault has a value.
  ///
  /// Data that cannot be read differs from every value.
  @inline(never)
  fileprivate func has(_ value: PropertyValue) -> Bool {
    reference == nil ? self.value == value : self.value(keepsError: false) == value
  }

  /// Whether both faults have the same value.
  ///
  /// Data is not read for this: a store gives other data another file.
  @inline(never)
  fileprivate func hasValue(of other: ValueFault) -> Bool {
    if self === other { return true }
    if let reference, let otherReference = other.reference { return reference == otherReference }
    return value == other.value
  }

  @inline(never)
  fileprivate func hash(into hasher: inout Hasher) {
    hasher.combine(reference == nil ? value : value(keepsError: false) ?? .null)
  }
}

extension StoredValue: Hashable {
  /// Whether both have the same value.
  ///
  /// An unread relationship is read, unless both are the same fault.
  @usableFromInline package static func == (left: StoredValue, right: StoredValue) -> Bool {
    switch (left, right) {
    case (.known(let a), .known(let b)): a == b
    case (.unread(let a), .unread(let b)): a.hasValue(of: b)
    case (.known(let value), .unread(let fault)), (.unread(let fault), .known(let value)):
      fault.has(value)
    case (.members(let a), .members(let b)): a == b
    case (.members(let list), .known(.list(let members))),
      (.known(.list(let members)), .members(let list)):
      list.hasMembers(members)
    case (.members(let list), .unread(let fault)), (.unread(let fault), .members(let list)):
      if case .list(let members) = fault.value { list.hasMembers(members) } else { false }
    case (.known, .members), (.members, .known): false
    }
  }

  /// Hashes the value.
  @usableFromInline package func hash(into hasher: inout Hasher) {
    switch self {
    case .known, .members: hasher.combine(value)
    case .unread(let fault): fault.hash(into: &hasher)
    }
  }
}
