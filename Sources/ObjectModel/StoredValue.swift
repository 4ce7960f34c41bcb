/// The value of a property in an ``ObjectSnapshot``.
///
/// An unread relationship is not a ``PropertyValue``, so that a client's switch needs no case for
/// it. The compiler gives both enums the same size, because it can use bits that ``PropertyValue``
/// does not need.
@usableFromInline package enum StoredValue: Sendable {
  case known(PropertyValue)
  /// A to-many relationship that a store has not read yet.
  case unread(RelationshipFault)
  /// A long to-many relationship that has changed.
  indirect case members(MemberList)

  /// The value.
  ///
  /// A relationship that was not read yet is read.
  @inlinable package var value: PropertyValue {
    @inline(__always) get {
      switch self {
      case .known(let value): value
      case .unread(let fault): .list(fault.members)
      case .members(let list): .list(list.members)
      }
    }
  }

  /// Takes a long relationship out, so that it is changed where it is; null is left.
  ///
  /// - Returns: Nil if the value is no long relationship.
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

extension StoredValue: Hashable {
  /// Whether both have the same value.
  ///
  /// An unread relationship is read, unless both are the same fault.
  @usableFromInline package static func == (left: StoredValue, right: StoredValue) -> Bool {
    switch (left, right) {
    case (.known(let a), .known(let b)): a == b
    case (.unread(let a), .unread(let b)): a === b || a.members == b.members
    case (.known(.list(let members)), .unread(let fault)),
      (.unread(let fault), .known(.list(let members))):
      members == fault.members
    case (.members(let a), .members(let b)): a == b
    case (.members(let list), .known(.list(let members))),
      (.known(.list(let members)), .members(let list)):
      list.hasMembers(members)
    case (.members(let list), .unread(let fault)), (.unread(let fault), .members(let list)):
      list.hasMembers(fault.members)
    case (.known, .unread), (.unread, .known), (.known, .members), (.members, .known): false
    }
  }

  /// Hashes the value.
  @usableFromInline package func hash(into hasher: inout Hasher) { hasher.combine(value) }
}
