public import FetchedResults
import Foundation

/// The name and the properties of the entity that a managed class was written for.
///
/// A class has one schema. Each model that is created with the class gets its own entity from it,
/// in which every property has the same index.
public final class ManagedSchema<Entity: ManagedEntity>: Sendable {
  /// The entity's name.
  public let name: String
  let originalName: String?
  /// The class of the superentity.
  let superentity: (any ManagedEntity.Type)?
  let isAbstract: Bool
  let uniquenessConstraints: [[String]]
  let indexes: [FetchIndexDescription]
  let displayAttribute: String?
  /// The class's own properties: first the attributes, then the relationships.
  public let properties: [ManagedPropertyDescription<Entity>]
  /// The properties that identify an object.
  let identities: [any PartialKeyPath<Entity> & Sendable]
  /// The last entity that was found to fit, so that a fetch need not compare names.
  private let known = Locked<EntityDescription?>(nil)

  /// The attributes, inherited ones first.
  let attributes: [(name: String, type: AttributeType)]
  /// The names of the relationships, inherited ones first.
  let relationships: [String]
  /// The index of each of the class's own properties among the attributes, or the relationships.
  private let places: [Int]

  /// Creates a schema.
  ///
  /// The expansion of `@Managed` calls this.
  public init(
    _ name: String, originalName: String? = nil,
    superentity: (any ManagedEntity.Type)? = nil, isAbstract: Bool = false,
    uniquenessConstraints: [[String]] = [], indexes: [FetchIndexDescription] = [],
    displayAttribute: String? = nil, identities: [any PartialKeyPath<Entity> & Sendable] = [],
    properties: [ManagedPropertyDescription<Entity>]
  ) {
    self.identities = identities
    self.name = name
    self.originalName = originalName
    self.uniquenessConstraints = uniquenessConstraints
    self.indexes = indexes
    self.displayAttribute = displayAttribute
    self.properties = properties
    self.superentity = superentity
    self.isAbstract = isAbstract
    attributes =
      (superentity?.allAttributes ?? [])
      + properties.compactMap { property in property.attributeType.map { (property.name, $0) } }
    relationships =
      (superentity?.allRelationships ?? [])
      + properties.filter { $0.attributeType == nil }.map(\.name)
    var next = (
      attribute: superentity?.allAttributes.count ?? 0,
      relationship: superentity?.allRelationships.count ?? 0
    )
    var places: [Int] = []
    for property in properties {
      if property.attributeType != nil {
        places.append(next.attribute)
        next.attribute += 1
      } else {
        places.append(next.relationship)
        next.relationship += 1
      }
    }
    self.places = places
  }

  /// Returns the index of a property among the attributes, or among the relationships; nil if the
  /// key path is none of the class's own properties.
  func place(of keyPath: AnyKeyPath) -> Int? {
    properties.firstIndex { $0.keyPath as AnyKeyPath == keyPath }.map { places[$0] }
  }

  /// Returns the name of a property; nil if the key path is not a single property.
  ///
  /// If the entity inherits from another, `\Novel.title` and `\Novel.asSuperentity.title` both name
  /// a property of the superentity.
  public func name(of keyPath: AnyKeyPath) -> String? {
    properties.first { $0.keyPath as AnyKeyPath == keyPath }?.name
      ?? (Entity.self as? any ManagedSubentity.Type)?.inheritedName(of: keyPath)
  }

  /// Returns whether an entity was created from the class or inherits from one that was, so that
  /// each property has its index there.
  func fits(_ entity: EntityDescription) -> Bool {
    if let known = known.withLock({ $0 }), entity.isKindOf(entity: known) { return true }
    var candidate = entity
    while candidate.name != name, let next = candidate.superentity { candidate = next }
    guard candidate.name == name,
      candidate.relationships.map(\.name) == relationships,
      candidate.attributes.elementsEqual(
        attributes, by: { $0.name == $1.name && $0.type == $1.type })
    else { return false }
    known.withLock { [candidate] in $0 = candidate }
    return true
  }

  /// Returns the class's entity in the model of a context.
  ///
  /// - Precondition: The model was created with the class.
  func entity(in context: ManagedObjectContext) -> EntityDescription {
    entity(in: context.persistentStoreCoordinator.managedObjectModel)
  }

  /// Returns the class's entity in a model.
  ///
  /// - Precondition: The model was created with the class.
  func entity(in model: ManagedObjectModel) -> EntityDescription {
    guard let entity = model.entitiesByName[name], fits(entity) else {
      programmingError(
        "the context's model has no entity '\(name)' that was made of \(Entity.self); "
          + "list \(Entity.self).self in ManagedObjectModel(for:)")
    }
    return entity
  }
}

extension ManagedEntity {
  /// The attributes of the class's entity, inherited ones first.
  static var allAttributes: [(name: String, type: AttributeType)] { managedSchema.attributes }

  /// The names of the relationships of the class's entity, inherited ones first.
  static var allRelationships: [String] { managedSchema.relationships }
}

extension ManagedPropertyDescription {
  fileprivate var attributeType: AttributeType? {
    if case .attribute(let kind) = kind { kind.type } else { nil }
  }
}

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

extension ManagedObjectModel {
  /// Returns what may be a mistake in managed classes: relationships that have no inverse.
  ///
  /// A model with such relationships is valid, and Xcode warns of them, too. A macro sees one class
  /// only, so the compiler cannot. Let a test of your app check it:
  ///
  /// ```swift
  /// #expect(try ManagedObjectModel.warnings(for: Book.self, Author.self) == [])
  /// ```
  ///
  /// - Throws: ``ManagedModelError``.
  public static func warnings(
    for types: any ManagedEntity.Type...
  ) throws(ManagedModelError) -> [ManagedModelWarning] {
    try InverseSearch(types).warnings
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
    var indexes: [FetchIndexDescription] = []
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
        if kind.options.contains(.indexed) {
          indexes.append(FetchIndexDescription(attribute: property.name))
        }
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
      indexes: indexes + schema.indexes, renamingIdentifier: schema.originalName)
  }

  /// The name of the class's entity.
  static var entityName: String { managedSchema.name }

  /// The class of the superentity; nil if there is none.
  fileprivate static var superentity: (any ManagedEntity.Type)? { managedSchema.superentity }
}

/// Finds the inverse relationships in a model's classes.
///
/// One side can name the other with a key path. If neither does, a relationship's inverse is the
/// only relationship that leads back, if this is true from both sides.
struct InverseSearch {
  private var names: [Place: String] = [:]
  /// A warning for each relationship that has no inverse.
  private(set) var warnings: [ManagedModelWarning] = []

  /// A relationship of a class.
  private struct Place: Hashable {
    let type: ObjectIdentifier
    let name: String
  }

  /// A relationship, with what is known about its inverse.
  private struct Relationship {
    let owner: any ManagedEntity.Type
    let name: String
    let destination: any ManagedEntity.Type
    let inverse: AnyKeyPath?
    let isToMany: Bool

    var place: Place { Place(type: ObjectIdentifier(owner), name: name) }

    /// The warning that it has no inverse, with a property that would be one.
    var warning: ManagedModelWarning {
      let (owner, destination) = ("\(owner)", "\(destination)")
      let name = owner.prefix(1).lowercased() + owner.dropFirst()
      let property = isToMany ? "\(name): \(owner)?" : "\(name)s: Set<\(owner)>"
      return .noInverse(
        relationship: self.name, class: owner, destination: destination,
        property: "@Relationship(inverse: \\\(owner).\(self.name)) var \(property)")
    }
  }

  /// - Throws: ``ManagedModelError``.
  init(_ types: [any ManagedEntity.Type]) throws(ManagedModelError) {
    let all = types.flatMap { Self.relationships(of: $0) }
    let listed = Set(types.map { ObjectIdentifier($0) })
    for relationship in all {
      guard listed.contains(ObjectIdentifier(relationship.destination)) else {
        throw .unlistedClass(
          "\(relationship.destination)", relationship: relationship.name,
          entity: relationship.owner.entityName)
      }
      if let inverse = relationship.inverse { try pair(relationship, with: inverse, among: all) }
    }
    for relationship in all where names[relationship.place] == nil {
      try infer(relationship, among: all)
    }
    warnings = all.filter { names[$0.place] == nil }.map(\.warning)
  }

  /// Returns the name of the inverse of a class's relationship.
  func inverse(of name: String, in type: any ManagedEntity.Type) -> String? {
    names[Place(type: ObjectIdentifier(type), name: name)]
  }

  private mutating func pair(
    _ relationship: Relationship, with keyPath: AnyKeyPath, among all: [Relationship]
  ) throws(ManagedModelError) {
    let entity = relationship.owner.entityName
    guard let name = relationship.destination.propertyName(of: keyPath),
      let other = all.first(where: {
        $0.owner == relationship.destination && $0.name == name
      })
    else {
      throw .foreignInverse(
        relationship: relationship.name, entity: entity,
        destination: relationship.destination.entityName)
    }
    guard other.destination == relationship.owner,
      names[relationship.place] ?? name == name,
      names[other.place] ?? relationship.name == relationship.name
    else {
      throw .contradictoryInverse(
        name, destination: relationship.destination.entityName, relationship: relationship.name,
        entity: entity)
    }
    names[relationship.place] = name
    names[other.place] = relationship.name
  }

  private mutating func infer(
    _ relationship: Relationship, among all: [Relationship]
  ) throws(ManagedModelError) {
    let back = candidates(for: relationship, among: all)
    guard let inverse = back.first else { return }
    let forth = candidates(for: inverse, among: all)
    guard back.count == 1, forth.count == 1 else {
      // A class may have two relationships to itself without inverses.
      if relationship.owner == relationship.destination { return }
      throw .ambiguousInverse(
        back.map(\.name), destination: relationship.destination.entityName,
        relationship: relationship.name, entity: relationship.owner.entityName)
    }
    names[relationship.place] = inverse.name
    names[inverse.place] = relationship.name
  }

  private func candidates(
    for relationship: Relationship, among all: [Relationship]
  ) -> [Relationship] {
    all.filter {
      $0.owner == relationship.destination && $0.destination == relationship.owner
        && names[$0.place] == nil && $0.place != relationship.place
    }
  }

  private static func relationships<T: ManagedEntity>(of type: T.Type) -> [Relationship] {
    type.managedSchema.properties.compactMap { property in
      guard case .relationship(let kind) = property.kind else { return nil }
      return Relationship(
        owner: type, name: property.name, destination: kind.destination, inverse: kind.inverse,
        isToMany: kind.isToMany)
    }
  }
}

extension ManagedEntity {
  /// Returns the name of a property; nil if the key path is not a single property.
  ///
  /// The key path begins at the class, or at the class's list of keys.
  static func propertyName(of keyPath: AnyKeyPath) -> String? {
    guard let keys = keyPath as? PartialKeyPath<ManagedKeys> else {
      return managedSchema.name(of: keyPath)
    }
    return (ManagedKeys(managedPath: "")[keyPath: keys] as? any ManagedPath)?.path
  }
}

/// A possible mistake in managed classes, from which a model can still be created.
public enum ManagedModelWarning: Hashable, Sendable {
  /// No relationship leads back.
  ///
  /// `property` is the declaration of one that would, for the class of the destination.
  case noInverse(relationship: String, class: String, destination: String, property: String)
}

extension ManagedModelWarning: CustomStringConvertible {
  /// A description of the warning, with what to write.
  public var description: String {
    switch self {
    case .noInverse(let relationship, let type, let destination, let property):
      "\(type).\(relationship) has no inverse, so it leads to a deleted \(destination) until the "
        + "next save; write '\(property)' in \(destination)"
    }
  }
}

/// The reason why a model cannot be created from classes.
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

extension ManagedModelError: _DescribedError {
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
