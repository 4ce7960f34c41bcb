/// What a fetch of dictionaries asks of a store: values of rows, or of groups of rows.
package struct StoreGroups {
  package let request: StoreRequest
  /// The places in a ``ObjectSnapshot`` of the attributes that each row gives, or that the rows of one
  /// group have alike.
  package let keys: [Int]
  /// What is computed of each group.
  package let aggregates: [Aggregate]
  /// Whether rows with the same keys become one.
  package let isGrouped: Bool

  /// A function of an attribute.
  package struct Aggregate: Hashable, Sendable {
    package let function: FetchedProperty.Function
    /// The attribute's place in a ``ObjectSnapshot``.
    package let place: Int
  }
}
