import Foundation

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
