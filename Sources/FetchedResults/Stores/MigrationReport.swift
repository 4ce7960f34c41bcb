/// The changes of a migration.
public struct MigrationReport: Hashable, Sendable {
  /// The differences between the models.
  public let changes: [MigrationChange]
  /// The data that was dropped.
  public let dropped: [MigrationLoss]

  /// The references to objects that did not exist, which were removed.
  public let dangling: [DanglingReferences]

  package init(
    changes: [MigrationChange], dropped: [MigrationLoss], dangling: [DanglingReferences]
  ) {
    self.changes = changes
    self.dropped = dropped
    self.dangling = dangling
  }
}

/// References of a relationship to objects that do not exist.
///
/// A migration removes them. A number that no object has may become the number of another object,
/// to which the reference would then lead.
public struct DanglingReferences: Hashable, Sendable, CustomStringConvertible {
  /// The name of the old entity that has the relationship.
  public let entity: String
  /// The name of the relationship.
  public let property: String
  /// The number of references that were removed.
  public let count: Int

  package init(entity: String, property: String, count: Int) {
    self.entity = entity
    self.property = property
    self.count = count
  }

  /// A description such as `2 references of Book.author to missing objects removed`.
  public var description: String {
    "\(count) \(count == 1 ? "reference" : "references") of \(entity).\(property) "
      + "to missing objects removed"
  }
}

/// One difference between two models.
public struct MigrationChange: Hashable, Sendable, CustomStringConvertible {
  /// The name of the entity: the new one, if there is one.
  public let entity: String
  /// The name of the property; nil if the entity itself is different.
  public let property: String?
  /// The kind of difference.
  public let kind: Kind

  package init(entity: String, property: String?, kind: Kind) {
    self.entity = entity
    self.property = property
    self.kind = kind
  }

  /// The kind of a difference of an entity or a property.
  public enum Kind: Hashable, Sendable {
    /// Only the new model has it.
    case added
    /// Only the old model has it.
    case removed
    /// It had another name.
    case renamed(from: String)
    /// The entity inherits from another entity than before, or from none.
    case moved(under: String?)
    /// The values of an attribute had another type.
    case converted(from: AttributeType, to: AttributeType)
    /// The value is optional now.
    case madeOptional
    /// The value is required now.
    case madeRequired
    /// The relationship led to one object before.
    case madeToMany
    /// The relationship led to several objects before.
    case madeToOne
    /// The relationship led to objects of another entity before.
    case redirected(from: String, to: String)
    /// The objects of the relationship have an order now.
    case ordered
  }

  /// A description of the difference: `Book.pages added`.
  public var description: String {
    let name = property.map { "\(entity).\($0)" } ?? entity
    return switch kind {
    case .added: "\(name) added"
    case .removed: "\(name) removed"
    case .renamed(let old): "\(name) renamed from \(old)"
    case .moved(let parent?): "\(name) inherits from \(parent)"
    case .moved(nil): "\(name) inherits from no entity"
    case .converted(let old, let new): "\(name) converted from \(old.rawValue) to \(new.rawValue)"
    case .madeOptional: "\(name) made optional"
    case .madeRequired: "\(name) made required"
    case .madeToMany: "\(name) made to-many"
    case .madeToOne: "\(name) made to-one"
    case .redirected(let old, let new): "\(name) leads to \(new) in place of \(old)"
    case .ordered: "\(name) made ordered"
    }
  }
}
