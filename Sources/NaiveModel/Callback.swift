package import FetchedResults

/// A callback that a delegate received, with object numbers instead of objects.
package enum Callback: Hashable, Sendable {
  case willChange
  case object(FetchedResultsChangeType, Int64, ResultsIndexPath?, ResultsIndexPath?)
  case section(FetchedResultsChangeType, Int, String)
  case didChange
}

extension Callback {
  /// Returns a text such as `move Ann [0, 1] -> [1, 0]`.
  package func words(_ label: String) -> String {
    switch self {
    case .willChange: "will"
    case .didChange: "did"
    case .section(let type, let index, let name): "\(type) section \(index) '\(name)'"
    case .object(let type, _, let old, let new):
      "\(type) \(label)" + (old.map { " \($0)" } ?? "") + (new.map { " -> \($0)" } ?? "")
    }
  }
}
