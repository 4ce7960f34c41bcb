import FetchedResults

/// What changes between the model that a file is of and a newer one.
///
/// A value: it is decided before anything is written.
struct MigrationPlan: Sendable {
  /// What is different, entity by entity.
  var changes: [MigrationChange] = []
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
