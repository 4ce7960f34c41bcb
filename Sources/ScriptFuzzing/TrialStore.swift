package import FetchedResults
import Foundation

/// A store that scripts are run on.
package struct TrialStore: Sendable {
  /// What messages call the store.
  package let name: String
  /// The statements that open it.
  package let opening: String

  package init(name: String, opening: String) {
    self.name = name
    self.opening = opening
  }

  package static let memory = TrialStore(name: "memory", opening: "store memory")
  /// A file, beside which no other trial's may lie.
  package static let sqlite = TrialStore(
    name: "sqlite", opening: "store sqlite \"trial.sqlite\"")

  /// Every store there is; all have to print the same.
  package static let all = [memory, sqlite]
}

/// The surroundings of a trial, which are always the same.
package enum TrialClock {
  package static var evaluation: EvaluationEnvironment {
    var evaluation = EvaluationEnvironment(
      now: { Date(timeIntervalSince1970: 1_767_225_600) }, locale: "en")
    evaluation.random = { 0.5 }
    return evaluation
  }
}
