public import FetchedResults

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
