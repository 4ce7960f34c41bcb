import Foundation

extension ModelBuilder {
  /// Creates an attribute, or notes that its type is not supported.
  mutating func attribute(
    _ element: ModelElement, of entity: String
  ) throws(ModelFileError) -> AttributeDescription? {
    guard let name = element.given("name") else {
      notes.add("properties without a name are left out", "\(entity), line \(element.line)")
      return nil
    }
    let path = "\(entity).\(name)"
    noteVersionModifier(of: element, path)
    // Xcode calls this type Undefined. Core Data accepts it only for transient attributes.
    guard let typeName = element.given("attributeType"), typeName != "Undefined" else {
      notes.add("attributes without a type are left out", path)
      return nil
    }
    guard let type = AttributeType(modelName: typeName) else {
      notes.add("\(typeName) attributes are left out", path)
      return nil
    }
    // A transformer creates objects of the app's own classes from the bytes.
    if typeName == Self.transformable {
      notes.add("Transformable attributes are kept as bytes", path)
    }
    var expression: AttributeExpression?
    if element.says("derived") {
      expression = element["derivationExpression"].flatMap {
        try? AttributeExpression(derivation: $0)
      }
      if expression == nil { notes.add("derivations cannot be read", path) }
    }
    let limits = AttributeDescription.Limits(
      minimum: value("minValueString", "minDateTimeInterval", of: element, type.ofLimits, path),
      maximum: value("maxValueString", "maxDateTimeInterval", of: element, type.ofLimits, path),
      pattern: type == .string ? element["regularExpressionString"] : nil)
    do throws(ModelError) {
      return try AttributeDescription(
        name: name, type: type, isOptional: element.says("optional"),
        defaultValue: value(
          "defaultValueString", "defaultDateTimeInterval", of: element, type, path),
        limits: limits, isTransient: element.says("transient"), expression: expression,
        allowsExternalBinaryDataStorage: element.says("allowsExternalBinaryDataStorage"),
        renamingIdentifier: element.given("elementID"))
    } catch {
      throw ModelFileError.model(error)
    }
  }

  /// The type of values that an app converts to and from bytes.
  fileprivate static let transformable = "Transformable"

  /// Reads a value from one of two XML attributes: one for dates, the other for all other types.
  private mutating func value(
    _ plain: String, _ interval: String, of element: ModelElement, _ type: AttributeType,
    _ path: String
  ) -> PropertyValue {
    guard let text = element[type == .date ? interval : plain] else { return .null }
    if let value = type.value(modelText: text) { return value }
    notes.add("values that cannot be read are left out", "\(path) \(text.quoted)")
    return .null
  }
}

extension AttributeType {
  /// Creates a type from its name in model files.
  fileprivate init?(modelName: String) {
    switch modelName {
    case "String": self = .string
    case "Integer 16": self = .integer16
    case "Integer 32": self = .integer32
    case "Integer 64": self = .integer64
    case "Double": self = .double
    case "Float": self = .float
    case "Decimal": self = .decimal
    case "Boolean": self = .boolean
    case "Date": self = .date
    case "UUID": self = .uuid
    case "URI": self = .uri
    case "Binary", ModelBuilder.transformable: self = .binaryData
    default: return nil
    }
  }

  /// The type of limits for values of this type.
  fileprivate var ofLimits: AttributeType { self == .string ? .integer64 : self }

  /// Reads a value in the format of model files.
  ///
  /// A number may be a Boolean and the reverse. Xcode accepts both, also after the attribute's type
  /// was changed.
  fileprivate func value(modelText text: String) -> PropertyValue? {
    let truth: Bool? =
      switch text.uppercased() {
      case "YES", "TRUE": true
      case "NO", "FALSE": false
      default: nil
      }
    switch self {
    case .string: return .string(text)
    case .boolean: return (truth ?? Double(text).map { $0 != 0 }).map(PropertyValue.bool)
    case .integer16, .integer32, .integer64:
      // Xcode writes some whole numbers with a decimal point.
      let number =
        truth.map { $0 ? 1 : 0 } ?? Int64(text) ?? Double(text).flatMap { Int64(exactly: $0) }
      return number.flatMap { value(from: .int($0)) }
    case .double, .float:
      return (truth.map { $0 ? 1 : 0 } ?? Double(text)).flatMap { value(from: .double($0)) }
    case .decimal:
      return (truth.map { $0 ? 1 : 0 } ?? Decimal(wholeText: text)).map(PropertyValue.decimal)
    case .date: return Double(text).map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
    case .uuid: return UUID(uuidString: text).map(PropertyValue.uuid)
    case .uri: return URL(string: text).map(PropertyValue.uri)
    case .binaryData: return Data(base64Encoded: text).map(PropertyValue.data)
    }
  }
}
