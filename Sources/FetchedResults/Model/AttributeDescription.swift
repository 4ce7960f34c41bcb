/// An attribute of an entity.
public struct AttributeDescription: Sendable {
  /// The name, a key of the entity's objects.
  public let name: String
  /// The type of its values.
  public let type: AttributeType
  /// Whether an object may be saved without a value.
  public let isOptional: Bool
  /// The value of a new object; ``PropertyValue/null`` for none.
  public let defaultValue: PropertyValue
  /// Additional conditions on a value, which are checked when it is saved.
  public var limits: Limits { rarities?.limits ?? Limits() }
  /// Whether the values are never stored.
  public let isTransient: Bool
  /// Whether Core Data may keep large values in files beside the store.
  ///
  /// True for ``AttributeType/binaryData`` only. It only affects how a store writes the values.
  public let allowsExternalBinaryDataStorage: Bool
  /// The expression that computes the values, if they are not set.
  ///
  /// The value of a transient attribute is computed whenever it is read. That of another attribute,
  /// which is then called *derived*, is computed at each save.
  public var expression: AttributeExpression? { rarities?.expression }
  /// The attribute's name in older versions of the model and their stores; nil if it has not
  /// changed.
  public var renamingIdentifier: String? { rarities?.renamingIdentifier }

  /// Rarely used properties, kept out of line because each write of a value copies the description.
  private let rarities: Rarities?

  private final class Rarities: Sendable {
    let limits: Limits
    let expression: AttributeExpression?
    let renamingIdentifier: String?

    init(limits: Limits, expression: AttributeExpression?, renamingIdentifier: String?) {
      self.limits = limits
      self.expression = expression
      self.renamingIdentifier = renamingIdentifier
    }
  }

  /// The conditions on a value, which are checked when it is saved.
  public struct Limits: Hashable, Sendable {
    /// The smallest value; for a string, the shortest length.
    public var minimum: PropertyValue = .null
    /// The largest value; for a string, the longest length.
    public var maximum: PropertyValue = .null
    /// The regular expression that a string must match as a whole.
    public var pattern: String?

    /// Creates limits.
    ///
    /// By default there are none.
    public init(
      minimum: PropertyValue = .null, maximum: PropertyValue = .null, pattern: String? = nil
    ) {
      self.minimum = minimum
      self.maximum = maximum
      self.pattern = pattern
    }

    /// Whether every value is within the limits.
    package var isEmpty: Bool { minimum.isNull && maximum.isNull && pattern == nil }
  }

  /// Creates an attribute.
  ///
  /// - Throws: ``ModelError/defaultOfWrongType(attribute:type:)`` or
  ///   ``ModelError/limitOfWrongType(attribute:type:)`` if the default or a limit has another type.
  public init(
    name: String, type: AttributeType, isOptional: Bool = false,
    defaultValue: PropertyValue = .null,
    limits: Limits = Limits(), isTransient: Bool = false, expression: AttributeExpression? = nil,
    allowsExternalBinaryDataStorage: Bool = false, renamingIdentifier: String? = nil
  ) throws(ModelError) {
    guard let value = type.value(from: defaultValue) else {
      throw ModelError.defaultOfWrongType(attribute: name, type: type)
    }
    guard let minimum = type.limit(from: limits.minimum),
      let maximum = type.limit(from: limits.maximum),
      limits.pattern == nil || type == .string
    else { throw ModelError.limitOfWrongType(attribute: name, type: type) }
    self.name = name
    self.type = type
    self.isOptional = isOptional
    self.defaultValue = value
    self.isTransient = isTransient
    self.allowsExternalBinaryDataStorage = allowsExternalBinaryDataStorage && type == .binaryData
    let limits = Limits(minimum: minimum, maximum: maximum, pattern: limits.pattern)
    let renamingIdentifier = renamingIdentifier == name ? nil : renamingIdentifier
    rarities =
      limits.isEmpty && expression == nil && renamingIdentifier == nil
      ? nil
      : Rarities(limits: limits, expression: expression, renamingIdentifier: renamingIdentifier)
  }

  /// Whether a value can be invalid.
  var isValidated: Bool {
    !isTransient && expression == nil && (!isOptional || !limits.isEmpty)
  }

  /// The expression, if the value is computed whenever it is read.
  package var transientExpression: AttributeExpression? { isTransient ? expression : nil }

  /// The expression, if the value is computed at each save.
  package var derivation: AttributeExpression? { isTransient ? nil : expression }
}

extension AttributeType {
  /// Returns the value as a limit for this type.
  ///
  /// Strings are limited by their length.
  fileprivate func limit(from value: PropertyValue) -> PropertyValue? {
    self == .string ? AttributeType.integer64.value(from: value) : self.value(from: value)
  }
}
