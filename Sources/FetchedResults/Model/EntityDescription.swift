/// An entity: a kind of object and its attributes.
///
/// An entity is immutable and has identity: two entities are one only if they
/// are the same instance.
public final class EntityDescription: Sendable {
  /// The name, as in `Book`.
  public let name: String
  /// The attributes, in order of declaration.
  public let attributes: [AttributeDescription]
  /// The attribute that an object is shown as, where the model says so.
  public let displayAttribute: String?

  /// Each attribute's place in a ``Snapshot``.
  private let indices: [String: Int]
  /// What a new object starts with.
  package let defaults: Snapshot

  /// Creates an entity.
  ///
  /// - Throws: ``ModelError`` where a name stands twice or the display
  ///   attribute is none of the entity's.
  public init(
    name: String, attributes: [AttributeDescription], displayAttribute: String? = nil
  ) throws(ModelError) {
    var indices: [String: Int] = [:]
    for (index, attribute) in attributes.enumerated() {
      guard indices.updateValue(index, forKey: attribute.name) == nil else {
        throw ModelError.duplicateProperty(attribute.name, entity: name)
      }
    }
    if let displayAttribute, indices[displayAttribute] == nil {
      throw ModelError.unknownProperty(displayAttribute, entity: name)
    }
    self.name = name
    self.attributes = attributes
    self.displayAttribute = displayAttribute
    self.indices = indices
    self.defaults = Snapshot(ContiguousArray(attributes.map(\.defaultValue)))
  }

  /// The entity at the top of the inheritance, whose numbers all its objects
  /// share; the entity itself where it has no parent.
  public var root: EntityDescription { self }

  /// Returns the place of an attribute in a ``Snapshot``, or nil where the
  /// entity has none of that name.
  package func attributeIndex(named name: String) -> Int? { indices[name] }

  /// Returns whether the entity is this one or inherits from it.
  public func isKind(of other: EntityDescription) -> Bool { self === other }
}

extension EntityDescription: Hashable {
  /// Whether both are the same instance.
  public static func == (left: EntityDescription, right: EntityDescription) -> Bool {
    left === right
  }

  /// Feeds the identity.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
