public import Foundation

/// An error in a model.
public enum ModelError: Error, Hashable, Sendable {
  /// Two entities have the same name.
  case duplicateEntity(String)
  /// The entity already belongs to another model.
  case entityOfOtherModel(String)
  /// The entity that another inherits from is not in the model.
  case unknownSuperentity(String, entity: String)
  /// Two properties of an entity have the same name.
  case duplicateProperty(String, entity: String)
  /// A constraint, an index or the display attribute names an attribute that the entity does not
  /// have.
  case unknownProperty(String, entity: String)
  /// The default of an attribute has another type than the attribute.
  case defaultOfWrongType(attribute: String, type: AttributeType)
  /// A limit of an attribute has another type than the attribute.
  case limitOfWrongType(attribute: String, type: AttributeType)
  /// A transient attribute is in a uniqueness constraint. A store does not have its values, so it
  /// cannot check them.
  case uniqueTransient(String, entity: String)
  /// Two indexes of an entity have the same name.
  case duplicateIndex(String, entity: String)
  /// An index has no property.
  case emptyIndex(String, entity: String)
  /// An index has a property twice.
  case repeatedInIndex(String, index: String, entity: String)
  /// A property of an index is one that a store cannot index.
  case unindexable(String, entity: String, IndexObstacle)
  /// The destination of a relationship is in no model.
  case unknownDestination(String, relationship: String, entity: String)
  /// The destination does not have the relationship that is named as the inverse.
  case unknownInverse(String, destination: String, relationship: String, entity: String)
  /// The inverse leads to another entity, or names another inverse.
  case contradictoryInverse(String, destination: String, relationship: String, entity: String)
  /// One of a relationship and its inverse is transient, and the other is not.
  case transientInverse(String, destination: String, relationship: String, entity: String)
  /// A derived attribute has an expression that has no value in its entity.
  case invalidDerivation(String, entity: String, reason: String)

  /// The reason why a store cannot index a property.
  public enum IndexObstacle: Hashable, Sendable {
    /// It is transient, so a store does not have it.
    case transient
    /// It is a relationship to many objects, which is in other rows.
    case toMany
    /// Its data may be in files beside the store.
    case external
  }
}

extension ModelError: CustomStringConvertible {
  /// A description of the error.
  public var description: String {
    switch self {
    case .duplicateEntity(let name): "entity '\(name)' is already defined"
    case .entityOfOtherModel(let name):
      "entity '\(name)' belongs to another model; make a new entity for each model"
    case .unknownSuperentity(let parent, let entity):
      "\(entity) inherits from '\(parent)', which is not in the model"
    case .duplicateProperty(let name, let entity):
      "'\(name)' is already a property of \(entity)"
    case .unknownProperty(let name, let entity): "\(entity) has no attribute '\(name)'"
    case .defaultOfWrongType(let attribute, let type):
      "the default of '\(attribute)' is not a value of type \(type.rawValue)"
    case .limitOfWrongType(let attribute, let type):
      "a limit of '\(attribute)' does not fit \(type.rawValue)"
    case .uniqueTransient(let name, let entity):
      "'\(name)' of \(entity) is transient, so it cannot be unique; no store has its values"
    case .duplicateIndex(let name, let entity): "\(entity) already has an index '\(name)'"
    case .emptyIndex(let name, let entity):
      "index '\(name)' of \(entity) has no attributes; name at least one"
    case .repeatedInIndex(let name, let index, let entity):
      "'\(name)' is repeated in index '\(index)' of \(entity)"
    case .unindexable(let name, let entity, let obstacle):
      "'\(name)' of \(entity) cannot be indexed, because \(obstacle.description)"
    case .unknownDestination(let name, let relationship, let entity):
      "relationship '\(relationship)' of \(entity) leads to '\(name)', which is not an entity"
    case .unknownInverse(let name, let destination, let relationship, let entity):
      "relationship '\(relationship)' of \(entity) has the inverse '\(name)', but \(destination) has "
        + "no relationship of that name"
    case .contradictoryInverse(let name, let destination, let relationship, let entity):
      "relationship '\(relationship)' of \(entity) has the inverse '\(name)', but that of "
        + "\(destination) does not lead back"
    case .transientInverse(let name, let destination, let relationship, let entity):
      "relationship '\(relationship)' of \(entity) and its inverse '\(name)' of \(destination) must "
        + "both be transient, or neither"
    case .invalidDerivation(let name, let entity, let reason):
      "derived attribute '\(name)' of \(entity) never has a value: \(reason)"
    }
  }
}

extension ModelError.IndexObstacle: CustomStringConvertible {
  /// The reason, as the end of a sentence.
  public var description: String {
    switch self {
    case .transient: "it is transient; no store has its values"
    case .toMany: "it leads to many objects; index the relationship's inverse"
    case .external: "its data may be in files; leave out 'external'"
    }
  }
}

extension ModelError: LocalizedError {
  /// A description of the error.
  public var errorDescription: String? { description }
}
