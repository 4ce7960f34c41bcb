import Basics
public import Foundation
import PredicateSyntax

/// The value of an attribute or an expression.
///
/// Equality is exact and requires the same kind. Strings are equal if they have the same Unicode
/// scalars, without normalization, as in `isEqual:`. Numbers of different kinds are never equal;
/// use ``ordering(_:)`` to compare them.
public enum PropertyValue: Sendable {
  /// No value.
  case null
  /// True or false.
  case bool(Bool)
  /// A whole number, for all integer attribute types.
  case int(Int64)
  /// A floating-point number.
  case double(Double)
  /// Text.
  case string(String)
  /// A point in time.
  case date(Date)
  /// A decimal number.
  indirect case decimal(Decimal)
  /// A UUID.
  indirect case uuid(UUID)
  /// A URL.
  indirect case uri(URL)
  /// Binary data.
  indirect case data(Data)
  /// A reference to a managed object.
  indirect case object(ObjectID)
  /// Several values in order: a list in a script, an aggregate in a predicate.
  indirect case list([PropertyValue])
}

extension PropertyValue {
  /// Whether this is ``null``.
  @inlinable public var isNull: Bool {
    if case .null = self { true } else { false }
  }

  /// The text, if this is a string.
  public var string: String? {
    if case .string(let value) = self { value } else { nil }
  }

  /// The number, if this is an integer.
  public var int: Int64? {
    if case .int(let value) = self { value } else { nil }
  }

  /// The number, if this is a floating-point number or an integer.
  public var double: Double? {
    switch self {
    case .double(let value): value
    case .int(let value): Double(value)
    case .null, .bool, .string, .date, .decimal, .uuid, .uri, .data, .object, .list: nil
    }
  }

  /// The Boolean, if this is one.
  public var bool: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }

  /// The identity, if this is an object.
  public var objectID: ObjectID? {
    if case .object(let id) = self { id } else { nil }
  }

  /// The number, if this is a decimal number or an integer.
  public var decimal: Decimal? {
    switch self {
    case .decimal(let value): value
    case .int(let value): Decimal(value)
    case .null, .bool, .string, .double, .date, .uuid, .uri, .data, .object, .list: nil
    }
  }

  /// The UUID, if this is one.
  public var uuid: UUID? {
    if case .uuid(let value) = self { value } else { nil }
  }

  /// The URL, if this is one.
  public var uri: URL? {
    if case .uri(let value) = self { value } else { nil }
  }

  /// The bytes, if this is binary data.
  public var data: Data? {
    if case .data(let value) = self { value } else { nil }
  }

  /// The values, if this is a list.
  public var list: [PropertyValue]? {
    switch self {
    case .list(let values): values
    case .null, .bool, .int, .string, .double, .date, .decimal, .uuid, .uri, .data, .object: nil
    }
  }

  /// The identities, if this is an object or a list of objects; otherwise empty.
  public var objectIDs: [ObjectID] {
    switch self {
    case .object(let id): [id]
    case .list: (list ?? []).compactMap(\.objectID)
    case .null, .bool, .int, .string, .double, .date, .decimal, .uuid, .uri, .data: []
    }
  }

  /// Returns the value with new numbers of objects.
  package func renumbered(_ new: (ObjectID) -> ObjectID?) -> PropertyValue {
    switch self {
    case .object(let id): .object(new(id) ?? id)
    case .list(let values): .list(values.map { $0.renumbered(new) })
    case .null, .bool, .int, .double, .string, .date, .decimal, .uuid, .uri, .data: self
    }
  }

  /// The date, if this is one.
  public var date: Date? {
    if case .date(let value) = self { value } else { nil }
  }
}

extension PropertyValue: Hashable {
  /// Whether both have the same kind and the same content.
  public static func == (left: PropertyValue, right: PropertyValue) -> Bool {
    switch left {
    case .null: if case .null = right { true } else { false }
    case .bool(let a): if case .bool(let b) = right { a == b } else { false }
    case .int(let a): if case .int(let b) = right { a == b } else { false }
    case .double(let a): if case .double(let b) = right { a == b } else { false }
    case .string(let a): if case .string(let b) = right { a.hasSameScalars(as: b) } else { false }
    case .date(let a): if case .date(let b) = right { a == b } else { false }
    case .decimal(let a): if case .decimal(let b) = right { a == b } else { false }
    case .uuid(let a): if case .uuid(let b) = right { a == b } else { false }
    case .uri(let a): if case .uri(let b) = right { a == b } else { false }
    case .data(let a): if case .data(let b) = right { a == b } else { false }
    case .object(let a): if case .object(let b) = right { a == b } else { false }
    case .list(let a): if case .list(let b) = right { a == b } else { false }
    }
  }

  /// Hashes what equality compares; strings by their bytes.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .bool(let value): hasher.combine(value)
    case .int(let value): hasher.combine(value)
    case .double(let value): hasher.combine(value)
    case .string(let value):
      for byte in value.utf8 { hasher.combine(byte) }
    case .date(let value): hasher.combine(value)
    case .decimal(let value): hasher.combine(value)
    case .uuid(let value): hasher.combine(value)
    case .uri(let value): hasher.combine(value)
    case .data(let value): hasher.combine(value)
    case .object(let value): hasher.combine(value)
    case .list(let value): hasher.combine(value)
    }
  }
}

extension PropertyValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral, ExpressibleByNilLiteral,
  ExpressibleByArrayLiteral
{
  /// Creates a list.
  public init(arrayLiteral elements: PropertyValue...) { self = .list(elements) }
  /// Creates a string.
  public init(stringLiteral value: String) { self = .string(value) }
  /// Creates an integer.
  public init(integerLiteral value: Int64) { self = .int(value) }
  /// Creates a floating-point number.
  public init(floatLiteral value: Double) { self = .double(value) }
  /// Creates a Boolean.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// Creates ``null``.
  public init(nilLiteral: ()) { self = .null }
}

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

/// The result of comparing two values.
public enum ValueOrdering: Int, Sendable {
  /// The first value comes before the second.
  case ascending = -1
  /// The values have the same position.
  case same = 0
  /// The first value comes after the second.
  case descending = 1
}

extension PropertyValue {
  /// Compares two values of comparable kinds.
  ///
  /// Numbers of different kinds compare with each other; Booleans count as 0 and 1. Strings compare
  /// by Unicode scalars. Dates, UUIDs, data and URIs compare only with their own kind. Null is the
  /// smallest value, so it sorts first in ascending order and last in descending order.
  ///
  /// - Returns: Nil if the values have no order, such as a string and a number, or a number and a
  ///   NaN.
  public func ordering(_ other: PropertyValue) -> ValueOrdering? {
    switch (self, other) {
    case (.null, .null): .same
    case (.null, _): .ascending
    case (_, .null): .descending
    case (.int(let a), .int(let b)): Self.order(a, b)
    case (.string(let a), .string(let b)):
      Self.order(a.compareScalars(with: b), 0)
    case (.double(let a), .double(let b)):
      a.isNaN || b.isNaN ? nil : Self.order(a, b)
    case (.date(let a), .date(let b)): Self.order(a, b)
    case (.bool(let a), .bool(let b)): Self.order(a ? 1 : 0, b ? 1 : 0)
    case (.uuid(let a), .uuid(let b)): Self.orderBytes(of: a.uuid, b.uuid)
    case (.data(let a), .data(let b)):
      a.lexicographicallyPrecedes(b) ? .ascending : a == b ? .same : .descending
    case (.uri(let a), .uri(let b)):
      Self.order(a.absoluteString.compareScalars(with: b.absoluteString), 0)
    default: numericOrdering(other)
    }
  }

  /// Compares numbers of different kinds without loss: integers and decimals as decimals, and all
  /// others as floating-point numbers.
  private func numericOrdering(_ other: PropertyValue) -> ValueOrdering? {
    if isDouble || other.isDouble {
      guard let a = nearestDouble, let b = other.nearestDouble, !a.isNaN, !b.isNaN else {
        return nil
      }
      return Self.order(a, b)
    }
    guard let a = number, let b = other.number, !a.isNaN, !b.isNaN else { return nil }
    return Self.order(a, b)
  }

  private var isDouble: Bool {
    if case .double = self { true } else { false }
  }

  /// The floating-point number nearest to a number of any kind.
  private var nearestDouble: Double? {
    switch self {
    case .double(let value): value
    case .int(let value): Double(value)
    case .decimal(let value): value.nearestDouble
    case .bool(let value): value ? 1 : 0
    case .null, .string, .date, .uuid, .uri, .data, .object, .list: nil
    }
  }

  /// The exact number, if this is an integer, a decimal or a Boolean.
  private var number: Decimal? {
    switch self {
    case .int(let value): Decimal(value)
    case .decimal(let value): value
    case .bool(let value): value ? 1 : 0
    case .null, .double, .string, .date, .uuid, .uri, .data, .object, .list: nil
    }
  }

  @inline(__always)
  private static func order<T: Comparable>(_ a: T, _ b: T) -> ValueOrdering {
    a < b ? .ascending : a == b ? .same : .descending
  }

  private static func orderBytes<T>(of a: T, _ b: T) -> ValueOrdering {
    withUnsafeBytes(of: a) { left in
      withUnsafeBytes(of: b) { right in
        left.elementsEqual(right)
          ? .same : left.lexicographicallyPrecedes(right) ? .ascending : .descending
      }
    }
  }
}

extension PropertyValue {
  /// Whether this is not a number, and so has no order among numbers.
  package var isNaN: Bool {
    switch self {
    case .double(let number): number.isNaN
    case .decimal(let number): number.isNaN
    case .null, .bool, .int, .string, .date, .uuid, .uri, .data, .object, .list: false
    }
  }
}

extension String {
  /// Whether both have the same Unicode scalars, without normalisation.
  ///
  /// - Complexity: O(*n*) in the shorter string's UTF-8 length.
  @inline(__always)
  package func hasSameScalars(as other: String) -> Bool {
    utf8.count == other.utf8.count && compareScalars(with: other) == 0
  }

  /// Compares by Unicode scalars, which gives the order of the UTF-8 bytes.
  ///
  /// - Returns: A negative number, 0 or a positive number, like `memcmp`.
  /// - Complexity: O(*n*) in the length of the common prefix.
  @inline(__always)
  package func compareScalars(with other: String) -> Int {
    let fast = utf8.withContiguousStorageIfAvailable { left in
      other.utf8.withContiguousStorageIfAvailable { right in
        left.comparedBytes(with: right)
      }
    }
    if let result = fast ?? nil { return result }
    return Array(utf8).withUnsafeBufferPointer { left in
      Array(other.utf8).withUnsafeBufferPointer { right in left.comparedBytes(with: right) }
    }
  }
}

/// A string that is equal to another only if it has the same Unicode scalars.
///
/// For `String`, é as one scalar equals e followed by an accent. A store and section names treat
/// the two as different.
///
/// The bytes are hashed only once, so that several tables can look it up, grow and shrink without
/// reading them again.
package struct ScalarString: Hashable, Sendable {
  package let string: String
  private let code: Int

  package init(_ string: String) {
    self.string = string
    var copy = string
    var hasher = Hasher()
    copy.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    code = hasher.finalize()
  }

  package static let empty = Self("")

  package static func == (left: Self, right: Self) -> Bool {
    left.code == right.code && left.string.hasSameScalars(as: right.string)
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(code) }
}

extension UnsafeBufferPointer<UInt8> {
  /// Compares like `memcmp`, with a prefix before longer strings.
  @inline(__always)
  package func comparedBytes(with other: UnsafeBufferPointer<UInt8>) -> Int {
    let common = Swift.min(count, other.count)
    if common > 0, let left = baseAddress, let right = other.baseAddress {
      let result = memcmp(left, right, common)
      if result != 0 { return Int(result) }
    }
    return count - other.count
  }
}
