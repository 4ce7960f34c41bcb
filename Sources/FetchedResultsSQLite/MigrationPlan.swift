import FetchedResults

/// The differences between the model of a file and a newer model.
///
/// The plan is complete before anything is written.
struct MigrationPlan: Sendable {
  /// The differences, entity by entity.
  var changes: [MigrationChange] = []
  /// Where the objects of each old entity go, for those that have a new entity.
  var mappings: [EntityMapping] = []
  /// The old entities that the new model does not have.
  var removed: [EntityDescription] = []
  /// Attributes without a known conversion.
  ///
  /// This is an error unless the app has a step for the entity.
  var unconvertible: [Unconvertible] = []

  /// Whether data of an attribute gets the marker of external data, or loses it.
  var movesData: Bool {
    mappings.contains { mapping in
      mapping.attributes.contains { source in
        if case .column(_, let conversion)? = source { conversion.movesData } else { false }
      }
    }
  }

  /// An attribute whose old values have no known conversion.
  struct Unconvertible: Sendable {
    /// The indices of the mapping, of the new attribute in it, and of the old attribute.
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
  /// From no old attribute: the new one begins with its default value.
  case initial
}

/// Where the objects of a new relationship come from.
enum RelationshipSource: Sendable {
  /// From the old relationship at an index.
  case same(Int)
  /// From the relationship at an index of the entity on the other side.
  case reversed(EntityDescription, Int)
}
