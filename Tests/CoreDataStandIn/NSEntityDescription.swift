import FetchedResults

/// A kind of object.
open class NSEntityDescription: NSObject, @unchecked Sendable {
  /// The name of the entity.
  open var name: String?
  /// The class of its objects.
  open var managedObjectClassName: String! = "NSManagedObject"
  /// Whether only its sub-entities have objects.
  open var isAbstract = false
  /// The entities that inherit from this one.
  open var subentities: [NSEntityDescription] = [] {
    didSet { for entity in subentities { entity.superentity = self } }
  }
  /// The entity that this one inherits from.
  open private(set) weak var superentity: NSEntityDescription?
  /// Groups of attributes whose combined values must be unique, as lists of names.
  open var uniquenessConstraints: [[Any]] = []
  /// The indexes of a store in a file.
  open var indexes: [NSFetchIndexDescription] = []
  /// Additional information from the author of the model.
  open var userInfo: [AnyHashable: Any]?

  private var own: [NSPropertyDescription] = []

  /// The properties, starting with inherited ones.
  open var properties: [NSPropertyDescription] {
    get { (superentity?.properties ?? []) + own }
    set {
      own = newValue
      for property in newValue { property.entity = self }
    }
  }

  /// The properties by their names.
  open var propertiesByName: [String: NSPropertyDescription] {
    Dictionary(properties.map { ($0.name, $0) }) { _, last in last }
  }

  /// The attributes by their names.
  open var attributesByName: [String: NSAttributeDescription] {
    propertiesByName.compactMapValues { $0 as? NSAttributeDescription }
  }

  /// The relationships by their names.
  open var relationshipsByName: [String: NSRelationshipDescription] {
    propertiesByName.compactMapValues { $0 as? NSRelationshipDescription }
  }

  /// Whether the entity is this one or inherits from it.
  open func isKindOf(entity: NSEntityDescription) -> Bool {
    self === entity || superentity?.isKindOf(entity: entity) == true
  }

  /// Returns the entity with a name in the model of a context.
  public static func entity(
    forEntityName name: String, in context: NSManagedObjectContext
  ) -> NSEntityDescription? {
    context.model?.entitiesByName[name]
  }

  /// Inserts an object of the entity with a name.
  public static func insertNewObject(
    forEntityName name: String, into context: NSManagedObjectContext
  ) -> NSManagedObject {
    guard let entity = entity(forEntityName: name, in: context) else {
      preconditionFailure(
        "+entityForName: could not find an entity named '\(name)' in this model.")
    }
    return NSManagedObject(entity: entity, insertInto: context)
  }

  func engine(parent: EntityDescription?) throws -> EntityDescription {
    try EntityDescription(
      name: name ?? "", superentity: parent, isAbstract: isAbstract,
      attributes: own.compactMap { try ($0 as? NSAttributeDescription)?.engine() },
      relationships: own.compactMap { ($0 as? NSRelationshipDescription)?.engine() },
      uniquenessConstraints: uniquenessConstraints.map { $0.compactMap(Self.propertyName) },
      indexes: indexes.map { $0.engine() })
  }

  private static func propertyName(_ property: Any) -> String? {
    property as? String ?? (property as? NSPropertyDescription)?.name
  }
}

/// An index of an entity.
open class NSFetchIndexDescription: NSObject, @unchecked Sendable {
  /// The name of the index.
  open var name: String
  /// What the index compares, in order.
  open var elements: [NSFetchIndexElementDescription]

  /// Creates an index.
  public init(name: String, elements: [NSFetchIndexElementDescription]?) {
    self.name = name
    self.elements = elements ?? []
  }

  func engine() -> FetchIndexDescription {
    FetchIndexDescription(
      name: name,
      elements: elements.map {
        FetchIndexElementDescription(
          propertyName: $0.propertyName ?? "", isAscending: $0.isAscending)
      })
  }
}

/// How an index compares a property.
public enum NSFetchIndexElementType: UInt, Sendable {
  /// In the order of values.
  case binary = 0
  /// By places.
  case rTree = 1
}

/// A property in an index.
open class NSFetchIndexElementDescription: NSObject, @unchecked Sendable {
  /// The property.
  open private(set) weak var property: NSPropertyDescription?
  /// How the index compares the property.
  open var collationType: NSFetchIndexElementType
  /// Whether smaller values come first.
  open var isAscending = true

  /// The name of the property.
  open var propertyName: String? { property?.name }

  /// Creates an element.
  public init(property: NSPropertyDescription, collationType: NSFetchIndexElementType) {
    self.property = property
    self.collationType = collationType
  }
}

/// The entities of an app.
open class NSManagedObjectModel: NSObject, @unchecked Sendable {
  /// The entities.
  open var entities: [NSEntityDescription] = []

  /// The entities by their names.
  open var entitiesByName: [String: NSEntityDescription] {
    Dictionary(entities.compactMap { entity in entity.name.map { ($0, entity) } }) { _, last in last
    }
  }

  /// Creates the engine's model. Later changes of this one have no effect.
  func engine() -> ManagedObjectModel {
    do {
      var made: [EntityDescription] = []
      func make(_ entity: NSEntityDescription) throws -> EntityDescription {
        if let known = made.first(where: { $0.name == entity.name }) { return known }
        let new = try entity.engine(parent: try entity.superentity.map(make))
        made.append(new)
        return new
      }
      for entity in entities { _ = try make(entity) }
      return try ManagedObjectModel(entities: made)
    } catch {
      preconditionFailure("the model has a mistake: \(error)")
    }
  }
}
