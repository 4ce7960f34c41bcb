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
