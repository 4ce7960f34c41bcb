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
