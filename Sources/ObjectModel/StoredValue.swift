/// What an ``ObjectSnapshot`` has in the place of a property.
///
/// A relationship that a store has not read is no ``PropertyValue``, so that a client's switch needs
/// no case for it. The compiler gives both enums the same size, and tells them apart by bits that
/// ``PropertyValue`` does not use.
@usableFromInline package enum StoredValue: Sendable {
  case known(PropertyValue)
  /// A to-many relationship that a store has not read yet.
  case unread(RelationshipFault)

  /// The value; a relationship that was not read yet is read.
  @inlinable package var value: PropertyValue {
    @inline(__always) get {
      switch self {
      case .known(let value): value
      case .unread(let fault): .list(fault.members)
      }
    }
  }
}

extension StoredValue: Hashable {
  /// Whether both have the same value; a relationship that was not read yet is read, unless both
  /// are one fault.
  @usableFromInline package static func == (left: StoredValue, right: StoredValue) -> Bool {
    switch (left, right) {
    case (.known(let a), .known(let b)): a == b
    case (.unread(let a), .unread(let b)): a === b || a.members == b.members
    case (.known(.list(let members)), .unread(let fault)),
      (.unread(let fault), .known(.list(let members))):
      members == fault.members
    case (.known, .unread), (.unread, .known): false
    }
  }

  /// Feeds the value.
  @usableFromInline package func hash(into hasher: inout Hasher) { hasher.combine(value) }
}
