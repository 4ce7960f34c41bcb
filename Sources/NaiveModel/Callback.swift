package import FetchedResults

/// One callback that a delegate heard, as a value; objects by their number.
package enum Callback: Hashable, Sendable {
  case willChange
  case object(FetchedResultsChangeType, Int64, ResultsIndexPath?, ResultsIndexPath?)
  case section(FetchedResultsChangeType, Int, String)
  case didChange
}

extension Callback {
  /// The callback in words: `move Ann [0, 1] -> [1, 0]`.
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
