/// What happened to an object or a section.
public enum FetchedResultsChangeType: String, Hashable, Sendable, CaseIterable {
  case insert
  case delete
  case move
  case update
}
