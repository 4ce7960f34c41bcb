import FetchedResults
import Synchronization

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
  let displayAttribute: String?
  /// The class's own properties: first the attributes, then the relationships.
  public let properties: [ManagedPropertyDescription<Entity>]
  /// The properties that identify an object.
  let identities: [any PartialKeyPath<Entity> & Sendable]
  /// The last entity that was found to fit, so that a fetch need not compare names.
  private let known = Mutex<EntityDescription?>(nil)

  /// The attributes, inherited ones first.
  let attributes: [(name: String, type: AttributeType)]
  /// The names of the relationships, inherited ones first.
  let relationships: [String]

  /// Creates a schema.
  ///
  /// The expansion of `@Managed` calls this.
  public init(
    _ name: String, originalName: String? = nil,
    superentity: (any ManagedEntity.Type)? = nil, isAbstract: Bool = false,
    uniquenessConstraints: [[String]] = [],
    displayAttribute: String? = nil, identities: [any PartialKeyPath<Entity> & Sendable] = [],
    properties: [ManagedPropertyDescription<Entity>]
  ) {
    self.identities = identities
    self.name = name
    self.originalName = originalName
    self.uniquenessConstraints = uniquenessConstraints
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
