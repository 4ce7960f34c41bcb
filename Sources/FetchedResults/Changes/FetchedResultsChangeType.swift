/// What happened to an object or a section.
public enum FetchedResultsChangeType: String, Hashable, Sendable, CaseIterable, Codable {
  /// An object or a section was added to the results.
  case insert
  /// An object or a section was removed from the results.
  case delete
  /// An object changed, and is at another place.
  case move
  /// An object changed, and kept its place.
  case update
}
