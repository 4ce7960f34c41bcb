/// A batch request that a store cannot carry out.
public enum BatchRequestError: Error, Hashable, Sendable {
  /// A relationship is no column that a batch request writes.
  case relationship(String)
  /// A transient attribute is in no store.
  case transient(String)
  /// A sum of an attribute that holds no numbers.
  case notNumeric(String)
  /// An abstract entity has no objects of its own.
  case abstractEntity(String)
}

extension BatchRequestError: CustomStringConvertible {
  /// The error in words.
  public var description: String {
    switch self {
    case .relationship(let name):
      "'\(name)' is a relationship; a batch request sets attributes only, without objects"
    case .transient(let name): "'\(name)' is transient; a batch request sets what the store has"
    case .notNumeric(let name): "'\(name)' holds no numbers to add to"
    case .abstractEntity(let name):
      "\(name) is abstract; insert objects of an entity that inherits from it"
    }
  }
}
