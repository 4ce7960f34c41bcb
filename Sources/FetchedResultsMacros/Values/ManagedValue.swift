public import FetchedResults
public import Foundation

/// A type whose values an attribute can hold.
///
/// An enumeration with such a raw value needs no conformance, because its property holds the raw
/// value.
public protocol ManagedValue: PredicateArgument {
  /// The type of an attribute that holds the values.
  static var attributeType: AttributeType { get }
  /// The value to return if the object has none, although the property is not optional.
  ///
  /// This can happen if the object is new, or if another program wrote the store.
  static var managedPlaceholder: Self { get }
  /// Creates a value from an attribute's value; nil if that has another type.
  init?(managedValue: PropertyValue)
  /// The value in the form that an attribute holds.
  var managedValue: PropertyValue { get }
}

extension String: ManagedValue {
  /// The type of an attribute that holds the values.
  public static var attributeType: AttributeType { .string }
  /// `""`.
  public static var managedPlaceholder: String { "" }
  /// Creates a value from an attribute's value; nil if that has another type.
  @inlinable public init?(managedValue: PropertyValue) {
    guard case .string(let text) = managedValue else { return nil }
    self = text
  }
  /// The value in the form that an attribute holds.
  @inlinable public var managedValue: PropertyValue { .string(self) }
}

extension Bool: ManagedValue {
  /// The type of an attribute that holds the values.
  public static var attributeType: AttributeType { .boolean }
  /// `false`.
  public static var managedPlaceholder: Bool { false }
  /// Creates a value from an attribute's value; nil if that has another type.
  @inlinable public init?(managedValue: PropertyValue) {
    guard case .bool(let truth) = managedValue else { return nil }
    self = truth
  }
  /// The value in the form that an attribute holds.
  @inlinable public var managedValue: PropertyValue { .bool(self) }
}

extension Double: ManagedValue {
  /// The type of an attribute that holds the values.
  public static var attributeType: AttributeType { .double }
  /// `0`.
  public static var managedPlaceholder: Double { 0 }
  /// Creates a value from an attribute's value; nil if that has another type.
  @inlinable public init?(managedValue: PropertyValue) {
    guard case .double(let number) = managedValue else { return nil }
    self = number
  }
  /// The value in the form that an attribute holds.
  @inlinable public var managedValue: PropertyValue { .double(self) }
}

extension Float: ManagedValue {
  /// The type of an attribute that holds the values.
  public static var attributeType: AttributeType { .float }
  /// `0`.
  public static var managedPlaceholder: Float { 0 }
  /// Creates a value from an attribute's value; nil if that has another type.
  @inlinable public init?(managedValue: PropertyValue) {
    guard case .double(let number) = managedValue else { return nil }
    self = Float(number)
  }
  /// The value in the form that an attribute holds.
  @inlinable public var managedValue: PropertyValue { .double(Double(self)) }
}

extension Date: ManagedValue {
  /// The type of an attribute that holds the values.
  public static var attributeType: AttributeType { .date }
  /// The reference date, 1 January 2001.
  public static var managedPlaceholder: Date { Date(timeIntervalSinceReferenceDate: 0) }
  /// Creates a value from an attribute's value; nil if that has another type.
  @inlinable public init?(managedValue: PropertyValue) {
    guard case .date(let date) = managedValue else { return nil }
    self = date
  }
  /// The value in the form that an attribute holds.
  @inlinable public var managedValue: PropertyValue { .date(self) }
}

extension Decimal: ManagedValue {
  /// The type of an attribute that holds the values.
  public static var attributeType: AttributeType { .decimal }
  /// `0`.
  public static var managedPlaceholder: Decimal { 0 }
  /// Creates a value from an attribute's value; nil if that has another type.
  @inlinable public init?(managedValue: PropertyValue) {
    guard case .decimal(let number) = managedValue else { return nil }
    self = number
  }
  /// The value in the form that an attribute holds.
  @inlinable public var managedValue: PropertyValue { .decimal(self) }
}

extension UUID: ManagedValue {
  /// The type of an attribute that holds the values.
  public static var attributeType: AttributeType { .uuid }
  /// The UUID with all bits 0.
  public static var managedPlaceholder: UUID {
    UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
  }
  /// Creates a value from an attribute's value; nil if that has another type.
  @inlinable public init?(managedValue: PropertyValue) {
    guard case .uuid(let uuid) = managedValue else { return nil }
    self = uuid
  }
  /// The value in the form that an attribute holds.
  @inlinable public var managedValue: PropertyValue { .uuid(self) }
}

extension URL: ManagedValue {
  /// The type of an attribute that holds the values.
  public static var attributeType: AttributeType { .uri }
  /// `file:///`.
  public static var managedPlaceholder: URL { URL(filePath: "/") }
  /// Creates a value from an attribute's value; nil if that has another type.
  @inlinable public init?(managedValue: PropertyValue) {
    guard case .uri(let url) = managedValue else { return nil }
    self = url
  }
  /// The value in the form that an attribute holds.
  @inlinable public var managedValue: PropertyValue { .uri(self) }
}

extension Data: ManagedValue {
  /// The type of an attribute that holds the values.
  public static var attributeType: AttributeType { .binaryData }
  /// `Data()`.
  public static var managedPlaceholder: Data { Data() }
  /// Creates a value from an attribute's value; nil if that has another type.
  @inlinable public init?(managedValue: PropertyValue) {
    guard case .data(let data) = managedValue else { return nil }
    self = data
  }
  /// The value in the form that an attribute holds.
  @inlinable public var managedValue: PropertyValue { .data(self) }
}

extension ManagedValue where Self: FixedWidthInteger {
  /// 0.
  public static var managedPlaceholder: Self { 0 }
  /// Creates a value from an integer; nil if it does not fit the type.
  @inlinable public init?(managedValue: PropertyValue) {
    guard case .int(let number) = managedValue else { return nil }
    self.init(exactly: number)
  }
  /// The value as an integer.
  ///
  /// Every conforming type fits into 64 bits.
  @inlinable public var managedValue: PropertyValue { .int(Int64(truncatingIfNeeded: self)) }
}

extension Int: ManagedValue {
  /// The type of an attribute that holds the values.
  public static var attributeType: AttributeType { .integer64 }
}

extension Int8: ManagedValue {
  /// The type of an attribute that holds the values.
  public static var attributeType: AttributeType { .integer16 }
}

extension Int16: ManagedValue {
  /// The type of an attribute that holds the values.
  public static var attributeType: AttributeType { .integer16 }
}

extension Int32: ManagedValue {
  /// The type of an attribute that holds the values.
  public static var attributeType: AttributeType { .integer32 }
}

extension Int64: ManagedValue {
  /// The type of an attribute that holds the values.
  public static var attributeType: AttributeType { .integer64 }
}

extension UInt8: ManagedValue {
  /// The type of an attribute that holds the values.
  public static var attributeType: AttributeType { .integer16 }
}

extension UInt16: ManagedValue {
  /// The type of an attribute that holds the values.
  public static var attributeType: AttributeType { .integer32 }
}

extension UInt32: ManagedValue {
  /// The type of an attribute that holds the values.
  public static var attributeType: AttributeType { .integer64 }
}
