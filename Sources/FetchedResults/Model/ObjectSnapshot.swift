package import Foundation

/// An object's values at one moment: its attributes, then its relationships, in the entity's order.
///
/// A to-one relationship holds an object or null. A to-many relationship holds a list of objects,
/// which is sorted by number unless the relationship is ordered.
///
/// A snapshot is a value. Keeping an old one costs only a reference until the object changes.
public struct ObjectSnapshot: Hashable, Sendable {
  @usableFromInline package var stored: ContiguousArray<StoredValue>

  @inlinable package init(stored: ContiguousArray<StoredValue>) { self.stored = stored }

  /// - Complexity: O(*n*), because the values are copied.
  @inlinable package init(_ values: some Sequence<PropertyValue>) {
    stored = ContiguousArray(values.map(StoredValue.known))
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
