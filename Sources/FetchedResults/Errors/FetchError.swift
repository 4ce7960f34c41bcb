public import Foundation

/// An error that prevents a fetch.
public enum FetchError: Error, Hashable, Sendable {
  /// A sort or section key path names no property of the entity.
  case unknownKeyPath(String, entity: String)
  /// A sort or section key path crosses a to-many relationship.
  case toManyKey
  /// A sort or section key path has a collection operator.
  case aggregateKeyPath(String)
  /// A property of a dictionary is to-many. A dictionary holds one value for each name.
  case toManyProperty(String)
  /// A property of a grouped dictionary is neither grouped by nor computed.
  case ungroupedProperty(String, groups: [String])
  /// Two values of a dictionary have the same name.
  case repeatedProperty(String)
  /// A sum or an average of values that are not numbers.
  case notNumeric(String, function: String)
  /// A condition on groups in a request without groups.
  case havingWithoutGroup
  /// A name that the dictionaries do not have.
  case notInResult(String, clause: String, names: [String])
  /// A request has another result type where objects are needed.
  case otherResultType(String)
  /// A relationship on the key path has no valid destination.
  case model(ModelError)
  /// The predicate does not fit the entity, or raised while it was evaluated.
  case predicate(InvalidPredicateError)
  /// The store could not answer.
  case store(StoreError)
  /// The fetch was cancelled; see ``EvaluationEnvironment``.
  case cancelled
}

extension FetchError: CustomStringConvertible {
  /// A description of the error, in Apple's words where Core Data reports the same error.
  public var description: String {
    switch self {
    case .unknownKeyPath(let keyPath, let entity):
      "keypath \(keyPath) not found in entity \(entity)"
    case .toManyKey: "to-many key not allowed here"
    case .aggregateKeyPath(let keyPath):
      "Keypath containing KVC aggregate where there shouldn't be one; failed to handle \(keyPath)"
    case .toManyProperty(let keyPath):
      "Invalid to many relationship in setPropertiesToFetch: (\(keyPath))"
    case .ungroupedProperty(let property, let groups):
      "SELECT clauses in queries with GROUP BY components can only contain properties named in the "
        + "GROUP BY or aggregate functions (\(property) is not in {\(groups.joined(separator: ", "))})"
    case .repeatedProperty(let name): "two values of a dictionary are called '\(name)'"
    case .notNumeric(let keyPath, let function):
      "'\(function)' needs numbers; '\(keyPath)' holds none"
    case .havingWithoutGroup: "'having' asks groups; there is no 'group by'"
    case .notInResult(let name, let clause, let names):
      "'\(clause)' names values of the result; '\(name)' is not one of \(names.joined(separator: ", "))"
    case .otherResultType(let type):
      "the request returns \(type), not objects; write 'fetch' as a statement to print it"
    case .model(let error): error.description
    case .predicate(let error): error.description
    case .store(let error): error.description
    case .cancelled: "the fetch was cancelled"
    }
  }
}

extension FetchError: LocalizedError {
  /// A description of the error.
  public var errorDescription: String? { description }
}
