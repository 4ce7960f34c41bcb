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
