// A package that turns the trait off builds no plugin; see 'Classes without macros'.
#if Macros

public import FetchedResults

/// Gives a class typed access to an entity's objects.
///
/// ```swift
/// @Managed final class Book {
///   var title: String
///   var pages = 0
///   @Relationship(inverse: \Author.books) var author: Author?
/// }
/// ```
///
/// Each stored property becomes an attribute or a relationship of the entity, and reads and writes
/// the object's value. A list, `[Book]` or `Set<Book>`, becomes a to-many relationship. Mark a
/// to-one relationship with
/// ``Relationship(inverse:deleteRule:isOptional:minCount:maxCount:originalName:)``.
///
/// The class also gets an initializer with a parameter for each property. A private attribute with
/// an initial value has none if its type is one of your own, because that may be private, too. For
/// each to-many relationship the class gets functions such as `addToBooks(_:)` and
/// `removeFromBooks(_:)`.
///
/// - Parameters:
///   - name: The entity's name, as a string literal. By default it is the class's name.
///   - originalName: The name that the entity had in older stores.
///   - isAbstract: Whether the entity cannot have objects of its own. Its sub-entities may.
///   - uniquenessConstraints: The attributes whose combined values must be unique.
///   - indexes: The indexes of several attributes that a store in a file has. For a single
///     attribute, write `@Attribute(.indexed)`.
///   - displayAttribute: The attribute that represents an object in output.
@attached(member, conformances: ManagedEntity, names: arbitrary)
@attached(memberAttribute)
@attached(extension, conformances: ManagedEntity)
public macro Managed(
  name: String? = nil, originalName: String? = nil, isAbstract: Bool = false,
  uniquenessConstraints: [[String]] = [], indexes: [FetchIndexDescription] = [],
  displayAttribute: String? = nil
) = #externalMacro(module: "FetchedResultsMacroPlugin", type: "ManagedMacro")

/// Gives a class typed access to the objects of an entity that inherits from another one.
///
/// - Parameters:
///   - name: The entity's name, as a string literal. By default it is the class's name.
///   - originalName: The name that the entity had in older stores.
///   - superentity: The class of the superentity, such as `Book.self`. This class has its
///     properties as well; see ``ManagedSubentity``.
///   - isAbstract: Whether the entity cannot have objects of its own. Its sub-entities may.
///   - uniquenessConstraints: The attributes whose combined values must be unique.
///   - indexes: The indexes of several attributes that a store in a file has. For a single
///     attribute, write `@Attribute(.indexed)`.
///   - displayAttribute: The attribute that represents an object in output.
@attached(member, conformances: ManagedEntity, names: arbitrary)
@attached(memberAttribute)
@attached(
  extension, conformances: ManagedEntity, ManagedSubentity, names: named(Superentity))
public macro Managed(
  name: String? = nil, originalName: String? = nil, superentity: any AnyObject.Type,
  isAbstract: Bool = false, uniquenessConstraints: [[String]] = [],
  indexes: [FetchIndexDescription] = [], displayAttribute: String? = nil
) = #externalMacro(module: "FetchedResultsMacroPlugin", type: "ManagedMacro")

/// Describes an attribute of a
/// ``Managed(name:originalName:isAbstract:uniquenessConstraints:indexes:displayAttribute:)`` class.
///
/// - Parameters:
///   - options: Options of the attribute.
///   - minimum: The smallest value that can be saved; for a string, the shortest length.
///   - maximum: The largest value that can be saved; for a string, the longest length.
///   - pattern: The regular expression that a string must match as a whole.
///   - derivation: The expression that computes the value at each save. The property is then
///     read-only.
///   - originalName: The name that the attribute had in older stores, for a migration.
@attached(peer)
public macro Attribute(
  _ options: AttributeOptions..., minimum: PropertyValue = .null, maximum: PropertyValue = .null,
  pattern: String? = nil, derivation: AttributeExpression? = nil, originalName: String? = nil
) = #externalMacro(module: "FetchedResultsMacroPlugin", type: "MarkerMacro")

/// Marks a property as a relationship, and describes it.
///
/// - Parameters:
///   - inverse: The inverse relationship, such as `\Author.books`. One side has to name it. If
///     neither does, the only relationship that leads back is the inverse. Where both sides name
///     it, one of them writes `\Author.ManagedKeys.books`: the compiler refuses two macros that
///     lead to each other's properties as a circular reference.
///   - deleteRule: What happens to related objects when the object is deleted.
///   - isOptional: Whether an object can be saved if the relationship is empty.
///   - minCount: The smallest number of related objects, if there are any; 0 for no limit.
///   - maxCount: The largest number of related objects; 0 for no limit.
///   - originalName: The name that the relationship had in older stores, for a migration.
@attached(peer)
public macro Relationship(
  inverse: AnyKeyPath? = nil, deleteRule: RelationshipDescription.DeleteRule = .nullify,
  isOptional: Bool = true, minCount: Int = 0, maxCount: Int = 0, originalName: String? = nil
) = #externalMacro(module: "FetchedResultsMacroPlugin", type: "MarkerMacro")

/// Marks a property whose values are not stored.
@attached(peer)
public macro Transient() =
  #externalMacro(module: "FetchedResultsMacroPlugin", type: "MarkerMacro")

/// Adds the accessors of an attribute. `@Managed` applies this macro.
@attached(accessor)
public macro _ManagedAttribute(at place: Int, inherits: Bool = false) =
  #externalMacro(module: "FetchedResultsMacroPlugin", type: "AttributeAccessorMacro")

/// Adds the accessors of a to-one relationship. `@Managed` applies this macro.
@attached(accessor)
public macro _ManagedToOne(at place: Int, inherits: Bool = false) =
  #externalMacro(module: "FetchedResultsMacroPlugin", type: "ToOneAccessorMacro")

/// Adds the accessors of a to-many relationship. `@Managed` applies this macro.
@attached(accessor)
public macro _ManagedToMany(at place: Int, inherits: Bool = false) =
  #externalMacro(module: "FetchedResultsMacroPlugin", type: "ToManyAccessorMacro")

#endif
