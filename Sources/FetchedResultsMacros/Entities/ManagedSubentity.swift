import FetchedResults

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
/// properties of the superentity as if they were its own. Its sorts, sections and predicates use
/// the same names: `FetchSort(\.title)`. Without that attribute, write ``asSuperentity`` before a
/// property: `novel.asSuperentity.title`, `FetchSort(\.asSuperentity.title)`.
///
/// A fetch of `Book` also returns novels, each as a `Book`. ``ManagedEntity/asSubentity(_:)``
/// returns the novel, if a book is one.
public protocol ManagedSubentity: ManagedEntity {
  /// The class of the superentity.
  associatedtype Superentity: ManagedEntity
}

extension ManagedSubentity {
  /// How many attributes come before the class's own.
  public static var inheritedAttributes: Int { Superentity.managedSchema.attributes.count }

  /// How many relationships come before the class's own.
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
