import FetchedResults

/// A result of a fetch: an object, an identity, a dictionary or a number.
public protocol NSFetchRequestResult: NSObjectProtocol {}

extension NSDictionary: NSFetchRequestResult {}
extension NSNumber: NSFetchRequestResult {}

/// The identity of an object.
public final class NSManagedObjectID: NSObject, NSFetchRequestResult, @unchecked Sendable {
  let engine: ObjectID
  /// The entity of the object.
  public let entity: NSEntityDescription
  /// Whether the object was unsaved when its identity was read.
  public let isTemporaryID: Bool
  private let uri: URL?

  init(_ engine: ObjectID, of entity: NSEntityDescription, isTemporary: Bool, uri: URL?) {
    self.engine = engine
    self.entity = entity
    isTemporaryID = isTemporary
    self.uri = uri
    super.init()
  }

  /// The identity as a URI.
  public func uriRepresentation() -> URL { uri ?? URL(fileURLWithPath: "/\(engine)") }

  public override func isEqual(_ object: Any?) -> Bool {
    (object as? NSManagedObjectID)?.engine == engine
  }

  public override var hash: Int { engine.hashValue }
  public override var description: String { uriRepresentation().absoluteString }
}

/// An object of a context.
open class NSManagedObject: NSObject, NSFetchRequestResult {
  let engine: ManagedObject
  /// The entity of the object.
  public let entity: NSEntityDescription
  private weak var context: NSManagedObjectContext?

  init(_ engine: ManagedObject, of entity: NSEntityDescription, in context: NSManagedObjectContext)
  {
    self.engine = engine
    self.entity = entity
    self.context = context
    super.init()
  }

  /// Creates an object and inserts it into a context.
  public init(entity: NSEntityDescription, insertInto context: NSManagedObjectContext?) {
    guard let context,
      let kind = context.engine.persistentStoreCoordinator.managedObjectModel.entitiesByName[
        entity.name ?? ""]
    else { preconditionFailure("an object of the stand-in needs a context that knows its entity") }
    engine = context.engine.insert(kind)
    self.entity = entity
    self.context = context
    super.init()
    context.adopt(self)
  }

  /// The context; nil after the object has left it.
  open var managedObjectContext: NSManagedObjectContext? {
    engine.managedObjectContext == nil ? nil : context
  }

  /// The identity.
  open var objectID: NSManagedObjectID {
    NSManagedObjectID(
      engine.objectID, of: entity, isTemporary: engine.hasTemporaryID, uri: engine.uriRepresentation
    )
  }

  /// Whether the object is new and unsaved.
  open var isInserted: Bool { engine.isInserted }
  /// Whether the object was saved before and has changed.
  open var isUpdated: Bool { engine.isUpdated }
  /// Whether the next save deletes the object.
  open var isDeleted: Bool { engine.isDeleted && engine.hasChanges }
  /// Whether the object has any unsaved changes.
  open var hasChanges: Bool { engine.hasChanges }
  /// Whether the values have not been read yet.
  open var isFault: Bool { engine.isFault }

  /// Returns the value of a property.
  open func value(forKey key: String) -> Any? {
    do {
      let value = try engine.value(forKey: key)
      return value.foundation(
        in: context, isOrdered: entity.relationshipsByName[key]?.isOrdered == true)
    } catch {
      preconditionFailure("\(error)")
    }
  }

  /// Returns the value of a key path over to-one relationships.
  open func value(forKeyPath keyPath: String) -> Any? {
    keyPath.split(separator: ".").reduce(self as Any?) { owner, key in
      (owner as? NSManagedObject)?.value(forKey: String(key))
    }
  }

  /// Sets the value of a property.
  open func setValue(_ value: Any?, forKey key: String) {
    do {
      guard let attribute = entity.attributesByName[key] else {
        return try engine.setValue(PropertyValue(given: value), forKey: key)
      }
      try engine.setValue(
        PropertyValue(given: value, for: attribute.attributeType.engine), forKey: key)
    } catch {
      preconditionFailure("\(error)")
    }
  }
}
