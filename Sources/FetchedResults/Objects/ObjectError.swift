/// A misuse of a managed object.
public enum ObjectError: Error, Hashable, Sendable {
  /// The entity has no attribute of this name.
  case unknownKey(String, entity: String)
  /// The value is not of the attribute's type.
  case wrongType(Value, attribute: String, type: AttributeType)
  /// The object is deleted.
  case deleted(ObjectID)
}

extension ObjectError: CustomStringConvertible {
  /// The misuse in words.
  public var description: String {
    switch self {
    case .unknownKey(let key, let entity): "\(entity) has no attribute '\(key)'"
    case .wrongType(let value, let attribute, let type):
      "'\(attribute)' takes \(type.article) \(type.rawValue), not \(value.quotedDescription)"
    case .deleted(let id): "\(id) is deleted"
    }
  }
}

extension AttributeType {
  fileprivate var article: String {
    switch self {
    case .integer16, .integer32, .integer64: "an"
    case .string, .double, .float, .decimal, .boolean, .date, .uuid, .uri, .binaryData: "a"
    }
  }
}
