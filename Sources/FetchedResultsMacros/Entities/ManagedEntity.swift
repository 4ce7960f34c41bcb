public import FetchedResults

/// A class with typed access to an entity's objects.
///
/// Do not conform to this protocol directly: `@Managed` adds the conformance. An instance is a
/// light wrapper of a `ManagedObject`. Two instances for one object are equal, but not identical.
/// Use an instance only on the thread of its context, like the object itself.
public protocol ManagedEntity: AnyObject, Hashable, Identifiable, PredicateArgument,
  CustomStringConvertible, SendableMetatype
{
  /// The description of the entity that the class was written for.
  static var managedSchema: ManagedSchema<Self> { get }
  /// The wrapped object.
  var managedObject: ManagedObject { get }

  /// Wraps an object of the class's entity.
  ///
  /// The entity is not checked; use ``typed(_:)`` for that.
  init(managedObject: ManagedObject)
}

extension ManagedEntity {
  /// Returns an instance for an object; nil if it does not belong to the class's entity.
  public static func typed(_ object: ManagedObject) -> Self? {
    managedSchema.fits(object.entity) ? Self(managedObject: object) : nil
  }

  /// The object's identity.
  public var objectID: ObjectID { managedObject.objectID }
  /// The context that the object belongs to; nil once the context is gone or was reset.
  public var managedObjectContext: ManagedObjectContext? { managedObject.managedObjectContext }
  /// Whether the object was deleted.
  public var isDeleted: Bool { managedObject.isDeleted }
  /// Whether the object was inserted and is not saved yet.
  public var isInserted: Bool { managedObject.isInserted }
  /// Whether the object is saved and has been changed since.
  public var isUpdated: Bool { managedObject.isUpdated }
  /// Whether the object is a fault: its values are read at the next access.
  public var isFault: Bool { managedObject.isFault }
  /// Whether the object has changes to save.
  public var hasChanges: Bool { managedObject.hasChanges }

  /// Returns whether the object has a value for a property; for a list, whether it has members.
  ///
  /// A property that is not optional returns a placeholder if the object has no value, such as an
  /// empty string. Such an object cannot be saved.
  ///
  /// - Precondition: The key path is a single property of the entity.
  public func hasValue(for keyPath: PartialKeyPath<Self>) -> Bool {
    guard let name = Self.managedSchema.name(of: keyPath) else {
      programmingError(
        "\(keyPath.words) is not a property of \(Self.self)'s entity; write one such as "
          + "\\\(Self.self).\(Self.managedSchema.properties.first?.name ?? "name")")
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

  /// A text such as `Book/12`.
  public var description: String { managedObject.objectID.description }

  /// Whether both represent the same object in the same context.
  public static func == (left: Self, right: Self) -> Bool {
    left.managedObject === right.managedObject
  }

  /// Hashes the identity of the object.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(managedObject))
  }
}

extension AnyKeyPath {
  /// The path in a message.
  ///
  /// A release build does not know the names of properties, so the types of the two ends stand for
  /// them.
  var words: String {
    let text = "\(self)"
    return text.contains("<computed")
      ? "the key path from \(Self.rootType) to \(Self.valueType)" : text
  }
}
