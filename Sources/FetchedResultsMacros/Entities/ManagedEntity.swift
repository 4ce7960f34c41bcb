public import FetchedResults

/// A class that is the face of an entity's objects.
///
/// `@Managed` makes a class conform; no class conforms by hand. An instance is a light wrapper of a
/// `ManagedObject`. Two instances for one object are equal, though not identical. An instance
/// belongs to the thread of its context, as the object does.
public protocol ManagedEntity: AnyObject, Hashable, Identifiable, PredicateArgument,
  CustomStringConvertible, SendableMetatype
{
  /// What the class says of its entity.
  static var managedSchema: ManagedSchema<Self> { get }
  /// The object.
  var managedObject: ManagedObject { get }

  /// Wraps an object of the class's entity.
  ///
  /// The entity is not checked: ``typed(_:)`` does that.
  init(managedObject: ManagedObject)
}

extension ManagedEntity {
  /// Wraps an object, or returns nil where it is not of the class's entity.
  public static func typed(_ object: ManagedObject) -> Self? {
    managedSchema.fits(object.entity) ? Self(managedObject: object) : nil
  }

  /// The object's identity.
  public var objectID: ObjectID { managedObject.objectID }
  /// The context that the object belongs to; nil once the context is gone or was reset.
  public var managedObjectContext: ManagedObjectContext? { managedObject.managedObjectContext }
  /// Whether the object was deleted.
  public var isDeleted: Bool { managedObject.isDeleted }
  /// Whether the object was inserted and not saved yet.
  public var isInserted: Bool { managedObject.isInserted }
  /// Whether a saved object was changed and not saved since.
  public var isUpdated: Bool { managedObject.isUpdated }
  /// Whether the object is a fault: its values are read when they are next used.
  public var isFault: Bool { managedObject.isFault }
  /// Whether the object has changes that a save would write.
  public var hasChanges: Bool { managedObject.hasChanges }

  /// Returns whether the object has a value of a property; of a list, whether it has members.
  ///
  /// A property that is not optional gives a placeholder where the object has no value, such as an
  /// empty string. A save refuses such an object.
  ///
  /// - Precondition: The key path is a single property of the entity.
  public func hasValue(for keyPath: PartialKeyPath<Self>) -> Bool {
    guard let name = Self.managedSchema.name(of: keyPath) else {
      preconditionFailure("\(keyPath) is not a property of \(Self.self)'s entity")
    }
    return switch managedObject[name] {
    case .null: false
    case .list(let members): !members.isEmpty
    case .bool, .int, .double, .string, .date, .decimal, .uuid, .uri, .data, .object: true
    }
  }

  /// Marks the object for deletion.
  public func delete() { managedObject.managedObjectContext?.delete(managedObject) }

  /// A reference to the object.
  public var predicateValue: PropertyValue { .object(managedObject.objectID) }

  /// `Book/12`.
  public var description: String { managedObject.objectID.description }

  /// Whether both are the same object in the same context.
  public static func == (left: Self, right: Self) -> Bool {
    left.managedObject === right.managedObject
  }

  /// Feeds the identity of the object.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(managedObject))
  }
}
