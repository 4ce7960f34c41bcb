/// Why a batch request failed.
///
/// Nothing was written then.
public enum BatchRequestError: Error, Hashable, Sendable {
  /// A relationship is not a column that a batch request writes.
  case relationship(String)
  /// A transient attribute is in no store.
  case transient(String)
  /// A sum of an attribute that holds no numbers.
  case notNumeric(String)
  /// An abstract entity has no objects of its own.
  case abstractEntity(String)
  /// The entity belongs to another model than the store's.
  case foreignEntity(String)
  /// A value that does not fit its attribute, or no attribute of a name.
  case object(ObjectError)
  /// A predicate or a sort of the request that cannot be performed.
  case fetch(FetchError)
  /// The store cannot be read or written.
  case store(StoreError)

  /// Creates the error of a request from what one of its parts threw.
  init(_ error: any Error, store: String) {
    switch error {
    case let error as BatchRequestError: self = error
    case let error as ObjectError: self = .object(error)
    case FetchError.store(let error): self = .store(error)
    case let error as FetchError: self = .fetch(error)
    case let error as StoreError: self = .store(error)
    default: self = .store(.unusable(store: store, reason: "\(error)"))
    }
  }
}

extension BatchRequestError: CustomStringConvertible {
  /// A description of the error.
  public var description: String {
    switch self {
    case .relationship(let name):
      "'\(name)' is a relationship; a batch request sets attributes only, without objects"
    case .transient(let name): "'\(name)' is transient; a batch request sets what the store has"
    case .notNumeric(let name): "'\(name)' holds no numbers to add to"
    case .abstractEntity(let name):
      "\(name) is abstract; insert objects of an entity that inherits from it"
    case .foreignEntity(let name):
      "\(name) is an entity of another model than the store's; take the entity from "
        + "managedObjectModel.entitiesByName of the context's coordinator"
    case .object(let error): error.description
    case .fetch(let error): error.description
    case .store(let error): error.description
    }
  }
}
