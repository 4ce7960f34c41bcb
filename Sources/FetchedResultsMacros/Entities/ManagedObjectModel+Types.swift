public import FetchedResults

extension ManagedObjectModel {
  /// Creates a model of managed classes.
  ///
  /// Each call makes new entities, since an entity belongs to one model. Keep the model, and give
  /// it to every coordinator of the same data.
  ///
  /// - Throws: ``ManagedModelError`` where relationships do not fit together, and `ModelError`.
  public init(for types: any ManagedEntity.Type...) throws {
    try self.init(for: types)
  }

  /// Creates a model of managed classes.
  ///
  /// - Throws: ``ManagedModelError`` where relationships do not fit together, and `ModelError`.
  public init(for types: [any ManagedEntity.Type]) throws {
    let inverses = try InverseSearch(types)
    try self.init(entities: types.map { try $0.entityDescription(inverses) })
  }
}

extension ManagedEntity {
  fileprivate static func entityDescription(
    _ inverses: InverseSearch
  ) throws -> EntityDescription {
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
              .allowsExternalBinaryDataStorage)))
        if kind.options.contains(.unique) { constraints.append([property.name]) }
      case .relationship(let kind):
        relationships.append(
          RelationshipDescription(
            name: property.name, destination: kind.destination.entityName,
            inverse: inverses.inverse(of: property.name, in: Self.self),
            isToMany: kind.isToMany, isOrdered: kind.isOrdered, isOptional: kind.isOptional,
            minCount: kind.minCount, maxCount: kind.maxCount, deleteRule: kind.deleteRule,
            isTransient: kind.isTransient))
      }
    }
    return try EntityDescription(
      name: schema.name, attributes: attributes, relationships: relationships,
      displayAttribute: schema.displayAttribute, uniquenessConstraints: constraints,
      renamingIdentifier: schema.originalName)
  }

  /// The name of the class's entity.
  static var entityName: String { managedSchema.name }
}
