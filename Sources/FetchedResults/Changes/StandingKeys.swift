/// The values by which rows of the results stand where they do, while a batch
/// is decided.
package protocol StandingKeys: AnyObject {
  /// What is known of rows that were compared before.
  var collationKeys: CollationKeys { get }

  /// Returns the values by which a changed row stood where it did; nil where it
  /// no longer has one.
  ///
  /// - Parameter before: The values that the object had before the batch.
  func values(ofRow number: Int64, before: Snapshot?) -> Snapshot?

  /// Returns the values by which a row of the results stands where it does; nil
  /// where it no longer has one.
  func values(ofRow number: Int64) -> Snapshot?

  /// Whether a row was compared whose values in the results are unknown, so that
  /// the places found are not to be used.
  var isIncomplete: Bool { get }

  /// Returns for each search how many rows of the results stand before its row.
  ///
  /// The search compares many rows, so that whoever has their values makes it.
  func ranks(of searches: [RowSearch], in results: SectionedResults) -> [Int]
}

/// A changed row whose new place is searched.
package struct RowSearch {
  /// What tells most rows apart at little cost; nil where it cannot.
  package let code: ProbeCode?
  package let probe: RowProbe
}
