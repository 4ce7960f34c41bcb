import FetchedResults

/// A property of an entity.
open class NSPropertyDescription: NSObject, @unchecked Sendable {
  /// The name, which is the key of an object's value.
  open var name = ""
  /// Whether an object can be saved without a value.
  open var isOptional = true
  /// Whether the value is not stored.
  open var isTransient = false
  /// The entity that the property belongs to.
  open internal(set) weak var entity: NSEntityDescription?
  /// The conditions on a value.
  open private(set) var validationPredicates: [NSPredicate] = []
  /// The error codes for the conditions.
  open private(set) var validationWarnings: [Any] = []
  /// Additional information from the author of the model.
  open var userInfo: [AnyHashable: Any]?

  /// Sets the conditions on a value, and the error codes for values that do not meet them.
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
  /// Whether a store may keep its values in separate files.
  open var allowsExternalBinaryDataStorage = false

  func engine() throws -> AttributeDescription {
    let type = attributeType.engine
    return try AttributeDescription(
      name: name, type: type, isOptional: isOptional,
      defaultValue: PropertyValue(given: defaultValue, for: type), limits: limits(of: type),
      isTransient: isTransient, allowsExternalBinaryDataStorage: allowsExternalBinaryDataStorage)
  }

  /// Returns the limits in the validation predicates of Xcode's model editor.
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
    // A date or a decimal is written as CAST(seconds, "NSDate").
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
  /// The destination entity.
  open weak var destinationEntity: NSEntityDescription?
  /// The inverse relationship.
  open weak var inverseRelationship: NSRelationshipDescription?
  /// The largest number of related objects; 0 for no limit.
  open var maxCount = 0
  /// The smallest number of related objects, if there are any.
  open var minCount = 0
  /// What happens to related objects when the object is deleted.
  open var deleteRule = NSDeleteRule.nullifyDeleteRule
  /// Whether it can lead to more than one object.
  open var isToMany: Bool { maxCount != 1 }
  /// Whether its objects are ordered.
  open var isOrdered = false

  func engine() -> RelationshipDescription {
    RelationshipDescription(
      name: name, destination: destinationEntity?.name ?? "", inverse: inverseRelationship?.name,
      isToMany: isToMany, isOrdered: isOrdered, isOptional: isOptional, minCount: minCount,
      maxCount: maxCount, deleteRule: deleteRule.engine, isTransient: isTransient)
  }
}
