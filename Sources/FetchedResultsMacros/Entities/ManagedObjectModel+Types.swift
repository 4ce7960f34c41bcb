public import FetchedResults

extension ManagedObjectModel {
  /// Creates a model from managed classes.
  ///
  /// Each call creates new entities, because an entity belongs to one model. Keep the model, and
  /// use it for every coordinator of the same data.
  ///
  /// - Throws: ``ManagedModelError``.
  public init(for types: any ManagedEntity.Type...) throws(ManagedModelError) {
    try self.init(for: types)
  }

  /// Creates a model from managed classes.
  ///
  /// - Throws: ``ManagedModelError``.
  public init(for types: [any ManagedEntity.Type]) throws(ManagedModelError) {
    let entities = try ManagedEntities(types).entities
    do {
      try self.init(entities: entities)
    } catch {
      throw .model(error)
    }
  }
}

/// Creates entities from classes, each after its superentity.
private struct ManagedEntities {
  private(set) var entities: [EntityDescription] = []
  private var made: [ObjectIdentifier: EntityDescription] = [:]
  private let listed: Set<ObjectIdentifier>
  private let inverses: InverseSearch

  init(_ types: [any ManagedEntity.Type]) throws(ManagedModelError) {
    listed = Set(types.map { ObjectIdentifier($0) })
    inverses = try InverseSearch(types)
    var asked: Set<ObjectIdentifier> = []
    for type in types {
      guard asked.insert(ObjectIdentifier(type)).inserted else {
        throw .model(.duplicateEntity(type.entityName))
      }
      _ = try make(type)
    }
  }

  private mutating func make(
    _ type: any ManagedEntity.Type
  ) throws(ManagedModelError) -> EntityDescription {
    if let entity = made[ObjectIdentifier(type)] { return entity }
    var superentity: EntityDescription?
    if let parent = type.superentity {
      guard listed.contains(ObjectIdentifier(parent)) else {
        throw .unlistedSuperentity("\(parent)", entity: type.entityName)
      }
      superentity = try make(parent)
    }
    do throws(ModelError) {
      let entity = try type.entityDescription(inverses, superentity: superentity)
      made[ObjectIdentifier(type)] = entity
      entities.append(entity)
      return entity
    } catch {
      throw .model(error)
    }
  }
}

extension ManagedEntity {
  fileprivate static func entityDescription(
    _ inverses: InverseSearch, superentity: EntityDescription?
  ) throws(ModelError) -> EntityDescription {
    let schema = managedSchema
    var attributes: [AttributeDescription] = []
    var relationships: [RelationshipDescription] = []
    var constraints = schema.uniquenessConstraints
    for property in schema.properties {
      switch property.kind {
      case .attribute(let kind):
        attributes.append(
          try AttributeDescription(
            name: property.name, type: kind.type, isOptional: kind.isOptional,
            defaultValue: kind.defaultValue, limits: kind.limits, isTransient: kind.isTransient,
            expression: kind.derivation,
            allowsExternalBinaryDataStorage: kind.options.contains(
              .allowsExternalBinaryDataStorage),
            renamingIdentifier: kind.originalName))
        if kind.options.contains(.unique) { constraints.append([property.name]) }
      case .relationship(let kind):
        relationships.append(
          RelationshipDescription(
            name: property.name, destination: kind.destination.entityName,
            inverse: inverses.inverse(of: property.name, in: Self.self),
            isToMany: kind.isToMany, isOrdered: kind.isOrdered, isOptional: kind.isOptional,
            minCount: kind.minCount, maxCount: kind.maxCount, deleteRule: kind.deleteRule,
            isTransient: kind.isTransient, renamingIdentifier: kind.originalName))
      }
    }
    return try EntityDescription(
      name: schema.name, superentity: superentity, isAbstract: schema.isAbstract,
      attributes: attributes, relationships: relationships,
      displayAttribute: schema.displayAttribute, uniquenessConstraints: constraints,
      renamingIdentifier: schema.originalName)
  }

  /// The name of the class's entity.
  static var entityName: String { managedSchema.name }

  /// The class of the superentity; nil if there is none.
  fileprivate static var superentity: (any ManagedEntity.Type)? { managedSchema.superentity }
}
