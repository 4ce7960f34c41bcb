public import FetchedResults
public import Foundation

/// Why classes make no model together.
public enum ManagedModelError: Error, Hashable, Sendable {
  /// An entity inherits from one whose class is not in the model.
  case unlistedSuperentity(String, entity: String)
  /// The entities themselves make no model, as where a name is repeated.
  case model(ModelError)
  /// A relationship leads to a class that is not in the model.
  case unlistedClass(String, relationship: String, entity: String)
  /// The inverse that a relationship names is not a relationship of its destination.
  case foreignInverse(relationship: String, entity: String, destination: String)
  /// The inverse that a relationship names leads to another entity, or has another inverse.
  case contradictoryInverse(String, destination: String, relationship: String, entity: String)
  /// Several relationships lead back, and none of them is named as the inverse.
  case ambiguousInverse([String], destination: String, relationship: String, entity: String)
}

extension ManagedModelError: CustomStringConvertible {
  /// The error in words.
  public var description: String {
    switch self {
    case .unlistedSuperentity(let type, let entity):
      "\(entity) inherits from \(type), which is not in the model; "
        + "add \(type).self to ManagedObjectModel(for:)"
    case .model(let error): error.description
    case .unlistedClass(let type, let relationship, let entity):
      "\(entity).\(relationship) leads to \(type), which is not in the model; "
        + "add \(type).self to ManagedObjectModel(for:)"
    case .foreignInverse(let relationship, let entity, let destination):
      "the inverse of \(entity).\(relationship) must be a relationship of \(destination); "
        + "write inverse: \\\(destination).…"
    case .contradictoryInverse(let inverse, let destination, let relationship, let entity):
      "\(destination).\(inverse) cannot be the inverse of \(entity).\(relationship), "
        + "since it leads elsewhere or has another inverse"
    case .ambiguousInverse(let candidates, let destination, let relationship, let entity):
      "\(entity).\(relationship) needs an inverse: "
        + candidates.map { "\(destination).\($0)" }.joined(separator: " and ")
        + " lead back; write @Relationship(inverse:) at one of them"
    }
  }
}

extension ManagedModelError: LocalizedError {
  /// The error in words.
  public var errorDescription: String? { description }
}
