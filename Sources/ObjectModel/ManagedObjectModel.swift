/// The entities that a store's objects belong to.
public struct ManagedObjectModel: Sendable {
  /// The entities, in order of declaration.
  public private(set) var entities: [EntityDescription] = []
  /// The entities by their names.
  public private(set) var entitiesByName: [String: EntityDescription] = [:]
  private let registry = EntityRegistry()

  /// A model without entities.
  public static var empty: ManagedObjectModel { ManagedObjectModel() }

  private init() {}

  /// Creates a model.
  ///
  /// An entity belongs to one model, since what its relationships lead to is
  /// looked up there. It is free again when no copy of the model is left, nor a
  /// coordinator with it.
  ///
  /// - Throws: ``ModelError/duplicateEntity(_:)`` if two entities have one name,
  ///   ``ModelError/entityOfOtherModel(_:)`` if one belongs to another model, and
  ///   ``ModelError/unknownSuperentity(_:entity:)`` if one inherits from an entity that is not in
  ///   the model. Then the entities are as before.
  public init(entities: [EntityDescription]) throws(ModelError) {
    for entity in entities {
      guard entitiesByName.updateValue(entity, forKey: entity.name) == nil else {
        throw ModelError.duplicateEntity(entity.name)
      }
    }
    for entity in entities { try checkParent(of: entity) }
    try registry.add(entities)
    self.entities = entities
  }

  /// Adds an entity; where it throws, the model is as before.
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
