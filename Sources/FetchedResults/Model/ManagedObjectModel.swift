/// The entities that a store's objects belong to.
public struct ManagedObjectModel: Sendable {
  /// The entities, in order of declaration.
  public private(set) var entities: [EntityDescription] = []
  private var byName: [String: EntityDescription] = [:]
  private let registry = EntityRegistry()

  /// A model without entities.
  public static var empty: ManagedObjectModel { ManagedObjectModel() }

  private init() {}

  /// Creates a model.
  ///
  /// An entity belongs to one model; what its relationships lead to is looked
  /// up there.
  ///
  /// - Throws: ``ModelError/duplicateEntity(_:)``.
  public init(entities: [EntityDescription]) throws(ModelError) {
    for entity in entities { try add(entity) }
  }

  /// The entity of a name, or nil where there is none.
  public subscript(name: String) -> EntityDescription? { byName[name] }

  package mutating func add(_ entity: EntityDescription) throws(ModelError) {
    guard byName.updateValue(entity, forKey: entity.name) == nil else {
      throw ModelError.duplicateEntity(entity.name)
    }
    entities.append(entity)
    registry.add(entity)
  }
}
