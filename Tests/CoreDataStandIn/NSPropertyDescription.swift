import FetchedResults

/// A property of an entity.
open class NSPropertyDescription: NSObject, @unchecked Sendable {
  /// The name by which an object has the value.
  open var name = ""
  /// Whether a save accepts an object without a value.
  open var isOptional = true
  /// Whether no store keeps the value.
  open var isTransient = false
  /// The entity whose property this is.
  open internal(set) weak var entity: NSEntityDescription?
  /// What a value must match.
  open private(set) var validationPredicates: [NSPredicate] = []
  /// The error codes of the predicates.
  open private(set) var validationWarnings: [Any] = []
  /// What the model's author noted.
  open var userInfo: [AnyHashable: Any]?

  /// Sets what a value must match, and the error codes of values that do not.
  open func setValidationPredicates(
    _ predicates: [NSPredicate]?, withValidationWarnings warnings: [String]?
  ) {
    validationPredicates = predicates ?? []
    validationWarnings = warnings ?? []
  }
}

/// The types of attributes.
public enum NSAttributeType: UInt, Sendable {
  case undefinedAttributeType = 0
  case integer16AttributeType = 100
  case integer32AttributeType = 200
  case integer64AttributeType = 300
  case decimalAttributeType = 400
  case doubleAttributeType = 500
  case floatAttributeType = 600
  case stringAttributeType = 700
  case booleanAttributeType = 800
  case dateAttributeType = 900
  case binaryDataAttributeType = 1000
  case UUIDAttributeType = 1100
  case URIAttributeType = 1200
  case transformableAttributeType = 1800
  case objectIDAttributeType = 2000

  var engine: AttributeType {
    switch self {
    case .integer16AttributeType: .integer16
    case .integer32AttributeType: .integer32
    case .integer64AttributeType: .integer64
    case .decimalAttributeType: .decimal
    case .doubleAttributeType: .double
    case .floatAttributeType: .float
    case .stringAttributeType: .string
    case .booleanAttributeType: .boolean
    case .dateAttributeType: .date
    case .binaryDataAttributeType: .binaryData
    case .UUIDAttributeType: .uuid
    case .URIAttributeType: .uri
    case .undefinedAttributeType, .transformableAttributeType, .objectIDAttributeType:
      preconditionFailure("the stand-in has no attributes of the type \(self)")
    }
  }
}

/// An attribute of an entity.
open class NSAttributeDescription: NSPropertyDescription, @unchecked Sendable {
  /// The type of its values.
  open var attributeType = NSAttributeType.undefinedAttributeType
  /// The value of a new object.
  open var defaultValue: Any?
  /// Whether a store may keep its values in files of their own.
  open var allowsExternalBinaryDataStorage = false

  func engine() throws -> AttributeDescription {
    let type = attributeType.engine
    return try AttributeDescription(
      name: name, type: type, isOptional: isOptional,
      defaultValue: PropertyValue(given: defaultValue, for: type), limits: limits(of: type),
      isTransient: isTransient, allowsExternalBinaryDataStorage: allowsExternalBinaryDataStorage)
  }

  /// The limits that the validation predicates of a model's editor say.
  private func limits(of type: AttributeType) -> AttributeDescription.Limits {
    var limits = AttributeDescription.Limits()
    for predicate in validationPredicates {
      let format = predicate.predicateFormat
      guard let space = format.lastRange(of: " >= ") ?? format.lastRange(of: " <= ") else {
        if let start = format.range(of: "SELF MATCHES \"")?.upperBound {
          limits.pattern = String(format[start...].dropLast())
            .replacingOccurrences(of: "\\\\", with: "\\")
        }
        continue
      }
      let value = Self.limit(String(format[space.upperBound...]), of: type)
      if format[space] == " >= " { limits.minimum = value } else { limits.maximum = value }
    }
    return limits
  }

  private static func limit(_ text: String, of type: AttributeType) -> PropertyValue {
    // A date, a decimal: CAST(seconds, "NSDate").
    let number = text.replacingOccurrences(of: "CAST(", with: "").prefix { $0 != "," }
      .replacingOccurrences(of: "\"", with: "")
    switch type {
    case .date:
      return Double(number).map { .date(Date(timeIntervalSinceReferenceDate: $0)) } ?? .null
    case .decimal: return Decimal(string: number).map { .decimal($0) } ?? .null
    case .double, .float: return Double(number).map { .double($0) } ?? .null
    case .integer16, .integer32, .integer64, .string, .boolean, .uuid, .uri, .binaryData:
      return Int64(number).map { .int($0) } ?? .null
    }
  }
}

extension String {
  fileprivate func lastRange(of text: String) -> Range<Index>? {
    range(of: text, options: .backwards)
  }
}

/// What happens to related objects when an object is deleted.
public enum NSDeleteRule: UInt, Sendable {
  case noActionDeleteRule = 0
  case nullifyDeleteRule = 1
  case cascadeDeleteRule = 2
  case denyDeleteRule = 3

  var engine: RelationshipDescription.DeleteRule {
    switch self {
    case .noActionDeleteRule: .noAction
    case .nullifyDeleteRule: .nullify
    case .cascadeDeleteRule: .cascade
    case .denyDeleteRule: .deny
    }
  }
}

/// A relationship of an entity.
open class NSRelationshipDescription: NSPropertyDescription, @unchecked Sendable {
  /// The entity of the objects that it leads to.
  open weak var destinationEntity: NSEntityDescription?
  /// The relationship that leads back.
  open weak var inverseRelationship: NSRelationshipDescription?
  /// The most objects that it leads to; 0 for no limit.
  open var maxCount = 0
  /// The fewest objects that it leads to, if to any.
  open var minCount = 0
  /// What happens to its objects when the owner is deleted.
  open var deleteRule = NSDeleteRule.nullifyDeleteRule
  /// Whether it may lead to more than one object.
  open var isToMany: Bool { maxCount != 1 }
  /// Whether its objects have an order.
  open var isOrdered = false

  func engine() -> RelationshipDescription {
    RelationshipDescription(
      name: name, destination: destinationEntity?.name ?? "", inverse: inverseRelationship?.name,
      isToMany: isToMany, isOrdered: isOrdered, isOptional: isOptional, minCount: minCount,
      maxCount: maxCount, deleteRule: deleteRule.engine, isTransient: isTransient)
  }
}
