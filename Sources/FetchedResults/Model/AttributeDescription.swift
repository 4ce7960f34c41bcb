/// An attribute of an entity.
public struct AttributeDescription: Sendable {
  /// The name, a key of the entity's objects.
  public let name: String
  /// The kind of its values.
  public let type: AttributeType
  /// Whether an object may be saved without a value.
  public let isOptional: Bool
  /// What a new object starts with; ``Value/null`` for none.
  public let defaultValue: Value

  /// Creates an attribute.
  ///
  /// - Throws: ``ModelError/defaultOfWrongType(attribute:type:)`` where the
  ///   default is not of the type.
  public init(
    name: String, type: AttributeType, isOptional: Bool = false, defaultValue: Value = .null
  ) throws(ModelError) {
    guard let value = type.value(from: defaultValue) else {
      throw ModelError.defaultOfWrongType(attribute: name, type: type)
    }
    self.name = name
    self.type = type
    self.isOptional = isOptional
    self.defaultValue = value
  }
}
