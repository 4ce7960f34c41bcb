/// An action that is not possible with a controller.
package enum ControllerProblem: Hashable, Sendable {
  case notFetched(String)
  /// An access for which Apple's controller raises an exception.
  case accessBeforeFetch(String)
  case controllerWithClauses(String)
  case fixedClause(String)
  case savedMembership

  /// A description of the error.
  var words: String {
    switch self {
    case .notFetched(let name): "controller '\(name)' has no results; fetch \(name) first"
    case .accessBeforeFetch(let name):
      "NSInvalidArgumentException: " + ControllerProblem.notFetched(name).words
    case .controllerWithClauses(let name):
      "a controller's fetch takes no clauses; write 'change \(name) …' first"
    case .fixedClause(let clause):
      "a controller's '\(clause)' is fixed once it is made; define the controller again"
    case .savedMembership:
      "a controller always includes unsaved changes; use 'includesPendingChanges off' in fetch "
        + "and count"
    }
  }
}
