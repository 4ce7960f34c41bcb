public import FetchedResults

/// What changes between the model that a file is of and a newer one.
///
/// A value: it is decided before anything is written.
public struct MigrationPlan: Sendable {
  /// What is different, entity by entity.
  public internal(set) var changes: [MigrationChange] = []
  /// Where the objects of each old entity go that has a new one.
  var mappings: [EntityMapping] = []
  /// The old entities that the new model does not have.
  var removed: [EntityDescription] = []
  /// Conversions that nobody knows; a step for the entity takes the error away.
  var unconvertible: [Unconvertible] = []

  /// An attribute whose old values have no known conversion.
  struct Unconvertible: Sendable {
    /// The places of the mapping, of the new attribute in it, and of the old one.
    let mapping, attribute, old: Int
    let error: MigrationError
  }
}

/// Where the objects of one old entity go.
struct EntityMapping: Sendable {
  let old: EntityDescription
  let new: EntityDescription
  /// Where the value of each new attribute comes from; nil for one that is not stored.
  var attributes: [AttributeSource?]
  /// Where each new relationship comes from; nil for one that is new or not stored.
  var relationships: [RelationshipSource?]
}

/// Where the value of a new attribute comes from.
enum AttributeSource: Sendable {
  case column(of: Int, AttributeConversion)
  /// Nowhere: it begins with its default.
  case initial
}

/// Where the objects of a new relationship come from.
enum RelationshipSource: Sendable {
  /// The old relationship at a place.
  case same(Int)
  /// The old relationship at a place of the entity on the other side.
  case reversed(EntityDescription, Int)
}

/// One difference between two models.
public struct MigrationChange: Hashable, Sendable, CustomStringConvertible {
  /// The name of the entity, the new one where it has one.
  public let entity: String
  /// The name of the property; nil where the entity itself is different.
  public let property: String?
  /// What is different.
  public let kind: Kind

  /// What is different about an entity or a property.
  public enum Kind: Hashable, Sendable {
    /// The new model has it and the old one has not.
    case added
    /// The old model has it and the new one has not.
    case removed
    /// It had another name.
    case renamed(from: String)
    /// The entity inherits from another one, or from none.
    case moved(under: String?)
    /// The values of an attribute had another type.
    case converted(from: AttributeType, to: AttributeType)
    /// An object may be without a value now.
    case madeOptional
    /// No object may be without a value now.
    case madeRequired
    /// The relationship led to one object.
    case madeToMany
    /// The relationship led to several objects.
    case madeToOne
    /// The relationship led to objects of another entity.
    case redirected(from: String, to: String)
    /// The objects of the relationship have an order now.
    case ordered
  }

  /// The difference in words: `Book.pages added`.
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
