import FetchedResults

/// A class of an entity that inherits from another one.
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
/// properties of the superentity as if they were its own. Its sorts, sections and predicates name
/// them in the same way: `FetchSort(\.title)`. Without that attribute, write ``asSuperentity``
/// before them: `novel.asSuperentity.title`, `FetchSort(\.asSuperentity.title)`.
///
/// A fetch of `Book` returns novels, too, each as a `Book`. ``ManagedEntity/asSubentity(_:)`` tells
/// which of them are novels.
public protocol ManagedSubentity: ManagedEntity {
  /// The class of the entity that this one inherits from.
  associatedtype Superentity: ManagedEntity
}

extension ManagedSubentity {
  /// How many attributes come before the class's own.
  public static var inheritedAttributes: Int { Superentity.managedSchema.attributes.count }

  /// How many relationships come before the class's own.
  public static var inheritedRelationships: Int { Superentity.managedSchema.relationships.count }

  /// The object as one of its superentity.
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
  /// Whether a key path leads to the object itself, as one of its superentity.
  static func isSuperentity(_ keyPath: AnyKeyPath) -> Bool { keyPath == \Self.asSuperentity }

  /// Returns the name of a property of the superentity, or nil where the key path leads elsewhere.
  static func inheritedName(of keyPath: AnyKeyPath) -> String? {
    inheritedKeyPaths.first { $0.keyPath == keyPath }?.name
  }

  /// Each property of the superentity, by the key paths that lead to it from this class.
  static var inheritedKeyPaths: [NamedKeyPath] {
    Superentity.keyPaths.flatMap { property -> [NamedKeyPath] in
      // The type is written out: else the compiler does not open it.
      let value: any Any.Type = type(of: property.keyPath).valueType
      let found = keyPaths(through: property.keyPath, value)
      return found.map { NamedKeyPath(name: property.name, keyPath: $0) }
    }
  }

  private static func keyPaths<Value>(
    through keyPath: AnyKeyPath, _ type: Value.Type
  ) -> [AnyKeyPath] {
    let superentity: KeyPath<Self, Superentity> = \.asSuperentity
    // A property that can be set is looked up by the subscript that can set it.
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
  /// Each property of the class's entity, by the key paths that lead to it.
  fileprivate static var keyPaths: [NamedKeyPath] {
    managedSchema.properties.map { NamedKeyPath(name: $0.name, keyPath: $0.keyPath) }
      + ((Self.self as? any ManagedSubentity.Type)?.inheritedKeyPaths ?? [])
  }
}

extension ManagedEntity {
  /// The object as one of an entity that inherits from this one, or nil where it is none.
  public func asSubentity<Subentity: ManagedEntity>(_ type: Subentity.Type) -> Subentity? {
    type.typed(managedObject)
  }
}
