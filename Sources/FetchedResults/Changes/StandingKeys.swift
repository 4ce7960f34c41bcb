/// The values by which rows of the results stand where they do, while a batch
/// is decided.
protocol StandingKeys {
  /// What is known of rows that were compared before.
  var collationKeys: CollationKeys { get }

  /// Returns the values of a row of the results, nil where it has none any
  /// more.
  subscript(number: Int64) -> Snapshot? { get }
}
