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
/// The macro adds this conformance. Of a class with `@dynamicMemberLookup`, the properties of the
/// superentity are read and written as if they were the class's own; of another one, by
/// ``asSuperentity``. A fetch of `Book` returns novels, too, each as a `Book`; ask
/// ``ManagedEntity/asSubentity(_:)`` which of them are novels. A sort or a section of inherited
/// properties names them by a string, as `FetchSort(key: "title")`.
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

extension ManagedEntity {
  /// The object as one of an entity that inherits from this one, or nil where it is none.
  public func asSubentity<Subentity: ManagedEntity>(_ type: Subentity.Type) -> Subentity? {
    type.typed(managedObject)
  }
}
