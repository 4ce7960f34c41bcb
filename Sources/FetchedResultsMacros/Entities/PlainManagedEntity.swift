public import FetchedResults

/// A class for an entity in plain Swift, for packages that do not build macros.
///
/// The class lists its properties in its schema, and each property reads and writes the object by
/// its own key path. The compiler checks that both have the same type:
///
/// ```swift
/// final class Book: PlainManagedEntity {
///   static let managedSchema = ManagedSchema<Book>(
///     "Book", properties: [.attribute("title", \.title), .attribute("pages", \.pages, default: 0)])
///   let managedObject: ManagedObject
///   init(managedObject: ManagedObject) { self.managedObject = managedObject }
///
///   var title: String { get { self[\.title] } set { self[\.title] = newValue } }
///   var pages: Int { get { self[\.pages] } set { self[\.pages] = newValue } }
/// }
/// ```
///
/// Requests, sorts, predicates, controllers and models take the class like one with `@Managed`.
public protocol PlainManagedEntity: ManagedEntity where ManagedKeys == PlainManagedKeys<Self> {}

extension PlainManagedEntity {
  /// Inserts an object with the default values of its entity.
  ///
  /// - Precondition: The context's model was created with the class.
  public init(in context: ManagedObjectContext) {
    self.init(managedObject: ManagedAccess.insert(Self.self, into: context))
  }

  /// The object's identity.
  public var id: ObjectID { managedObject.objectID }
}

/// The values of properties, each by its own key path.
///
/// - Complexity: O(*p*) in the properties of the class, because the key path is looked up.
extension PlainManagedEntity {
  /// The value of an attribute; the type's placeholder if the object has none.
  ///
  /// - Precondition: The property is in the class's schema. This holds for all of these subscripts.
  public subscript<T: ManagedValue>(_ keyPath: KeyPath<Self, T>) -> T {
    get { ManagedAccess.value(of: managedObject, at: Self.place(of: keyPath)) }
    set { ManagedAccess.set(newValue, of: managedObject, at: Self.place(of: keyPath)) }
  }

  /// The value of an optional attribute.
  public subscript<T: ManagedValue>(_ keyPath: KeyPath<Self, T?>) -> T? {
    get { ManagedAccess.value(of: managedObject, at: Self.place(of: keyPath)) }
    set { ManagedAccess.set(newValue, of: managedObject, at: Self.place(of: keyPath)) }
  }

  /// The value of an enumeration; the default if the object has none, or an unknown raw value.
  public subscript<T: RawRepresentable>(
    _ keyPath: KeyPath<Self, T>, default defaultValue: T
  ) -> T where T.RawValue: ManagedValue {
    get {
      ManagedAccess.value(
        of: managedObject, at: Self.place(of: keyPath), default: defaultValue)
    }
    set { ManagedAccess.set(newValue, of: managedObject, at: Self.place(of: keyPath)) }
  }

  /// The value of an optional enumeration; nil also for an unknown raw value.
  public subscript<T: RawRepresentable>(_ keyPath: KeyPath<Self, T?>) -> T?
  where T.RawValue: ManagedValue {
    get { ManagedAccess.value(of: managedObject, at: Self.place(of: keyPath)) }
    set { ManagedAccess.set(newValue, of: managedObject, at: Self.place(of: keyPath)) }
  }

  /// The object of a to-one relationship; nil also if that object no longer exists.
  public subscript<T: ManagedEntity>(_ keyPath: KeyPath<Self, T?>) -> T? {
    get { ManagedAccess.object(of: managedObject, at: Self.place(of: keyPath)) }
    set { ManagedAccess.set(newValue, of: managedObject, relationship: Self.place(of: keyPath)) }
  }

  /// The objects of an ordered to-many relationship.
  public subscript<T: ManagedEntity>(_ keyPath: KeyPath<Self, [T]>) -> [T] {
    get { ManagedAccess.objects(of: managedObject, at: Self.place(of: keyPath)) }
    set { ManagedAccess.set(newValue, of: managedObject, relationship: Self.place(of: keyPath)) }
  }

  /// The objects of a to-many relationship without an order.
  public subscript<T: ManagedEntity>(_ keyPath: KeyPath<Self, Set<T>>) -> Set<T> {
    get { ManagedAccess.objects(of: managedObject, at: Self.place(of: keyPath)) }
    set { ManagedAccess.set(newValue, of: managedObject, relationship: Self.place(of: keyPath)) }
  }

  private static func place(of keyPath: AnyKeyPath) -> Int {
    guard let place = managedSchema.place(of: keyPath) else {
      programmingError(
        "a property of \(Self.self) is not in its schema; add it to the properties there")
    }
    return place
  }
}

/// The properties of a ``PlainManagedEntity``, as key paths for sorts, sections and batch requests.
///
/// The compiler accepts each property of a type that can be stored.
@dynamicMemberLookup
public struct PlainManagedKeys<Entity: ManagedEntity>: ManagedKeyPaths {
  /// The path that leads to these properties: empty, or a path such as `author.`.
  public let managedPath: String

  /// Creates the properties after a path.
  public init(managedPath: String) { self.managedPath = managedPath }

  /// An attribute.
  ///
  /// - Precondition: The property is in the class's schema. This holds for all of these subscripts.
  public subscript<T: ManagedValue>(dynamicMember keyPath: KeyPath<Entity, T>) -> ManagedKey<T> {
    ManagedKey(name(of: keyPath), of: self)
  }

  /// An optional attribute.
  public subscript<T: ManagedValue>(
    dynamicMember keyPath: KeyPath<Entity, T?>
  ) -> ManagedKey<T?> {
    ManagedKey(name(of: keyPath), of: self)
  }

  /// An attribute that holds an enumeration.
  public subscript<T: RawRepresentable>(
    dynamicMember keyPath: KeyPath<Entity, T>
  ) -> ManagedKey<T> where T.RawValue: ManagedValue {
    ManagedKey(name(of: keyPath), of: self)
  }

  /// An attribute that holds an optional enumeration.
  public subscript<T: RawRepresentable>(
    dynamicMember keyPath: KeyPath<Entity, T?>
  ) -> ManagedKey<T?> where T.RawValue: ManagedValue {
    ManagedKey(name(of: keyPath), of: self)
  }

  /// A to-one relationship.
  public subscript<T: ManagedEntity>(
    dynamicMember keyPath: KeyPath<Entity, T?>
  ) -> ManagedToOne<T> {
    ManagedToOne(name(of: keyPath), of: self)
  }

  /// An ordered to-many relationship.
  public subscript<T: ManagedEntity>(
    dynamicMember keyPath: KeyPath<Entity, [T]>
  ) -> ManagedToMany<T> {
    ManagedToMany(name(of: keyPath), of: self)
  }

  /// A to-many relationship without an order.
  public subscript<T: ManagedEntity>(
    dynamicMember keyPath: KeyPath<Entity, Set<T>>
  ) -> ManagedToMany<T> {
    ManagedToMany(name(of: keyPath), of: self)
  }

  private func name(of keyPath: AnyKeyPath) -> String {
    guard let name = Entity.managedSchema.name(of: keyPath) else {
      programmingError(
        "a property of \(Entity.self) is not in its schema; add it to the properties there")
    }
    return name
  }
}
