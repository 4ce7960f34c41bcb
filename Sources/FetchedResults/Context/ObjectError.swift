/// A wrong use of a managed object.
public enum ObjectError: Error, Hashable, Sendable {
  /// The entity has no attribute of this name.
  case unknownKey(String, entity: String)
  /// The value does not fit the attribute's type.
  case wrongType(PropertyValue, attribute: String, type: AttributeType)
  /// The value is not an object of the relationship's destination.
  case wrongMember(PropertyValue, relationship: RelationshipDescription)
  /// The property is not a to-many relationship, so objects cannot be added or removed.
  case notToMany(String, entity: String)
  /// The attribute is computed, so it cannot be set.
  case computed(String)
  /// The object is deleted.
  case deleted(ObjectID)
  /// The object is neither in the context nor in the store. Another context has inserted it and not
  /// saved it, or it is deleted.
  case elsewhere(ObjectID)
  /// The object's context was released or reset, so the object cannot be related to others.
  case withoutContext(ObjectID)
  /// The destination or the inverse of the relationship is wrong.
  case model(ModelError)
  /// There is no object with this identity.
  case missing(ObjectID)
  /// The store could not be read to find the object.
  case unreadable(StoreError)
}

extension ObjectError: CustomStringConvertible {
  /// A description of the mistake.
  public var description: String {
    switch self {
    case .unknownKey(let key, let entity): "\(entity) has no attribute '\(key)'"
    case .wrongType(let value, let attribute, let type):
      "'\(attribute)' takes \(type.article) \(type.rawValue), not \(value.quotedDescription)"
    case .wrongMember(let value, let relationship):
      "'\(relationship.name)' takes "
        + (relationship.isToMany
          ? "a list of \(relationship.destination)" : relationship.destination.withArticle)
        + ", not \(value.quotedDescription)"
    case .notToMany(let key, let entity): "'\(key)' of \(entity) is not a to-many relationship"
    case .computed(let attribute): "'\(attribute)' is computed and cannot be set"
    case .deleted(let id): "\(id) is deleted"
    case .elsewhere(let id):
      "\(id) is neither in this context nor in the store: it belongs to another context, which has "
        + "not saved it, or it is deleted; save it in its own context first"
    case .withoutContext(let id):
      "the context of \(id) was released or reset; keep the context as long as you use its objects"
    case .model(let error): error.description
    case .missing(let id): "there is no object \(id)"
    case .unreadable(let error): error.description
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

extension String {
  /// The name with `a` or `an` before it.
  fileprivate var withArticle: String {
    (first.map { "AEIOUaeiou".contains($0) } == true ? "an " : "a ") + self
  }
}
