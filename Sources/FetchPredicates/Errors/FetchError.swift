/// A fetch that cannot be made.
public enum FetchError: Error, Hashable, Sendable {
  /// A sort or section key path names no property of the entity.
  case unknownKeyPath(String, entity: String)
  /// A sort or section key path crosses a to-many relationship.
  case toManyKey
  /// A sort or section key path has a collection operator.
  case aggregateKeyPath(String)
  /// A relationship on the way leads nowhere.
  case model(ModelError)
  /// The predicate does not fit the entity, or raised while it was evaluated.
  case predicate(PredicateError)
  /// The store could not answer.
  case store(StoreError)
  /// Somebody wanted it to stop; see ``EvaluationEnvironment``.
  case cancelled
}

extension FetchError: CustomStringConvertible {
  /// The error in words; Apple's where Core Data has them.
  public var description: String {
    switch self {
    case .unknownKeyPath(let keyPath, let entity):
      "keypath \(keyPath) not found in entity \(entity)"
    case .toManyKey: "to-many key not allowed here"
    case .aggregateKeyPath(let keyPath):
      "Keypath containing KVC aggregate where there shouldn't be one; failed to handle \(keyPath)"
    case .model(let error): error.description
    case .predicate(let error): error.description
    case .store(let error): error.description
    case .cancelled: "the fetch was cancelled"
    }
  }
}
