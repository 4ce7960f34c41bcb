import Basics
public import Foundation

/// A type whose values can be arguments for `%@`, `%K` or a number in a format string.
public protocol PredicateArgument {
  /// The value that a predicate compares with.
  var predicateValue: PropertyValue { get }
}

extension PropertyValue: PredicateArgument {
  /// The value itself.
  public var predicateValue: PropertyValue { self }
}

extension String: PredicateArgument {
  /// A string.
  public var predicateValue: PropertyValue { .string(self) }
}

extension PredicateArgument where Self: BinaryInteger {
  /// An integer, or a decimal if it does not fit into 64 bits.
  public var predicateValue: PropertyValue {
    Int64(exactly: self).map(PropertyValue.int) ?? .decimal(Decimal(string: description) ?? .nan)
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
  public var predicateValue: PropertyValue { .double(self) }
}

extension Float: PredicateArgument {
  /// A floating-point number.
  public var predicateValue: PropertyValue { .double(Double(self)) }
}

extension Bool: PredicateArgument {
  /// A Boolean.
  public var predicateValue: PropertyValue { .bool(self) }
}

extension Date: PredicateArgument {
  /// A date.
  public var predicateValue: PropertyValue { .date(self) }
}

extension UUID: PredicateArgument {
  /// A UUID.
  public var predicateValue: PropertyValue { .uuid(self) }
}

extension URL: PredicateArgument {
  /// A URI.
  public var predicateValue: PropertyValue { .uri(self) }
}

extension Data: PredicateArgument {
  /// Binary data.
  public var predicateValue: PropertyValue { .data(self) }
}

extension Decimal: PredicateArgument {
  /// A decimal number.
  public var predicateValue: PropertyValue { .decimal(self) }
}

extension ObjectID: PredicateArgument {
  /// A reference to the object.
  public var predicateValue: PropertyValue { .object(self) }
}

extension Optional: PredicateArgument where Wrapped: PredicateArgument {
  /// The value, or null for nil.
  public var predicateValue: PropertyValue { self?.predicateValue ?? .null }
}

extension Array: PredicateArgument where Element: PredicateArgument {
  /// A list.
  public var predicateValue: PropertyValue { .list(map(\.predicateValue)) }
}

extension Set: PredicateArgument where Element: PredicateArgument {
  /// A list, in an order that depends only on the elements.
  public var predicateValue: PropertyValue {
    .list(
      map(\.predicateValue).ordered { left, right in
        let order = left.ordering(right).map(\.rawValue)
        return order.map { $0 < 0 } ?? (left.description < right.description)
      })
  }
}
