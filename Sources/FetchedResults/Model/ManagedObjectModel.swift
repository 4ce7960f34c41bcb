import Basics
import Foundation

/// The entities of the objects in a store.
public struct ManagedObjectModel: Sendable {
  /// The entities, in order of declaration.
  public private(set) var entities: [EntityDescription] = []
  /// The entities by their names.
  public private(set) var entitiesByName: [String: EntityDescription] = [:]
  private let registry: EntityRegistry

  /// A model without entities.
  public static var empty: ManagedObjectModel { ManagedObjectModel() }

  private init() { registry = EntityRegistry() }

  /// Creates a model.
  ///
  /// An entity belongs to one model at a time, because the model resolves its relationships. It can
  /// join another model once no copy of this one is left, and no coordinator uses it.
  ///
  /// - Throws: ``ModelError/duplicateEntity(_:)`` if two entities have the same name,
  ///   ``ModelError/entityOfOtherModel(_:)`` if one belongs to another model, and
  ///   ``ModelError/unknownSuperentity(_:entity:)`` if one inherits from an entity that is not in
  ///   the model. The entities are unchanged then.
  public init(entities: [EntityDescription]) throws(ModelError) {
    self.init()
    for entity in entities {
      guard entitiesByName.updateValue(entity, forKey: entity.name) == nil else {
        throw ModelError.duplicateEntity(entity.name)
      }
    }
    for entity in entities { try checkParent(of: entity) }
    try registry.add(entities)
    self.entities = entities
  }

  /// Adds an entity.
  ///
  /// If it throws, the model is unchanged.
  package mutating func add(_ entity: EntityDescription) throws(ModelError) {
    guard entitiesByName[entity.name] == nil else { throw ModelError.duplicateEntity(entity.name) }
    try checkParent(of: entity)
    try registry.add([entity])
    entitiesByName[entity.name] = entity
    entities.append(entity)
  }

  private func checkParent(of entity: EntityDescription) throws(ModelError) {
    guard let parent = entity.superentity, entitiesByName[parent.name] !== parent else { return }
    throw ModelError.unknownSuperentity(parent.name, entity: entity.name)
  }
}

/// The entities of a model by name, where the destinations of relationships are looked up.
final class EntityRegistry: Sendable {
  private let entities = Locked<[String: EntityDescription]>([:])
  /// All that joined: of two copies of a model, each can add an entity of the same name.
  private let members = Locked<[EntityDescription]>([])

  deinit {
    for entity in members.withLock(\.self) { entity.modelDidEnd() }
  }

  /// Adds entities to the model: all of them, or none if it throws.
  ///
  /// - Throws: ``ModelError/entityOfOtherModel(_:)``.
  func add(_ added: [EntityDescription]) throws(ModelError) {
    for (index, entity) in added.enumerated() where !entity.join(self) {
      for joined in added[..<index] { joined.leave(self) }
      throw ModelError.entityOfOtherModel(entity.name)
    }
    // All entities must have joined before, because joining clears this mark.
    for entity in added { entity.markParent() }
    members.withLock { $0 += added }
    entities.withLock { entities in
      for entity in added { entities[entity.name] = entity }
    }
  }

  /// Returns the entities that inherit directly from one, sorted by name.
  func subentities(of entity: EntityDescription) -> [EntityDescription] {
    entities.withLock { entities in entities.values.filter { $0.superentity === entity } }
      .ordered { $0.name < $1.name }
  }

  /// Returns both ends of a relationship.
  ///
  /// If only one side names an inverse, it applies to both.
  func link(
    _ ordinal: Int, of entity: EntityDescription
  ) throws(ModelError) -> RelationshipLink {
    let relationship = entity.relationships[ordinal]
    let owner = entity.owner(ofRelationship: ordinal)
    guard let destination = entities.withLock({ $0[relationship.destination] }) else {
      throw ModelError.unknownDestination(
        relationship.destination, relationship: relationship.name, entity: owner.name)
    }
    guard let name = relationship.inverse else {
      let back = destination.ordinal(naming: relationship.name, of: entity, except: ordinal)
      return try RelationshipLink(
        destination: destination,
        inverse: back.map { back throws(ModelError) in
          try inverse(at: back, of: destination, ordinal, owner)
        })
    }
    guard let back = destination.relationshipOrdinal(named: name) else {
      throw ModelError.unknownInverse(
        name, destination: destination.name, relationship: relationship.name, entity: owner.name)
    }
    let other = destination.relationships[back]
    guard entity.isKind(named: other.destination),
      other.inverse == nil
        ? claims(ordinal, of: entity, back, of: destination)
        : other.inverse == relationship.name
    else {
      throw ModelError.contradictoryInverse(
        name, destination: destination.name, relationship: relationship.name, entity: owner.name)
    }
    return RelationshipLink(
      destination: destination, inverse: try inverse(at: back, of: destination, ordinal, owner))
  }

  /// Whether a relationship becomes the inverse of one that names none.
  ///
  /// It does if it is the first relationship of the destination that names that one.
  private func claims(
    _ ordinal: Int, of entity: EntityDescription, _ back: Int, of destination: EntityDescription
  ) -> Bool {
    let other = destination.relationships[back]
    guard let home = entities.withLock({ $0[other.destination] }) else { return false }
    return home.ordinal(naming: other.name, of: destination, except: nil) == ordinal
  }

  /// Returns the inverse relationship, if both are stored or both are transient.
  private func inverse(
    at back: Int, of destination: EntityDescription, _ ordinal: Int, _ owner: EntityDescription
  ) throws(ModelError) -> RelationshipLink.Inverse {
    let (here, there) = (owner.relationships[ordinal], destination.relationships[back])
    guard here.isTransient == there.isTransient else {
      throw ModelError.transientInverse(
        there.name, destination: destination.name, relationship: here.name, entity: owner.name)
    }
    return RelationshipLink.Inverse(
      ordinal: back, isToMany: there.isToMany, isOrdered: there.isOrdered)
  }
}

extension EntityDescription {
  /// Returns the first relationship that leads to an entity and names one of its relationships as
  /// its inverse.
  ///
  /// - Parameter itself: The index of the relationship to find an inverse for. It is its own
  ///   inverse only if it says so.
  fileprivate func ordinal(
    naming name: String, of entity: EntityDescription, except itself: Int?
  ) -> Int? {
    ordinalsByInverse[name]?.first { index in
      entity.isKind(named: relationships[index].destination)
        && !(self === entity && index == itself)
    }
  }

  /// Returns the entity that declares a relationship: this one or an ancestor.
  fileprivate func owner(ofRelationship ordinal: Int) -> EntityDescription {
    var owner = self
    while let parent = owner.superentity, ordinal < parent.relationships.count { owner = parent }
    return owner
  }

  /// Whether the entity or one of its ancestors has a name.
  fileprivate func isKind(named name: String) -> Bool {
    var ancestor: EntityDescription? = self
    while let entity = ancestor {
      if entity.name == name { return true }
      ancestor = entity.superentity
    }
    return false
  }
}

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

extension ModelError: _DescribedError {
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
