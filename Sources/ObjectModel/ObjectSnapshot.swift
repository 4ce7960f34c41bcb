/// An object's values at one moment, in the entity's order: its attributes
/// first, then its relationships.
///
/// A to-one relationship holds an object or null, a to-many one a list of
/// objects, by number unless the relationship is ordered.
///
/// A snapshot is a value: keeping an old one costs a reference until the
/// object changes.
public struct ObjectSnapshot: Hashable, Sendable {
  @usableFromInline package var stored: ContiguousArray<StoredValue>

  @inlinable package init(stored: ContiguousArray<StoredValue>) { self.stored = stored }

  /// - Complexity: O(*n*): the values are copied.
  @inlinable package init(_ values: some Sequence<PropertyValue>) {
    stored = ContiguousArray(values.map(StoredValue.known))
  }

  /// How many properties the object has.
  @inlinable package var count: Int { stored.count }

  /// The value of the property with this index in its entity.
  ///
  /// A relationship that was not read yet is read.
  @inlinable package subscript(index: Int) -> PropertyValue {
    @inline(__always) get { stored[index].value }
    @inline(__always) set { stored[index] = .known(newValue) }
  }

  /// The values that were read, without relationships that were not.
  package var knownValues: some Sequence<PropertyValue> {
    stored.lazy.compactMap { if case .known(let value) = $0 { value } else { nil } }
  }

  /// Whether a relationship was not read yet, so that nobody can have changed
  /// it.
  package func isUnread(_ index: Int) -> Bool {
    if case .unread(let fault) = stored[index] { fault.isUnread } else { false }
  }

  /// Reads the relationships that were not read yet, before the store changes
  /// under them.
  package func readRelationships() {
    for case .unread(let fault) in stored { _ = fault.members }
  }
}
