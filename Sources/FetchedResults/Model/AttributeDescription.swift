import Foundation

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

/// The type of an attribute's values.
public enum AttributeType: String, Sendable, CaseIterable {
  /// Text, held as ``PropertyValue/string(_:)``.
  case string = "String"
  /// A whole number of 16 bits, held as ``PropertyValue/int(_:)``.
  case integer16 = "Int16"
  /// A whole number of 32 bits, held as ``PropertyValue/int(_:)``.
  case integer32 = "Int32"
  /// A whole number of 64 bits, held as ``PropertyValue/int(_:)``.
  case integer64 = "Int64"
  /// A floating-point number of 64 bits, held as ``PropertyValue/double(_:)``.
  case double = "Double"
  /// A floating-point number of 32 bits, held as ``PropertyValue/double(_:)``.
  case float = "Float"
  /// A decimal number of up to 38 digits, held as ``PropertyValue/decimal(_:)``.
  case decimal = "Decimal"
  /// True or false, held as ``PropertyValue/bool(_:)``.
  case boolean = "Bool"
  /// A point in time, held as ``PropertyValue/date(_:)``.
  case date = "Date"
  /// A UUID, held as ``PropertyValue/uuid(_:)``.
  case uuid = "UUID"
  /// A URL, held as ``PropertyValue/uri(_:)``.
  case uri = "URI"
  /// Binary data, held as ``PropertyValue/data(_:)``.
  case binaryData = "Data"

  /// Returns the value in the form that an attribute of this type holds.
  ///
  /// Null fits every type. A number fits if no digit before the decimal point is lost: an integer
  /// fits a wider integer type and the types with fractions. A Boolean fits only a Boolean
  /// attribute. A string can be given for a URI.
  ///
  /// - Returns: Nil if the value does not fit.
  public func value(from value: PropertyValue) -> PropertyValue? {
    switch (self, value) {
    case (_, .null): .null
    case (.string, .string), (.integer64, .int), (.boolean, .bool), (.date, .date),
      (.double, .double), (.decimal, .decimal), (.uuid, .uuid), (.uri, .uri),
      (.binaryData, .data):
      value
    // A failed conversion must give no value at all. A nil here would become the null value, which
    // fits.
    case (.integer16, .int(let number)): Int16(exactly: number).map { .int(Int64($0)) }
    case (.integer32, .int(let number)): Int32(exactly: number).map { .int(Int64($0)) }
    case (.double, .int(let number)): .double(Double(number))
    case (.float, .int(let number)): .double(Double(Float(number)))
    // Infinity and NaN are Floats, too.
    case (.float, .double(let number)):
      Float(number).isFinite || !number.isFinite ? .some(.double(Double(Float(number)))) : .none
    case (.float, .decimal(let number)): self.value(from: .double(number.nearestDouble))
    case (.decimal, .int(let number)): .decimal(Decimal(number))
    case (.decimal, .double(let number)):
      Decimal(wholeText: number.description).map(PropertyValue.decimal)
    case (.double, .decimal(let number)): .double(number.nearestDouble)
    case (.uri, .string(let text)): URL(string: text).map(PropertyValue.uri)
    default: nil
    }
  }

  /// Whether the values are numbers.
  public var isNumeric: Bool {
    switch self {
    case .integer16, .integer32, .integer64, .double, .float, .decimal: true
    case .string, .boolean, .date, .uuid, .uri, .binaryData: false
    }
  }

  /// How many bits a number has; 64 for values that are no numbers of a fixed size.
  var bitCount: Int {
    switch self {
    case .integer16: 16
    case .integer32, .float: 32
    case .integer64, .double, .decimal, .string, .boolean, .date, .uuid, .uri, .binaryData: 64
    }
  }
}

/// An expression that computes an attribute's value from the values of its object.
public struct AttributeExpression: Sendable {
  /// The text of the expression as it was written.
  public let text: String
  /// Returns the value for an object.
  ///
  /// A value that is not of the attribute's type counts as null.
  public let evaluate: @Sendable (ObjectValues) -> PropertyValue
  /// What the expression reads, as far as it is known.
  let keyPaths: [String]
  /// Returns why objects of an entity can have no value; nil if they can, or if that is unknown.
  let problem: @Sendable (EntityDescription) -> String?

  /// Creates an expression.
  ///
  /// - Parameters:
  ///   - text: The expression as people read it.
  ///   - keyPaths: What `evaluate` reads of related objects, such as `author.name`. A controller with
  ///     ``FetchedResultsController/tracksRelatedObjects`` needs it if the attribute is its section
  ///     key path.
  ///   - evaluate: Returns the value for an object.
  public init(
    _ text: String, keyPaths: [String] = [],
    evaluate: @escaping @Sendable (ObjectValues) -> PropertyValue
  ) {
    self.init(text, keyPaths: keyPaths, problem: { _ in nil }, evaluate: evaluate)
  }

  init(
    _ text: String, keyPaths: [String] = [],
    problem: @escaping @Sendable (EntityDescription) -> String?,
    evaluate: @escaping @Sendable (ObjectValues) -> PropertyValue
  ) {
    self.text = text
    self.keyPaths = keyPaths
    self.problem = problem
    self.evaluate = evaluate
  }
}

/// An object's values at one moment, read by key.
///
/// Not `Sendable`; see ``PersistentStoreCoordinator``.
public struct ObjectValues {
  /// The object.
  public let objectID: ObjectID
  package let snapshot: ObjectSnapshot
  package let graph: (any ObjectGraph)?

  package init(objectID: ObjectID, snapshot: ObjectSnapshot, graph: (any ObjectGraph)?) {
    self.objectID = objectID
    self.snapshot = snapshot
    self.graph = graph
  }

  /// Returns the value of an attribute or a relationship; nil if the entity has no such key.
  public func value(forKey key: String) -> PropertyValue? {
    guard let index = objectID.entity.propertyIndex(named: key) else { return nil }
    return value(at: index)
  }

  /// Returns the value of the property at an index.
  ///
  /// A transient attribute's value is computed.
  package func value(at index: Int) -> PropertyValue {
    let entity = objectID.entity
    guard entity.hasExpressions, index < entity.attributes.count,
      let expression = entity.attributes[index].transientExpression
    else { return snapshot[index] }
    return entity.attributes[index].type.value(from: expression.evaluate(self)) ?? .null
  }

  /// Returns the values of the object that a to-one relationship leads to.
  package func values(of id: ObjectID) -> ObjectValues? {
    guard let snapshot = graph?.currentSnapshot(of: id) else { return nil }
    return ObjectValues(objectID: id, snapshot: snapshot, graph: graph)
  }
}

extension ObjectGraph {
  /// Nil, because the objects may not belong to a context.
  package var owner: AnyObject? { nil }

  /// The system's environment, because no other is known.
  package var environment: EvaluationEnvironment { EvaluationEnvironment() }

  /// True, because nothing is known about it.
  package func knowsUnsavedObjects(of root: EntityDescription) -> Bool { true }
}

/// A place to look up related objects.
package protocol ObjectGraph: AnyObject {
  /// The context that the objects belong to, whose type this target does not know.
  var owner: AnyObject? { get }

  /// The environment for expressions that are evaluated on these objects.
  var environment: EvaluationEnvironment { get }

  /// Returns an object's current values; nil if it does not exist.
  func currentSnapshot(of id: ObjectID) -> ObjectSnapshot?

  /// Whether objects of a root entity may have other values here than in the store.
  func knowsUnsavedObjects(of root: EntityDescription) -> Bool
}
