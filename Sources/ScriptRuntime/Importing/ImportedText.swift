import FetchedResults
import Foundation
import ScriptSyntax

extension AttributeType {
  /// Parses a value as files write it.
  ///
  /// Booleans are `true`, `false`, `YES`, `NO`, `1` or `0`. Dates are written as in scripts,
  /// without the `@`. Data is base64.
  ///
  /// - Returns: Nil if the text is not a value of the type.
  func value(imported text: String) -> PropertyValue? {
    switch self {
    case .string: .string(text)
    case .boolean: Self.truth(of: text).map(PropertyValue.bool)
    case .integer16, .integer32, .integer64: Int64(text).flatMap { value(from: .int($0)) }
    case .double, .float:
      Double(text).flatMap { $0.isFinite ? value(from: .double($0)) : nil }
    case .decimal: Decimal(wholeText: text).map(PropertyValue.decimal)
    case .date: DateLiteral(text).map { .date(Date($0)) }
    case .uuid: UUID(uuidString: text).map(PropertyValue.uuid)
    case .uri: URL(string: text).map(PropertyValue.uri)
    case .binaryData: Data(base64Encoded: text).map(PropertyValue.data)
    }
  }

  private static func truth(of text: String) -> Bool? {
    switch text.lowercased() {
    case "true", "yes", "1": true
    case "false", "no", "0": false
    default: nil
    }
  }
}

/// A value in a JSON object for an attribute.
enum ImportedScalar: Decodable {
  case null
  case bool(Bool)
  case int(Int64)
  /// A number, with all its digits if there are not too many.
  case double(Double, exact: Decimal?)
  case string(String)

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let truth = try? container.decode(Bool.self) {
      self = .bool(truth)
    } else if let number = try? container.decode(Double.self) {
      // The decoder of integers cuts off the decimals of a long number.
      let exact = try? container.decode(Decimal.self)
      let integer = exact.flatMap { Int64($0.description) }
      self = integer.map(Self.int) ?? .double(number, exact: exact)
    } else {
      self = .string(try container.decode(String.self))
    }
  }

  /// Returns the value converted to an attribute's type; nil if it does not fit.
  func value(of type: AttributeType) -> PropertyValue? {
    switch self {
    case .null: .null
    case .bool(let truth): type.value(from: .bool(truth))
    case .int(let number):
      type == .boolean ? type.value(imported: "\(number)") : type.value(from: .int(number))
    case .double(let number, let exact):
      type.value(
        from: type == .decimal
          ? exact.map(PropertyValue.decimal) ?? .double(number) : .double(number))
    case .string(let text): type.value(imported: text)
    }
  }

  /// The value as messages show it.
  var excerpt: String {
    switch self {
    case .null: "null"
    case .bool(let truth): "\(truth)"
    case .int(let number): "\(number)"
    case .double(let number, _): "\(number)"
    case .string(let text): "'\(text.prefix(40))'"
    }
  }
}
