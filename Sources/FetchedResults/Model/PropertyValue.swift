public import Foundation

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
