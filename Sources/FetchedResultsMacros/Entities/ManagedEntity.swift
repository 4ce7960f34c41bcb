public import FetchedResults

/// A class with typed access to an entity's objects.
///
/// Do not conform to this protocol directly: `@Managed` adds the conformance. An instance is a
/// light wrapper of a `ManagedObject`. Two instances for one object are equal, but not identical.
/// Use an instance only on the thread of its context, like the object itself.
public protocol ManagedEntity: AnyObject, Hashable, Identifiable, CapturableObject,
  CustomStringConvertible, SendableMetatype
{
  /// The properties of the entity, for sorts, sections and batch requests.
  associatedtype ManagedKeys: ManagedKeyPaths
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

  /// Returns the class's entity in a model.
  ///
  /// - Precondition: The model was created with the class.
  public static func entity(in model: ManagedObjectModel) -> EntityDescription {
    managedSchema.entity(in: model)
  }

  /// The object's identity.
  public var objectID: ObjectID { managedObject.objectID }
  /// The context that the object belongs to; nil after the context was released or reset.
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
  /// Write the key path without a root: `\.title`, `\.author.name`. A related object that is missing
  /// has no value.
  public func hasValue(for keyPath: KeyPath<ManagedKeys, some ManagedPath>) -> Bool {
    var object = managedObject
    var names = Self.path(keyPath).split(separator: ".").map(String.init)[...]
    while let name = names.popFirst() {
      switch object[name] {
      case .null: return false
      case .list(let members): return !members.isEmpty
      case .bool, .int, .double, .string, .date, .decimal, .uuid, .uri, .data: return true
      case .object(let id):
        if names.isEmpty { return true }
        guard let next = object.managedObjectContext?.findObject(with: id) else { return false }
        object = next
      }
    }
    return false
  }

  /// The changes of this object in each turn: whether it was updated, deleted or refreshed.
  ///
  /// ```swift
  /// for await _ in book.changes { titleLabel.text = book.title }
  /// ```
  ///
  /// Read the new values from the object, on the actor of its context. A slow reader gets the
  /// newest element and skips those between. The sequence ends when the context is reset or
  /// released.
  public var changes: AsyncStream<NotifiedObjects.Key> { managedObject.changes }

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

/// A class for an entity that inherits from another one.
///
/// ```swift
/// @Managed final class Book { var title: String }
/// @dynamicMemberLookup @Managed(superentity: Book.self) final class Novel { var series: String? }
///
/// let novel = Novel(series: "Foundation", in: context)
/// novel.title = "Prelude to Foundation"
/// ```
///
/// The macro adds this conformance. A class with `@dynamicMemberLookup` reads and writes the
/// properties of the superentity as if they were its own, also in predicates. Without that
/// attribute, write ``asSuperentity`` before a property: `novel.asSuperentity.title`. Sorts and
/// sections have the inherited properties in any case: `FetchSort(\.title)`.
///
/// A fetch of `Book` also returns novels, each as a `Book`. ``ManagedEntity/asSubentity(_:)``
/// returns the novel, if a book is one.
public protocol ManagedSubentity: ManagedEntity {
  /// The class of the superentity.
  associatedtype Superentity: ManagedEntity
}

extension ManagedSubentity {
  /// The number of attributes before the class's own.
  public static var inheritedAttributes: Int { Superentity.managedSchema.attributes.count }

  /// The number of relationships before the class's own.
  public static var inheritedRelationships: Int { Superentity.managedSchema.relationships.count }

  /// The object as an instance of its superentity's class.
  public var asSuperentity: Superentity { Superentity(managedObject: managedObject) }

  /// A property of the superentity.
  public subscript<Value>(dynamicMember keyPath: KeyPath<Superentity, Value>) -> Value {
    asSuperentity[keyPath: keyPath]
  }

  /// A property of the superentity.
  public subscript<Value>(
    dynamicMember keyPath: ReferenceWritableKeyPath<Superentity, Value>
  ) -> Value {
    get { asSuperentity[keyPath: keyPath] }
    set { asSuperentity[keyPath: keyPath] = newValue }
  }
}

// MARK: - Names of inherited properties

extension ManagedSubentity {
  /// Whether a key path is `asSuperentity`.
  static func isSuperentity(_ keyPath: AnyKeyPath) -> Bool { keyPath == \Self.asSuperentity }

  /// Returns the name of a property of the superentity; nil if the key path is not one.
  static func inheritedName(of keyPath: AnyKeyPath) -> String? {
    inheritedKeyPaths.first { $0.keyPath == keyPath }?.name
  }

  /// The properties of the superentity, with the key paths that lead to them from this class.
  static var inheritedKeyPaths: [NamedKeyPath] {
    Superentity.keyPaths.flatMap { property -> [NamedKeyPath] in
      // The type must be written out, because the compiler does not open it otherwise.
      let value: any Any.Type = type(of: property.keyPath).valueType
      let found = keyPaths(through: property.keyPath, value)
      return found.map { NamedKeyPath(name: property.name, keyPath: $0) }
    }
  }

  private static func keyPaths<Value>(
    through keyPath: AnyKeyPath, _ type: Value.Type
  ) -> [AnyKeyPath] {
    let superentity: KeyPath<Self, Superentity> = \.asSuperentity
    // A settable property is looked up with the subscript that has a setter.
    if let keyPath = keyPath as? ReferenceWritableKeyPath<Superentity, Value> {
      return [\Self[dynamicMember: keyPath], superentity.appending(path: keyPath)]
    }
    guard let keyPath = keyPath as? KeyPath<Superentity, Value> else { return [] }
    return [\Self[dynamicMember: keyPath], superentity.appending(path: keyPath)]
  }
}

/// A property's name, and a key path that leads to it.
struct NamedKeyPath {
  let name: String
  let keyPath: AnyKeyPath
}

extension ManagedEntity {
  /// The properties of the class's entity, with the key paths that lead to them.
  fileprivate static var keyPaths: [NamedKeyPath] {
    managedSchema.properties.map { NamedKeyPath(name: $0.name, keyPath: $0.keyPath) }
      + ((Self.self as? any ManagedSubentity.Type)?.inheritedKeyPaths ?? [])
  }
}

extension ManagedEntity {
  /// Returns the object as an instance of a sub-entity's class; nil if it does not belong to that
  /// entity.
  public func asSubentity<Subentity: ManagedEntity>(_ type: Subentity.Type) -> Subentity? {
    type.typed(managedObject)
  }
}

/// The properties of a class's entity, and those of related objects, as key paths.
///
/// `@Managed` makes such a type, `ManagedKeys`, for each class. Sorts, sections and batch requests
/// take its key paths, so the compiler refuses everything that is not a property of the entity:
///
/// ```swift
/// FetchSort<Book>(\.title)         // Book.ManagedKeys.title
/// FetchSort<Book>(\.author.name)   // of the related author; without '?'
/// ```
///
/// Write the key path without a root. `\Book.title` is a property of the class, which may be one
/// that is not stored.
public protocol ManagedKeyPaths {
  /// The path that leads to these properties: empty, or a path such as `author.`.
  var managedPath: String { get }

  /// Creates the properties after a path.
  init(managedPath: String)
}

/// The properties of the entity of a sub-entity's class, inherited ones included.
@dynamicMemberLookup
public protocol ManagedSubkeyPaths: ManagedKeyPaths {
  /// The properties of the superentity.
  associatedtype Superkeys: ManagedKeyPaths
}

extension ManagedSubkeyPaths {
  /// The properties of the superentity.
  public var asSuperentity: Superkeys { Superkeys(managedPath: managedPath) }

  /// A property of the superentity.
  public subscript<Key>(dynamicMember keyPath: KeyPath<Superkeys, Key>) -> Key {
    asSuperentity[keyPath: keyPath]
  }
}

/// A property of an entity, with the path that leads to it.
public protocol ManagedPath {
  /// The path, such as `title` or `author.name`.
  var path: String { get }
}

/// A relationship of an entity, with the path that leads to it.
public protocol ManagedRelationshipPath: ManagedPath {}

/// An attribute of an entity.
public struct ManagedKey<Value>: ManagedPath {
  /// The path, such as `title` or `author.name`.
  public let path: String

  /// Creates the key of an attribute.
  public init(_ name: String, of keys: some ManagedKeyPaths) { path = keys.managedPath + name }
}

/// A to-one relationship of an entity.
///
/// It has the properties of the related object: `\.author.name`.
@dynamicMemberLookup
public struct ManagedToOne<Destination: ManagedEntity>: ManagedRelationshipPath {
  /// The path, such as `author`.
  public let path: String

  /// Creates the key of a relationship.
  public init(_ name: String, of keys: some ManagedKeyPaths) { path = keys.managedPath + name }

  /// A property of the related object.
  public subscript<Key>(dynamicMember keyPath: KeyPath<Destination.ManagedKeys, Key>) -> Key {
    Destination.ManagedKeys(managedPath: path + ".")[keyPath: keyPath]
  }
}

/// A to-many relationship of an entity.
public struct ManagedToMany<Destination: ManagedEntity>: ManagedRelationshipPath {
  /// The path, such as `books`.
  public let path: String

  /// Creates the key of a relationship.
  public init(_ name: String, of keys: some ManagedKeyPaths) { path = keys.managedPath + name }
}

extension ManagedEntity {
  /// Returns the name of a property, or the path that leads to it.
  static func path(_ keyPath: KeyPath<ManagedKeys, some ManagedPath>) -> String {
    ManagedKeys(managedPath: "")[keyPath: keyPath].path
  }
}
