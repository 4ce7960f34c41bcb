public import FetchedResults

/// A property of a ``ManagedSchema``, as the expansion of `@Managed` describes it.
public struct ManagedPropertyDescription<Entity: ManagedEntity>: Sendable {
  /// The name, a key of the entity's objects.
  public let name: String
  /// The property of the class.
  public let keyPath: any PartialKeyPath<Entity> & Sendable
  let kind: Kind

  enum Kind: Sendable {
    case attribute(AttributeKind)
    case relationship(RelationshipKind)
  }

  /// The details of an attribute.
  struct AttributeKind: Sendable {
    let type: AttributeType
    let isOptional: Bool
    let defaultValue: PropertyValue
    let isTransient: Bool
    let options: AttributeOptions
    let limits: AttributeDescription.Limits
    let derivation: AttributeExpression?
    let originalName: String?
  }

  /// The details of a relationship.
  struct RelationshipKind: Sendable {
    let destination: any ManagedEntity.Type
    let isToMany: Bool
    let isOrdered: Bool
    let isTransient: Bool
    let inverse: (any AnyKeyPath & Sendable)?
    let deleteRule: RelationshipDescription.DeleteRule
    let isOptional: Bool
    let minCount: Int
    let maxCount: Int
    let originalName: String?
  }
}

// MARK: - Attributes

extension ManagedPropertyDescription {
  private static func attribute(
    _ name: String, _ keyPath: any PartialKeyPath<Entity> & Sendable, _ type: AttributeType,
    isOptional: Bool, _ defaultValue: PropertyValue?, _ isTransient: Bool,
    _ options: AttributeOptions,
    _ limits: AttributeDescription.Limits, _ derivation: AttributeExpression?,
    _ originalName: String?
  ) -> Self {
    Self(
      name: name, keyPath: keyPath,
      kind: .attribute(
        AttributeKind(
          type: type, isOptional: isOptional, defaultValue: defaultValue ?? .null,
          isTransient: isTransient, options: options, limits: limits, derivation: derivation,
          originalName: originalName)))
  }

  /// Describes an attribute.
  public static func attribute<T: ManagedValue>(
    _ name: String, _ keyPath: any KeyPath<Entity, T> & Sendable, default defaultValue: T? = nil,
    isTransient: Bool = false, options: AttributeOptions = [], minimum: PropertyValue = .null,
    maximum: PropertyValue = .null, pattern: String? = nil, derivation: AttributeExpression? = nil,
    originalName: String? = nil
  ) -> Self {
    attribute(
      name, keyPath, T.attributeType, isOptional: false, defaultValue?.managedValue, isTransient,
      options, AttributeDescription.Limits(minimum: minimum, maximum: maximum, pattern: pattern),
      derivation, originalName)
  }

  /// Describes an optional attribute.
  public static func attribute<T: ManagedValue>(
    _ name: String, _ keyPath: any KeyPath<Entity, T?> & Sendable, default defaultValue: T? = nil,
    isTransient: Bool = false, options: AttributeOptions = [], minimum: PropertyValue = .null,
    maximum: PropertyValue = .null, pattern: String? = nil, derivation: AttributeExpression? = nil,
    originalName: String? = nil
  ) -> Self {
    attribute(
      name, keyPath, T.attributeType, isOptional: true, defaultValue?.managedValue, isTransient,
      options, AttributeDescription.Limits(minimum: minimum, maximum: maximum, pattern: pattern),
      derivation, originalName)
  }

  /// Describes an attribute that holds the raw values of an enumeration.
  public static func attribute<T: RawRepresentable>(
    _ name: String, _ keyPath: any KeyPath<Entity, T> & Sendable, default defaultValue: T? = nil,
    isTransient: Bool = false, options: AttributeOptions = [], minimum: PropertyValue = .null,
    maximum: PropertyValue = .null, pattern: String? = nil, derivation: AttributeExpression? = nil,
    originalName: String? = nil
  ) -> Self where T.RawValue: ManagedValue {
    attribute(
      name, keyPath, T.RawValue.attributeType, isOptional: false,
      defaultValue?.rawValue.managedValue, isTransient, options,
      AttributeDescription.Limits(minimum: minimum, maximum: maximum, pattern: pattern),
      derivation, originalName)
  }

  /// Describes an optional attribute that holds the raw values of an enumeration.
  public static func attribute<T: RawRepresentable>(
    _ name: String, _ keyPath: any KeyPath<Entity, T?> & Sendable, default defaultValue: T? = nil,
    isTransient: Bool = false, options: AttributeOptions = [], minimum: PropertyValue = .null,
    maximum: PropertyValue = .null, pattern: String? = nil, derivation: AttributeExpression? = nil,
    originalName: String? = nil
  ) -> Self where T.RawValue: ManagedValue {
    attribute(
      name, keyPath, T.RawValue.attributeType, isOptional: true,
      defaultValue?.rawValue.managedValue, isTransient, options,
      AttributeDescription.Limits(minimum: minimum, maximum: maximum, pattern: pattern),
      derivation, originalName)
  }

  /// Reports an error for a property of a type that no attribute holds.
  @_disfavoredOverload
  @available(
    *, unavailable,
    message: "no attribute holds this type; give an enumeration a raw value, or store Data"
  )
  public static func attribute<T>(
    _ name: String, _ keyPath: any KeyPath<Entity, T> & Sendable, default defaultValue: T? = nil,
    isTransient: Bool = false, options: AttributeOptions = [], minimum: PropertyValue = .null,
    maximum: PropertyValue = .null, pattern: String? = nil, derivation: AttributeExpression? = nil,
    originalName: String? = nil
  ) -> Self {
    attribute(name, keyPath, .string, isOptional: true, nil, false, [], .init(), nil, nil)
  }

  /// Reports an error for a property that refers to an object without `@Relationship`.
  @available(*, unavailable, message: "mark a property that leads to an object with @Relationship")
  public static func attribute<T: ManagedEntity>(
    _ name: String, _ keyPath: any KeyPath<Entity, T?> & Sendable
  ) -> Self {
    toOne(name, keyPath)
  }
}

// MARK: - Relationships

extension ManagedPropertyDescription {
  /// Describes a to-one relationship.
  public static func toOne<T: ManagedEntity>(
    _ name: String, _ keyPath: any KeyPath<Entity, T?> & Sendable, isTransient: Bool = false,
    inverse: (any AnyKeyPath & Sendable)? = nil,
    deleteRule: RelationshipDescription.DeleteRule = .nullify, isOptional: Bool = true,
    minCount: Int = 0, maxCount: Int = 0, originalName: String? = nil
  ) -> Self {
    Self(
      name: name, keyPath: keyPath,
      kind: .relationship(
        RelationshipKind(
          destination: T.self, isToMany: false, isOrdered: false, isTransient: isTransient,
          inverse: inverse, deleteRule: deleteRule, isOptional: isOptional, minCount: minCount,
          maxCount: maxCount, originalName: originalName)))
  }

  /// Describes an ordered to-many relationship.
  public static func toMany<T: ManagedEntity>(
    _ name: String, _ keyPath: any KeyPath<Entity, [T]> & Sendable, isTransient: Bool = false,
    inverse: (any AnyKeyPath & Sendable)? = nil,
    deleteRule: RelationshipDescription.DeleteRule = .nullify, isOptional: Bool = true,
    minCount: Int = 0, maxCount: Int = 0, originalName: String? = nil
  ) -> Self {
    Self(
      name: name, keyPath: keyPath,
      kind: .relationship(
        RelationshipKind(
          destination: T.self, isToMany: true, isOrdered: true, isTransient: isTransient,
          inverse: inverse, deleteRule: deleteRule, isOptional: isOptional, minCount: minCount,
          maxCount: maxCount, originalName: originalName)))
  }

  /// Describes a to-many relationship without an order.
  public static func toMany<T: ManagedEntity>(
    _ name: String, _ keyPath: any KeyPath<Entity, Set<T>> & Sendable, isTransient: Bool = false,
    inverse: (any AnyKeyPath & Sendable)? = nil,
    deleteRule: RelationshipDescription.DeleteRule = .nullify, isOptional: Bool = true,
    minCount: Int = 0, maxCount: Int = 0, originalName: String? = nil
  ) -> Self {
    Self(
      name: name, keyPath: keyPath,
      kind: .relationship(
        RelationshipKind(
          destination: T.self, isToMany: true, isOrdered: false, isTransient: isTransient,
          inverse: inverse, deleteRule: deleteRule, isOptional: isOptional, minCount: minCount,
          maxCount: maxCount, originalName: originalName)))
  }
}

/// Options of an attribute, in addition to its type.
public struct AttributeOptions: OptionSet, Hashable, Sendable {
  /// The bits.
  public let rawValue: Int

  /// Creates a set from its bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Core Data may keep large values in files beside the store.
  public static let allowsExternalBinaryDataStorage = Self(rawValue: 1)
  /// All objects must have different values.
  public static let unique = Self(rawValue: 2)
  /// A store in a file finds and sorts objects by an index of the attribute.
  ///
  /// For several attributes, use the parameter `indexes` of `@Managed`.
  public static let indexed = Self(rawValue: 4)
}
