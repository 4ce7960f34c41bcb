package import FetchedResults
import Foundation

/// A store that scripts run on.
package struct TrialStore: Sendable {
  /// The store's name in messages.
  package let name: String
  /// The statements that open it.
  package let opening: String

  package init(name: String, opening: String) {
    self.name = name
    self.opening = opening
  }

  package static let memory = TrialStore(name: "memory", opening: "store memory")
  /// A store in a file, which no other trial may share.
  package static let sqlite = TrialStore(
    name: "sqlite", opening: "store sqlite \"trial.sqlite\"")

  /// All stores.
  ///
  /// Scripts must print the same on each.
  package static let all = [memory, sqlite]
}

/// The clock and settings of a trial, which are always the same.
package enum TrialClock {
  package static var evaluation: EvaluationEnvironment {
    var evaluation = EvaluationEnvironment(
      now: { Date(timeIntervalSince1970: 1_767_225_600) }, locale: "en")
    evaluation.random = { 0.5 }
    return evaluation
  }
}
