public import Foundation

/// What can be given for an `%@`, a `%K` or a number of a format string.
public protocol PredicateArgument {
  /// The value that a predicate compares with.
  var predicateValue: Value { get }
}

extension Value: PredicateArgument {
  /// The value itself.
  public var predicateValue: Value { self }
}

extension String: PredicateArgument {
  /// A string.
  public var predicateValue: Value { .string(self) }
}

extension PredicateArgument where Self: BinaryInteger {
  /// An integer, or a decimal where it does not fit 64 bits.
  public var predicateValue: Value {
    Int64(exactly: self).map(Value.int) ?? .decimal(Decimal(string: description) ?? .nan)
  }
}

extension Int: PredicateArgument {}
extension Int8: PredicateArgument {}
extension Int16: PredicateArgument {}
extension Int32: PredicateArgument {}
extension Int64: PredicateArgument {}
extension UInt: PredicateArgument {}
extension UInt8: PredicateArgument {}
extension UInt16: PredicateArgument {}
extension UInt32: PredicateArgument {}
extension UInt64: PredicateArgument {}

extension Double: PredicateArgument {
  /// A floating-point number.
  public var predicateValue: Value { .double(self) }
}

extension Float: PredicateArgument {
  /// A floating-point number.
  public var predicateValue: Value { .double(Double(self)) }
}

extension Bool: PredicateArgument {
  /// A Boolean.
  public var predicateValue: Value { .bool(self) }
}

extension Date: PredicateArgument {
  /// A date.
  public var predicateValue: Value { .date(self) }
}

extension UUID: PredicateArgument {
  /// A UUID.
  public var predicateValue: Value { .uuid(self) }
}

extension URL: PredicateArgument {
  /// A URI.
  public var predicateValue: Value { .uri(self) }
}

extension Data: PredicateArgument {
  /// Binary data.
  public var predicateValue: Value { .data(self) }
}

extension Decimal: PredicateArgument {
  /// A decimal number.
  public var predicateValue: Value { .decimal(self) }
}

extension ObjectID: PredicateArgument {
  /// A reference to the object.
  public var predicateValue: Value { .object(self) }
}

extension Optional: PredicateArgument where Wrapped: PredicateArgument {
  /// The value, or null for nil.
  public var predicateValue: Value { self?.predicateValue ?? .null }
}

extension Array: PredicateArgument where Element: PredicateArgument {
  /// A list.
  public var predicateValue: Value { .list(map(\.predicateValue)) }
}

extension Set: PredicateArgument where Element: PredicateArgument {
  /// A list, in an order that depends on the elements alone.
  public var predicateValue: Value {
    .list(
      map(\.predicateValue).sorted { left, right in
        let order = left.ordering(right).map(\.rawValue)
        return order.map { $0 < 0 } ?? (left.description < right.description)
      })
  }
}
