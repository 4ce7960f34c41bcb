/// A fault in a model.
public enum ModelError: Error, Hashable, Sendable {
  case duplicateEntity(String)
  case duplicateProperty(String, entity: String)
  case unknownProperty(String, entity: String)
  case defaultOfWrongType(attribute: String, type: AttributeType)
}

extension ModelError: CustomStringConvertible {
  /// The fault in words.
  public var description: String {
    switch self {
    case .duplicateEntity(let name): "entity '\(name)' is already defined"
    case .duplicateProperty(let name, let entity):
      "'\(name)' is already a property of \(entity)"
    case .unknownProperty(let name, let entity): "\(entity) has no attribute '\(name)'"
    case .defaultOfWrongType(let attribute, let type):
      "the default of '\(attribute)' is no \(type.rawValue)"
    }
  }
}
