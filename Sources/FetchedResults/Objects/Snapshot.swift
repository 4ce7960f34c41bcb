/// An object's values at one moment, in the entity's order: its attributes
/// first, then its relationships.
///
/// A to-one relationship holds an object or null, a to-many one a list of
/// objects, by number unless the relationship is ordered.
///
/// A snapshot is a value: keeping an old one costs a reference until the
/// object changes.
public struct Snapshot: Hashable, Sendable {
  package var values: ContiguousArray<Value>

  package init(_ values: ContiguousArray<Value>) { self.values = values }

  /// The value of the property with this index in its entity.
  package subscript(index: Int) -> Value {
    @inline(__always) get { values[index] }
    @inline(__always) set { values[index] = newValue }
  }
}
