/// A fetch of dictionaries as a store sees it: values of rows, or of groups of rows.
package struct StoreGroups {
  package let request: StoreRequest
  /// The places in an ``ObjectSnapshot`` of the attributes that each row returns, or that all rows
  /// of a group share.
  package let keys: [Int]
  /// The values to compute for each group.
  package let aggregates: [Aggregate]
  /// Whether rows with the same keys become one.
  package let isGrouped: Bool

  /// A function of an attribute.
  package struct Aggregate: Hashable, Sendable {
    package let function: FetchedProperty.Function
    /// The attribute's place in an ``ObjectSnapshot``.
    package let place: Int
  }
}
