import FetchedResults
import Synchronization

/// What a managed class says of its entity: its name and its properties.
///
/// A class has one schema. Each model that is made with the class gets an entity of its own from
/// it, in which every property has the same place.
public final class ManagedSchema<Entity: ManagedEntity>: Sendable {
  /// The entity's name.
  public let name: String
  let originalName: String?
  let uniquenessConstraints: [[String]]
  let displayAttribute: String?
  /// The properties: first the attributes, then the relationships.
  public let properties: [ManagedPropertyDescription<Entity>]
  /// The properties that give an object's identity.
  let identities: [any PartialKeyPath<Entity> & Sendable]
  /// The entity that was found to fit last, so that a fetch compares no names.
  private let known = Mutex<EntityDescription?>(nil)

  /// Creates a schema; the expansion of `@Managed` does.
  public init(
    _ name: String, originalName: String? = nil, uniquenessConstraints: [[String]] = [],
    displayAttribute: String? = nil, identities: [any PartialKeyPath<Entity> & Sendable] = [],
    properties: [ManagedPropertyDescription<Entity>]
  ) {
    self.identities = identities
    self.name = name
    self.originalName = originalName
    self.uniquenessConstraints = uniquenessConstraints
    self.displayAttribute = displayAttribute
    self.properties = properties
  }

  /// Returns the name of a property, or nil where the key path leads elsewhere.
  public func name(of keyPath: AnyKeyPath) -> String? {
    properties.first { $0.keyPath as AnyKeyPath == keyPath }?.name
  }

  /// Returns whether an entity was made of the class: whether each property has its place there.
  func fits(_ entity: EntityDescription) -> Bool {
    if known.withLock({ $0 === entity }) { return true }
    guard entity.name == name,
      entity.attributes.count + entity.relationships.count == properties.count,
      zip(entity.attributes.map(\.name) + entity.relationships.map(\.name), properties)
        .allSatisfy({ $0 == $1.name }),
      zip(entity.attributes, properties).allSatisfy({ $0.type == $1.attributeType })
    else { return false }
    known.withLock { $0 = entity }
    return true
  }

  /// Returns the class's entity in the model of a context.
  ///
  /// - Precondition: The model was made with the class.
  func entity(in context: ManagedObjectContext) -> EntityDescription {
    guard let entity = context.persistentStoreCoordinator.managedObjectModel.entitiesByName[name],
      fits(entity)
    else {
      preconditionFailure(
        "the context's model has no entity made of \(Entity.self); "
          + "list \(Entity.self).self in ManagedObjectModel(for:)")
    }
    return entity
  }
}

extension ManagedPropertyDescription {
  fileprivate var attributeType: AttributeType? {
    if case .attribute(let kind) = kind { kind.type } else { nil }
  }
}
