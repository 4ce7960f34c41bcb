/// The values that decide the places of rows in the results, while a batch is decided.
package protocol StandingKeys: AnyObject {
  /// Sort keys of strings that were compared before.
  var collationKeys: CollationKeys { get }

  /// Returns the values that decided the old place of a changed row; nil if it no longer has one.
  ///
  /// - Parameter before: The values that the object had before the batch.
  func values(ofRow number: Int64, before: ObjectSnapshot?) -> ObjectSnapshot?

  /// Returns the values that decide the place of a row of the results; nil if it no longer has one.
  func values(ofRow number: Int64) -> ObjectSnapshot?

  /// Whether a comparison met a row whose values in the results are unknown. If so, the places that
  /// were found cannot be used.
  var isIncomplete: Bool { get }

  /// Returns whether a row of the results comes before another row.
  func isPlaced(_ number: Int64, before row: ComparedRow) -> Bool

  /// Returns for each of some rows how many rows of the results come before it.
  ///
  /// The search compares many rows, so it is done where their values are.
  ///
  /// - Parameter ranks: For each row, the ranks among which it is searched.
  func ranks(
    of rows: [ComparedRow], in ranks: [Range<Int>], of results: SectionedResults
  ) -> [Int]
}

/// A row that is compared with rows of the results.
package struct ComparedRow {
  /// A number that tells most rows apart at little cost; nil if there is none.
  package let code: ProbeCode?
  package let probe: RowProbe

  init(_ values: ObjectSnapshot, number: Int64, order: RowOrder, cache: CollationKeys) {
    code = ProbeCode(values, order: order)
    probe = RowProbe(values, number: number, order: order, cache: cache)
  }
}
