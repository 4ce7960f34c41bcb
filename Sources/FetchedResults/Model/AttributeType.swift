import Foundation

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
