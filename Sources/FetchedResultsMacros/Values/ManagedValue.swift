public import FetchedResults
public import Foundation

/// A type whose values an attribute can hold.
///
/// An enumeration with a raw value of such a type needs no conformance: its property holds the
/// raw value.
public protocol ManagedValue: PredicateArgument {
  /// The kind of attribute that holds the values.
  static var attributeType: AttributeType { get }
  /// What is read where an object has no value, although the property is not optional.
  ///
  /// A store may hold none: another program wrote it, or an object is new.
  static var managedPlaceholder: Self { get }
  /// Takes a value from an attribute; nil where it is of another type.
  init?(managedValue: PropertyValue)
  /// The value as an attribute holds it.
  var managedValue: PropertyValue { get }
}

extension String: ManagedValue {
  /// The kind of attribute that holds the values.
  public static var attributeType: AttributeType { .string }
  /// `""`.
  public static var managedPlaceholder: String { "" }
  /// Takes a value from an attribute; nil where it is of another type.
  @inlinable public init?(managedValue: PropertyValue) {
    guard case .string(let text) = managedValue else { return nil }
    self = text
  }
  /// The value as an attribute holds it.
  @inlinable public var managedValue: PropertyValue { .string(self) }
}

extension Bool: ManagedValue {
  /// The kind of attribute that holds the values.
  public static var attributeType: AttributeType { .boolean }
  /// `false`.
  public static var managedPlaceholder: Bool { false }
  /// Takes a value from an attribute; nil where it is of another type.
  @inlinable public init?(managedValue: PropertyValue) {
    guard case .bool(let truth) = managedValue else { return nil }
    self = truth
  }
  /// The value as an attribute holds it.
  @inlinable public var managedValue: PropertyValue { .bool(self) }
}

extension Double: ManagedValue {
  /// The kind of attribute that holds the values.
  public static var attributeType: AttributeType { .double }
  /// `0`.
  public static var managedPlaceholder: Double { 0 }
  /// Takes a value from an attribute; nil where it is of another type.
  @inlinable public init?(managedValue: PropertyValue) {
    guard case .double(let number) = managedValue else { return nil }
    self = number
  }
  /// The value as an attribute holds it.
  @inlinable public var managedValue: PropertyValue { .double(self) }
}

extension Float: ManagedValue {
  /// The kind of attribute that holds the values.
  public static var attributeType: AttributeType { .float }
  /// `0`.
  public static var managedPlaceholder: Float { 0 }
  /// Takes a value from an attribute; nil where it is of another type.
  @inlinable public init?(managedValue: PropertyValue) {
    guard case .double(let number) = managedValue else { return nil }
    self = Float(number)
  }
  /// The value as an attribute holds it.
  @inlinable public var managedValue: PropertyValue { .double(Double(self)) }
}

extension Date: ManagedValue {
  /// The kind of attribute that holds the values.
  public static var attributeType: AttributeType { .date }
  /// The reference date, 1 January 2001.
  public static var managedPlaceholder: Date { Date(timeIntervalSinceReferenceDate: 0) }
  /// Takes a value from an attribute; nil where it is of another type.
  @inlinable public init?(managedValue: PropertyValue) {
    guard case .date(let date) = managedValue else { return nil }
    self = date
  }
  /// The value as an attribute holds it.
  @inlinable public var managedValue: PropertyValue { .date(self) }
}

extension Decimal: ManagedValue {
  /// The kind of attribute that holds the values.
  public static var attributeType: AttributeType { .decimal }
  /// `0`.
  public static var managedPlaceholder: Decimal { 0 }
  /// Takes a value from an attribute; nil where it is of another type.
  @inlinable public init?(managedValue: PropertyValue) {
    guard case .decimal(let number) = managedValue else { return nil }
    self = number
  }
  /// The value as an attribute holds it.
  @inlinable public var managedValue: PropertyValue { .decimal(self) }
}

extension UUID: ManagedValue {
  /// The kind of attribute that holds the values.
  public static var attributeType: AttributeType { .uuid }
  /// The UUID with all bits 0.
  public static var managedPlaceholder: UUID {
    UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
  }
  /// Takes a value from an attribute; nil where it is of another type.
  @inlinable public init?(managedValue: PropertyValue) {
    guard case .uuid(let uuid) = managedValue else { return nil }
    self = uuid
  }
  /// The value as an attribute holds it.
  @inlinable public var managedValue: PropertyValue { .uuid(self) }
}

extension URL: ManagedValue {
  /// The kind of attribute that holds the values.
  public static var attributeType: AttributeType { .uri }
  /// `file:///`.
  public static var managedPlaceholder: URL { URL(filePath: "/") }
  /// Takes a value from an attribute; nil where it is of another type.
  @inlinable public init?(managedValue: PropertyValue) {
    guard case .uri(let url) = managedValue else { return nil }
    self = url
  }
  /// The value as an attribute holds it.
  @inlinable public var managedValue: PropertyValue { .uri(self) }
}

extension Data: ManagedValue {
  /// The kind of attribute that holds the values.
  public static var attributeType: AttributeType { .binaryData }
  /// `Data()`.
  public static var managedPlaceholder: Data { Data() }
  /// Takes a value from an attribute; nil where it is of another type.
  @inlinable public init?(managedValue: PropertyValue) {
    guard case .data(let data) = managedValue else { return nil }
    self = data
  }
  /// The value as an attribute holds it.
  @inlinable public var managedValue: PropertyValue { .data(self) }
}
