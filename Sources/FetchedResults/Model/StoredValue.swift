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
