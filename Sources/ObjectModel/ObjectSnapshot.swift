/// An object's values at one moment, in the entity's order: its attributes
/// first, then its relationships.
///
/// A to-one relationship holds an object or null, a to-many one a list of
/// objects, by number unless the relationship is ordered.
///
/// A snapshot is a value: keeping an old one costs a reference until the
/// object changes.
public struct ObjectSnapshot: Hashable, Sendable {
  @usableFromInline package var values: ContiguousArray<PropertyValue>

  @inlinable package init(_ values: ContiguousArray<PropertyValue>) { self.values = values }

  /// The value of the property with this index in its entity.
  ///
  /// A relationship that was not read yet is read.
  @inlinable package subscript(index: Int) -> PropertyValue {
    @inline(__always) get {
      let value = values[index]
      if case .unread(let fault) = value { return .list(fault.members) }
      return value
    }
    @inline(__always) set { values[index] = newValue }
  }

  /// Whether a relationship was not read yet, so that nobody can have changed
  /// it.
  package func isUnread(_ index: Int) -> Bool {
    if case .unread(let fault) = values[index] { fault.isUnread } else { false }
  }

  /// Reads the relationships that were not read yet, before the store changes
  /// under them.
  package func readRelationships() {
    for case .unread(let fault) in values { _ = fault.members }
  }
}
