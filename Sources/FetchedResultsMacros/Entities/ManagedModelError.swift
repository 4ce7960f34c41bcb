public import FetchedResults
public import Foundation

/// Why a model cannot be created from classes.
public enum ManagedModelError: Error, Hashable, Sendable {
  /// The class of an entity's superentity is not in the model.
  case unlistedSuperentity(String, entity: String)
  /// The entities do not form a valid model, for example because a name is repeated.
  case model(ModelError)
  /// A relationship leads to a class that is not in the model.
  case unlistedClass(String, relationship: String, entity: String)
  /// The inverse that a relationship names is not a relationship of its destination.
  case foreignInverse(relationship: String, entity: String, destination: String)
  /// The inverse that a relationship names leads to another entity, or has another inverse itself.
  case contradictoryInverse(String, destination: String, relationship: String, entity: String)
  /// Several relationships lead back, and none of them is named as the inverse.
  case ambiguousInverse([String], destination: String, relationship: String, entity: String)
}

extension ManagedModelError: CustomStringConvertible {
  /// A description of the error.
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
  /// A description of the error.
  public var errorDescription: String? { description }
}
