/// A relationship of an entity: to one object of another entity, or to many.
///
/// The destination and the inverse are names. They are resolved when the relationship is first
/// needed, so that entities can be defined in any order.
public struct RelationshipDescription: Hashable, Sendable {
  /// The name, a key of the entity's objects.
  public let name: String
  /// The name of the destination entity.
  public let destination: String
  /// The name of the inverse relationship; nil if none was named.
  public package(set) var inverse: String?
  /// Whether it can lead to more than one object.
  public let isToMany: Bool
  /// Whether the objects of a to-many relationship keep the order in which they were added.
  ///
  /// Otherwise they are sorted by number.
  public let isOrdered: Bool
  /// Whether an object can be saved if the relationship is empty.
  public let isOptional: Bool
  /// The smallest number of related objects, if there are any; 0 for no limit.
  public let minCount: Int
  /// The largest number of related objects; 0 for no limit.
  public let maxCount: Int
  /// The effect on the related objects when the object is deleted.
  public let deleteRule: DeleteRule
  /// Whether the relationship is not stored.
  ///
  /// A store has no column for it, and it is empty in an object that is read again.
  ///
  /// A relationship and its inverse are either both transient or both stored.
  public package(set) var isTransient: Bool
  /// The relationship's name in older versions of the model and their stores; nil if it has not
  /// changed.
  public let renamingIdentifier: String?

  /// The effect of the deletion of an object on its related objects.
  public enum DeleteRule: String, Hashable, Sendable, CaseIterable {
    /// Related objects lose their reference to the deleted object.
    case nullify
    /// Related objects are deleted as well.
    case cascade
    /// The deletion cannot be saved while there are related objects.
    case deny
    /// Related objects keep a reference to an object that no longer exists.
    case noAction
  }

  /// Creates a relationship.
  ///
  /// A to-one relationship has no order and no counts. A to-many relationship that is not optional
  /// needs at least one object.
  public init(
    name: String, destination: String, inverse: String? = nil, isToMany: Bool = false,
    isOrdered: Bool = false, isOptional: Bool = true, minCount: Int = 0, maxCount: Int = 0,
    deleteRule: DeleteRule = .nullify, isTransient: Bool = false,
    renamingIdentifier: String? = nil
  ) {
    self.name = name
    self.destination = destination
    self.inverse = inverse
    self.isToMany = isToMany
    self.isOrdered = isToMany && isOrdered
    self.isOptional = isOptional
    self.minCount = isToMany ? (isOptional ? minCount : max(1, minCount)) : 0
    self.maxCount = isToMany ? maxCount : 0
    self.deleteRule = deleteRule
    self.isTransient = isTransient
    self.renamingIdentifier = renamingIdentifier == name ? nil : renamingIdentifier
  }
}

/// Both ends of a relationship, with its names resolved.
package struct RelationshipLink {
  /// The destination entity.
  package let destination: EntityDescription
  /// The inverse relationship; nil if there is none.
  package let inverse: Inverse?

  /// An inverse relationship.
  package struct Inverse {
    /// Its index among the relationships of the destination.
    package let ordinal: Int
    package let isToMany: Bool
    package let isOrdered: Bool
  }
}
