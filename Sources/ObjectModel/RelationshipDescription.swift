/// A relationship of an entity: to one object of another entity, or to many.
///
/// The destination and the inverse are names; what they mean is found when the
/// relationship is first needed, so that entities may be defined in any order.
public struct RelationshipDescription: Hashable, Sendable {
  /// The name, a key of the entity's objects.
  public let name: String
  /// The name of the entity of the objects on the other side.
  public let destination: String
  /// The name of the relationship that leads back; nil if none was named.
  public package(set) var inverse: String?
  /// Whether there may be more than one object on the other side.
  public let isToMany: Bool
  /// Whether the objects of a to-many relationship keep the order in which they
  /// were given; otherwise they are listed by number.
  public let isOrdered: Bool
  /// Whether an object may be saved without one on the other side.
  public let isOptional: Bool
  /// The fewest objects on the other side, if there is any; 0 for no limit.
  public let minCount: Int
  /// The most objects on the other side; 0 for no limit.
  public let maxCount: Int
  /// What a deletion does to the other side.
  public let deleteRule: DeleteRule
  /// Whether what the relationship leads to is never stored: a store has no
  /// column for it, and an object that is read again leads to nothing.
  ///
  /// A relationship and its inverse are both transient, or neither is.
  public package(set) var isTransient: Bool
  /// The name under which older versions of the model, and the stores made with them, know the
  /// relationship; nil if it has not changed.
  public let renamingIdentifier: String?

  /// What the deletion of an object does to the objects that it is related to.
  public enum DeleteRule: String, Hashable, Sendable, CaseIterable {
    /// They lose their reference to it.
    case nullify
    /// They are deleted too.
    case cascade
    /// As long as there are any, the deletion cannot be saved.
    case deny
    /// Nothing: they keep a reference to nothing.
    case noAction
  }

  /// Creates a relationship.
  ///
  /// A to-one relationship has no order and no counts. A to-many relationship
  /// that is not optional needs at least one object.
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
    self.renamingIdentifier = renamingIdentifier
  }
}

/// A relationship's two ends, with what its names mean.
package struct RelationshipLink {
  /// The entity on the other side.
  package let destination: EntityDescription
  /// The relationship that leads back; nil if there is none.
  package let inverse: Inverse?

  /// The relationship that leads back.
  package struct Inverse {
    /// Its place among the relationships of the destination.
    package let ordinal: Int
    package let isToMany: Bool
    package let isOrdered: Bool
  }
}
