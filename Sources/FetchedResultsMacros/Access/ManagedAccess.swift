public import FetchedResults

/// The functions that are called by the accessors that `@Managed` generates.
///
/// A property's index is known when the accessor is compiled, so no name is looked up. It counts
/// among the attributes, or among the relationships.
public enum ManagedAccess {
  /// Returns the value of an attribute.
  public static func raw(of object: ManagedObject, at place: Int) -> PropertyValue {
    object.value(at: place)
  }

  /// Returns the value of an attribute; the type's placeholder if the object has none.
  @inlinable public static func value<T: ManagedValue>(
    of object: ManagedObject, at place: Int
  ) -> T {
    T(managedValue: raw(of: object, at: place)) ?? T.managedPlaceholder
  }

  /// Returns the value of an attribute; the default if the object has none.
  @inlinable public static func value<T: ManagedValue>(
    of object: ManagedObject, at place: Int, default defaultValue: @autoclosure () -> T
  ) -> T {
    T(managedValue: raw(of: object, at: place)) ?? defaultValue()
  }

  /// Returns the value of an optional attribute.
  @inlinable public static func value<T: ManagedValue>(
    of object: ManagedObject, at place: Int
  ) -> T? {
    T(managedValue: raw(of: object, at: place))
  }

  /// Returns the value of an enumeration; the default if the object has none, or an unknown raw
  /// value.
  @inlinable public static func value<T: RawRepresentable>(
    of object: ManagedObject, at place: Int, default defaultValue: @autoclosure () -> T
  ) -> T where T.RawValue: ManagedValue {
    T.RawValue(managedValue: raw(of: object, at: place)).flatMap(T.init(rawValue:))
      ?? defaultValue()
  }

  /// Returns the value of an optional enumeration; nil also for an unknown raw value.
  @inlinable public static func value<T: RawRepresentable>(
    of object: ManagedObject, at place: Int
  ) -> T? where T.RawValue: ManagedValue {
    T.RawValue(managedValue: raw(of: object, at: place)).flatMap(T.init(rawValue:))
  }

  /// Sets the value of an attribute.
  ///
  /// - Precondition: The object was not deleted by a save.
  public static func setRaw(_ value: PropertyValue, of object: ManagedObject, at place: Int) {
    do {
      try object.setValue(value, at: place)
    } catch {
      object.refuse(
        error, of: object.entity.propertyNames[place], by: "managedObject.setValue(_:forKey:)")
    }
  }

  /// Sets the value of an attribute.
  @inlinable public static func set<T: ManagedValue>(
    _ value: T, of object: ManagedObject, at place: Int
  ) {
    setRaw(value.managedValue, of: object, at: place)
  }

  /// Sets the value of an optional attribute.
  @inlinable public static func set<T: ManagedValue>(
    _ value: T?, of object: ManagedObject, at place: Int
  ) {
    setRaw(value?.managedValue ?? .null, of: object, at: place)
  }

  /// Sets the value of an attribute that holds raw values.
  @inlinable public static func set<T: RawRepresentable>(
    _ value: T, of object: ManagedObject, at place: Int
  ) where T.RawValue: ManagedValue {
    setRaw(value.rawValue.managedValue, of: object, at: place)
  }

  /// Sets the value of an optional attribute that holds raw values.
  @inlinable public static func set<T: RawRepresentable>(
    _ value: T?, of object: ManagedObject, at place: Int
  ) where T.RawValue: ManagedValue {
    setRaw(value?.rawValue.managedValue ?? .null, of: object, at: place)
  }
}
