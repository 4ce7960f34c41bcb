public import FetchedResults

/// Makes a class the face of an entity's objects.
///
/// ```swift
/// @Managed final class Book {
///   var title: String
///   var pages = 0
///   @Relationship(inverse: \Author.books) var author: Author?
/// }
/// ```
///
/// Each stored property becomes an attribute or a relationship of the entity, and reads and
/// writes the object's value. A list, `[Book]` or `Set<Book>`, is a to-many relationship; a
/// to-one relationship is marked with ``Relationship(inverse:deleteRule:isOptional:minCount:maxCount:originalName:)``.
/// The class also gets an initialiser with a parameter for each property, and for each to-many
/// relationship functions such as `addToBooks(_:)` and `removeFromBooks(_:)`.
///
/// - Parameters:
///   - name: The entity's name; that of the class where it is left out. A string literal.
///   - originalName: The name that the entity had in older stores.
///   - isAbstract: Whether the entity has no objects of its own, but entities that inherit from it
///     may.
///   - uniquenessConstraints: The attributes whose values, taken together, no two objects share.
///   - displayAttribute: The attribute that an object is shown as.
@attached(member, conformances: ManagedEntity, names: arbitrary)
@attached(memberAttribute)
@attached(extension, conformances: ManagedEntity)
public macro Managed(
  name: String? = nil, originalName: String? = nil, isAbstract: Bool = false,
  uniquenessConstraints: [[String]] = [], displayAttribute: String? = nil
) = #externalMacro(module: "FetchedResultsMacroPlugin", type: "ManagedMacro")

/// Makes a class the face of the objects of an entity that inherits from another one.
///
/// - Parameters:
///   - name: The entity's name; that of the class where it is left out. A string literal.
///   - originalName: The name that the entity had in older stores.
///   - superentity: The class of the entity that this one inherits from, as `Book.self`. Its
///     properties are this class's, too; see ``ManagedSubentity``.
///   - isAbstract: Whether the entity has no objects of its own, but entities that inherit from it
///     may.
///   - uniquenessConstraints: The attributes whose values, taken together, no two objects share.
///   - displayAttribute: The attribute that an object is shown as.
@attached(member, conformances: ManagedEntity, names: arbitrary)
@attached(memberAttribute)
@attached(
  extension, conformances: ManagedEntity, ManagedSubentity, names: named(Superentity))
public macro Managed(
  name: String? = nil, originalName: String? = nil, superentity: any AnyObject.Type,
  isAbstract: Bool = false, uniquenessConstraints: [[String]] = [], displayAttribute: String? = nil
) = #externalMacro(module: "FetchedResultsMacroPlugin", type: "ManagedMacro")

/// Says more about an attribute of a ``Managed(name:originalName:isAbstract:uniquenessConstraints:displayAttribute:)``
/// class.
///
/// - Parameters:
///   - options: What else holds of the attribute.
///   - minimum: The smallest value that can be saved; of a string, the shortest length.
///   - maximum: The largest value that can be saved; of a string, the longest length.
///   - pattern: The regular expression that a string matches as a whole.
///   - derivation: How the value is computed at each save. The property is then read-only.
///   - originalName: The name that the attribute had in older stores, for a migration.
@attached(peer)
public macro Attribute(
  _ options: AttributeOptions..., minimum: PropertyValue = .null, maximum: PropertyValue = .null,
  pattern: String? = nil, derivation: AttributeExpression? = nil, originalName: String? = nil
) = #externalMacro(module: "FetchedResultsMacroPlugin", type: "MarkerMacro")

/// Says that a property is a relationship, and more about it.
///
/// - Parameters:
///   - inverse: The relationship that leads back, such as `\Author.books`. One side has to name
///     it. Where neither does, the only relationship that leads back is the inverse.
///   - deleteRule: What a deletion does to the other side.
///   - isOptional: Whether an object may be saved without one on the other side.
///   - minCount: The fewest objects on the other side, where there is any; 0 for no limit.
///   - maxCount: The most objects on the other side; 0 for no limit.
///   - originalName: The name that the relationship had in older stores, for a migration.
@attached(peer)
public macro Relationship(
  inverse: AnyKeyPath? = nil, deleteRule: RelationshipDescription.DeleteRule = .nullify,
  isOptional: Bool = true, minCount: Int = 0, maxCount: Int = 0, originalName: String? = nil
) = #externalMacro(module: "FetchedResultsMacroPlugin", type: "MarkerMacro")

/// Says that the values of a property are never stored.
@attached(peer)
public macro Transient() =
  #externalMacro(module: "FetchedResultsMacroPlugin", type: "MarkerMacro")

/// Accessors of an attribute; `@Managed` adds this macro.
@attached(accessor)
public macro _ManagedAttribute(at place: Int, inherits: Bool = false) =
  #externalMacro(module: "FetchedResultsMacroPlugin", type: "AttributeAccessorMacro")

/// Accessors of a to-one relationship; `@Managed` adds this macro.
@attached(accessor)
public macro _ManagedToOne(at place: Int, inherits: Bool = false) =
  #externalMacro(module: "FetchedResultsMacroPlugin", type: "ToOneAccessorMacro")

/// Accessors of a to-many relationship; `@Managed` adds this macro.
@attached(accessor)
public macro _ManagedToMany(at place: Int, inherits: Bool = false) =
  #externalMacro(module: "FetchedResultsMacroPlugin", type: "ToManyAccessorMacro")
