/// An attribute of an entity.
public struct AttributeDescription: Sendable {
  /// The name, a key of the entity's objects.
  public let name: String
  /// The kind of its values.
  public let type: AttributeType
  /// Whether an object may be saved without a value.
  public let isOptional: Bool
  /// What a new object starts with; ``PropertyValue/null`` for none.
  public let defaultValue: PropertyValue
  /// What a value must be, besides of its type, to be saved.
  public var limits: Limits { rarities?.limits ?? Limits() }
  /// Whether the values are never stored.
  public let isTransient: Bool
  /// Whether Core Data may keep large values in files beside the store.
  ///
  /// True for ``AttributeType/binaryData`` only. It decides how a store writes
  /// the values and changes nothing else.
  public let allowsExternalBinaryDataStorage: Bool
  /// How the values are computed, if nobody sets them: of a transient attribute whenever it is
  /// read, of another, which is then *derived*, at each save.
  public var expression: AttributeExpression? { rarities?.expression }
  /// The name under which older versions of the model, and the stores made with them, know the
  /// attribute; nil if it has not changed.
  public var renamingIdentifier: String? { rarities?.renamingIdentifier }

  /// What few attributes have, apart, since each write of a value copies the
  /// description.
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

  /// What a value must be to be saved.
  public struct Limits: Hashable, Sendable {
    /// The smallest value; of a string, the shortest length.
    public var minimum: PropertyValue = .null
    /// The largest value; of a string, the longest length.
    public var maximum: PropertyValue = .null
    /// The regular expression that a string matches as a whole.
    public var pattern: String?

    /// Creates limits; without any by default.
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
  ///   ``ModelError/limitOfWrongType(attribute:type:)`` if the default or a limit is not of the
  ///   type.
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
    rarities =
      limits.isEmpty && expression == nil && renamingIdentifier == nil
      ? nil
      : Rarities(limits: limits, expression: expression, renamingIdentifier: renamingIdentifier)
  }

  /// Whether a value can be wrong at all.
  var isValidated: Bool {
    !isTransient && expression == nil && (!isOptional || !limits.isEmpty)
  }

  /// The expression, where the value is computed whenever it is read.
  package var transientExpression: AttributeExpression? { isTransient ? expression : nil }

  /// The expression, where the value is computed at each save.
  package var derivation: AttributeExpression? { isTransient ? nil : expression }
}

extension AttributeType {
  /// A limit of values of the type; strings are limited by their length.
  fileprivate func limit(from value: PropertyValue) -> PropertyValue? {
    self == .string ? AttributeType.integer64.value(from: value) : self.value(from: value)
  }
}
