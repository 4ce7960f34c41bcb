/// What happened to an object or a section.
public enum FetchedResultsChangeType: String, Hashable, Sendable, CaseIterable, Codable {
  /// An object or a section came into the results.
  case insert
  /// An object or a section left the results.
  case delete
  /// A changed object has another place.
  case move
  /// An object changed and stayed at its place.
  case update
}
