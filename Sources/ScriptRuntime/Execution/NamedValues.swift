import FetchedResults

/// The object whose properties bare names refer to: the one that an `update` is changing, or the
/// one whose transient attribute is computed.
enum NamedValues {
  case object(ManagedObject)
  case values(ObjectValues)

  var entity: EntityDescription {
    switch self {
    case .object(let object): object.entity
    case .values(let values): values.objectID.entity
    }
  }

  /// Returns the value of the property at an index in the entity.
  func value(at index: Int) -> PropertyValue {
    switch self {
    case .object(let object): object.value(at: index)
    case .values(let values): values.value(at: index)
    }
  }

  /// Returns the value of a property; nil if the entity has none with this name.
  func value(named name: String) -> PropertyValue? {
    guard let index = entity.propertyIndex(named: name) else { return nil }
    return value(at: index)
  }
}
