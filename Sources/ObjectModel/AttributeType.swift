import Foundation

/// The kind of an attribute's values.
public enum AttributeType: String, Sendable, CaseIterable {
  case string = "String"
  case integer16 = "Int16"
  case integer32 = "Int32"
  case integer64 = "Int64"
  case double = "Double"
  case float = "Float"
  case decimal = "Decimal"
  case boolean = "Bool"
  case date = "Date"
  case uuid = "UUID"
  case uri = "URI"
  case binaryData = "Data"

  /// Returns the value as an attribute of this type holds it.
  ///
  /// Null fits every type. Numbers fit where no digit is lost on the left of
  /// the point: an integer fits a wider or a floating type, a Boolean only
  /// itself. A URI may be given as a string.
  ///
  /// - Returns: Nil where the value does not fit.
  public func value(from value: PropertyValue) -> PropertyValue? {
    switch (self, value) {
    case (_, .null): .null
    case (.string, .string), (.integer64, .int), (.boolean, .bool), (.date, .date),
      (.double, .double), (.decimal, .decimal), (.uuid, .uuid), (.uri, .uri),
      (.binaryData, .data):
      value
    // A plain nil beside a value would be the null value, which fits.
    case (.integer16, .int(let number)): Int16(exactly: number).map { .int(Int64($0)) }
    case (.integer32, .int(let number)): Int32(exactly: number).map { .int(Int64($0)) }
    case (.double, .int(let number)): .double(Double(number))
    case (.float, .int(let number)): .double(Double(Float(number)))
    case (.float, .double(let number)):
      Float(number).isFinite ? .some(.double(Double(Float(number)))) : .none
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
}
