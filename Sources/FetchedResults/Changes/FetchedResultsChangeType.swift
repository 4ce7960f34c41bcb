/// What happened to an object or a section.
public enum FetchedResultsChangeType: String, Hashable, Sendable, CaseIterable, Codable {
  case insert
  case delete
  case move
  case update
}
