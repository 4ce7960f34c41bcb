public import Foundation

/// What an attribute holds, or an expression gives.
///
/// Equality is exact within a kind: strings are equal when their Unicode
/// scalars are, without normalisation, as `isEqual:` has it; numbers of
/// different kinds are never equal. ``ordering(_:)`` compares across numbers.
public enum Value: Sendable {
  case null
  case bool(Bool)
  case int(Int64)
  case double(Double)
  case string(String)
  case date(Date)
  indirect case decimal(Decimal)
  indirect case uuid(UUID)
  indirect case uri(URL)
  indirect case data(Data)
  /// A reference to a managed object.
  indirect case object(ObjectID)
  /// Several values in order: a list in a script, an aggregate in a predicate.
  indirect case list([Value])
}

extension Value {
  /// Whether this is ``null``.
  public var isNull: Bool {
    if case .null = self { true } else { false }
  }

  /// The text, where this is a string.
  public var string: String? {
    if case .string(let value) = self { value } else { nil }
  }

  /// The number, where this is an integer.
  public var int: Int64? {
    if case .int(let value) = self { value } else { nil }
  }

  /// The number, where this is a floating-point number or an integer.
  public var double: Double? {
    switch self {
    case .double(let value): value
    case .int(let value): Double(value)
    case .null, .bool, .string, .date, .decimal, .uuid, .uri, .data, .object, .list: nil
    }
  }

  /// The truth value, where this is a Boolean.
  public var bool: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }

  /// The date, where this is one.
  public var date: Date? {
    if case .date(let value) = self { value } else { nil }
  }
}

extension Value: Hashable {
  /// Whether both are of one kind and hold the same.
  public static func == (left: Value, right: Value) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let a), .bool(let b)): a == b
    case (.int(let a), .int(let b)): a == b
    case (.double(let a), .double(let b)): a == b
    case (.string(let a), .string(let b)): a.hasSameScalars(as: b)
    case (.date(let a), .date(let b)): a == b
    case (.decimal(let a), .decimal(let b)): a == b
    case (.uuid(let a), .uuid(let b)): a == b
    case (.uri(let a), .uri(let b)): a == b
    case (.data(let a), .data(let b)): a == b
    case (.object(let a), .object(let b)): a == b
    case (.list(let a), .list(let b)): a == b
    case (.null, _), (.bool, _), (.int, _), (.double, _), (.string, _), (.date, _),
      (.decimal, _), (.uuid, _), (.uri, _), (.data, _), (.object, _), (.list, _):
      false
    }
  }

  /// Feeds what equality compares; strings by their bytes.
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

extension Value: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral, ExpressibleByNilLiteral
{
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
