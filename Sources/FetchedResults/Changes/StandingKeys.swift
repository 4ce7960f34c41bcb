/// The values by which rows of the results stand where they do, while a batch
/// is decided.
protocol StandingKeys {
  /// What is known of rows that were compared before.
  var collationKeys: CollationKeys { get }

  /// Returns the values by which a changed object that was a result stood where
  /// it did; nil where it has none any more.
  func values(of change: MembershipChange) -> Snapshot?

  /// Returns the values by which a row of the results stands where it does; nil
  /// where it has none any more.
  func values(ofRow number: Int64) -> Snapshot?

  /// Whether a row was compared whose values in the results are unknown, so that
  /// the places found are not to be used.
  var isIncomplete: Bool { get }

  /// Has a row's values on the way from memory that will be compared soon.
  func touch(_ number: Int64)

  /// Returns whether a row of the results stands before another one, or nil
  /// where the code does not tell.
  func stands(_ number: Int64, before code: ProbeCode) -> Bool?

  /// Returns whether a row of the results stands before another one; true
  /// where it has no values any more.
  func stands(_ number: Int64, before probe: RowProbe) -> Bool
}
