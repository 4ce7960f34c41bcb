import Basics
import Foundation
import PredicateSyntax

extension PropertyValue: CustomStringConvertible {
  /// The value in a readable form: strings without quotes, dates as ISO 8601 in UTC, Booleans as
  /// `true` and `false`, null as `nil`, data as base64.
  public var description: String {
    switch self {
    case .null: "nil"
    case .bool(let value): value ? "true" : "false"
    case .int(let value): String(value)
    case .double(let value): value.description
    case .string(let value): value
    case .date(let value): value.utcDescription
    case .decimal(let value): value.description
    case .uuid(let value): value.uuidString
    case .uri(let value): value.absoluteString
    case .data(let value): value.base64EncodedString()
    case .object(let value): value.description
    case .list(let values):
      "[" + values.map(\.quotedDescription).joined(separator: ", ") + "]"
    }
  }

  /// The description, with quotes and escapes if the value is a string.
  public var quotedDescription: String {
    guard case .string(let text) = self else { return description }
    return text.quoted
  }
}

extension String {
  /// The text in double quotes, with quotes, backslashes and unprintable characters escaped.
  package var quoted: String {
    // Most texts need no escapes.
    if utf8.allSatisfy({ (0x20..<0x7F).contains($0) && $0 != 0x22 && $0 != 0x5C }) {
      var result = "\""
      result += self
      result += "\""
      return result
    }
    var result = "\""
    for scalar in unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case _ where scalar.isControl:
        result += "\\u{" + String(scalar.value, radix: 16) + "}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}

extension Date {
  /// The date as ISO 8601 in UTC, with milliseconds only if there are any.
  package var utcDescription: String {
    let whole = timeIntervalSinceReferenceDate == timeIntervalSinceReferenceDate.rounded()
    // The format style rounds down, and a whole millisecond may be stored as slightly less.
    let nearest = (timeIntervalSinceReferenceDate * 1000).rounded() / 1000 + 0.000_1
    return (whole ? self : Date(timeIntervalSinceReferenceDate: nearest)).formatted(
      Date.ISO8601FormatStyle(includingFractionalSeconds: !whole, timeZone: .gmt))
  }
}
