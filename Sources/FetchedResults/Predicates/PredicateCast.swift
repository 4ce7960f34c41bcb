import Foundation

/// Converts values for `CAST(value, "NSDate")`.
package enum PredicateCast {
  /// - Throws: ``InvalidPredicateError`` for an unknown type, or a value that cannot be converted.
  static func cast(
    _ value: PredicateValue, to type: String
  ) throws(InvalidPredicateError) -> PredicateValue {
    guard let scalar = value.scalar else { throw InvalidPredicateError.badCast(value, to: type) }
    if scalar.isNull { return .null }
    let result: PropertyValue? =
      switch type {
      case "NSDate": date(of: scalar).map(PropertyValue.date)
      case "NSNumber": number(of: scalar)
      case "NSDecimalNumber": decimal(of: scalar).map(PropertyValue.decimal)
      case "NSString": .string(string(of: scalar))
      case "NSUUID": scalar.string.flatMap(UUID.init(uuidString:)).map(PropertyValue.uuid)
      case "NSURL": scalar.string.flatMap(URL.init(string:)).map(PropertyValue.uri)
      case "NSData": scalar.string.flatMap { Data(base64Encoded: $0) }.map(PropertyValue.data)
      case "Class": scalar.string.map(PropertyValue.string)
      default: nil
      }
    guard let result else { throw InvalidPredicateError.badCast(value, to: type) }
    return .value(result)
  }

  /// Returns the value's `description`: 1 or 0 for a Boolean, and only the digits for a whole
  /// number.
  package static func string(of value: PropertyValue) -> String {
    switch value {
    case .bool(let truth): return truth ? "1" : "0"
    case .double(let number):
      let text = number.description
      return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    case .null, .int, .string, .date, .decimal, .uuid, .uri, .data, .object, .list:
      return value.description
    }
  }

  /// Returns a date.
  ///
  /// A number counts seconds since 2001, and a string is in ISO 8601 format.
  private static func date(of value: PropertyValue) -> Date? {
    if let date = value.date { return date }
    if let text = value.string {
      if let date = try? Date(text, strategy: .iso8601) { return date }
      let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
      return try? Date(text, strategy: style)
    }
    return PredicateArithmetic.Number(.value(value)).map {
      Date(timeIntervalSinceReferenceDate: $0.double)
    }
  }

  private static func number(of value: PropertyValue) -> PropertyValue? {
    switch value {
    case .int, .double, .decimal, .bool: value
    case .date(let date): .double(date.timeIntervalSinceReferenceDate)
    case .string(let text):
      Int64(text).map(PropertyValue.int) ?? Double(text).map(PropertyValue.double)
    case .null, .uuid, .uri, .data, .object, .list: nil
    }
  }

  private static func decimal(of value: PropertyValue) -> Decimal? {
    switch value {
    case .decimal(let number): number
    case .int(let number): Decimal(number)
    case .double(let number): Decimal(wholeText: number.description)
    case .string(let text): text == "NaN" ? .nan : Decimal(string: text)
    case .null, .bool, .date, .uuid, .uri, .data, .object, .list: nil
    }
  }

  /// Returns what `intValue` and `doubleValue` return: the number at the start of a string, or 0.
  static func number(
    of value: PropertyValue, asInteger: Bool
  ) throws(InvalidPredicateError) -> PredicateValue {
    let number: Double
    if let text = value.string {
      let digits = text.drop(while: \.isWhitespace).prefix { "+-0123456789.eE".contains($0) }
      number = (digits as Substring).longestNumber
    } else if let scalar = PredicateArithmetic.Number(.value(value)) {
      if asInteger, case .int = scalar { return scalar.value }
      number = scalar.double
    } else {
      throw InvalidPredicateError.notNumber(
        .value(value), in: asInteger ? "intValue" : "doubleValue")
    }
    guard asInteger else { return .value(.double(number)) }
    return .value(.int(Int64(exactly: number.rounded(.towardZero)) ?? 0))
  }
}

extension Substring {
  fileprivate var longestNumber: Double {
    var text = self
    while !text.isEmpty {
      if let number = Double(text) { return number }
      text.removeLast()
    }
    return 0
  }
}
