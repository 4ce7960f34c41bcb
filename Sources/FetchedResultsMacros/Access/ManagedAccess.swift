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

/// Errors for properties of types that no attribute holds.
extension ManagedAccess {
  /// Reports an error for the type of a property.
  @_disfavoredOverload
  @available(
    *, unavailable,
    message: "no attribute holds this type; give an enumeration a raw value, or store Data"
  )
  public static func value<T>(
    of object: ManagedObject, at place: Int, default defaultValue: @autoclosure () -> T
  ) -> T {
    defaultValue()
  }

  /// Reports an error for the type of a property.
  @_disfavoredOverload
  @available(
    *, unavailable,
    message: "no attribute holds this type; give an enumeration a raw value, or store Data"
  )
  public static func value<T>(of object: ManagedObject, at place: Int) -> T? { nil }

  /// Reports an error for the type of a property.
  @_disfavoredOverload
  @available(
    *, unavailable,
    message: "no attribute holds this type; give an enumeration a raw value, or store Data"
  )
  public static func set<T>(_ value: T, of object: ManagedObject, at place: Int) {}
}

extension ManagedAccess {
  /// Inserts an object of a class's entity.
  ///
  /// - Precondition: The context's model was created with the class.
  public static func insert<T: ManagedEntity>(
    _ type: T.Type, into context: ManagedObjectContext
  ) -> ManagedObject {
    context.insert(T.managedSchema.entity(in: context))
  }

  /// Returns the object of a to-one relationship; nil also if that object no longer exists.
  public static func object<T: ManagedEntity>(
    of object: ManagedObject, at ordinal: Int
  ) -> T? {
    guard case .object(let id) = value(object, ordinal) else { return nil }
    return object.managedObjectContext?.findObject(with: id).map(T.init(managedObject:))
  }

  /// Returns the objects of an ordered to-many relationship.
  ///
  /// - Complexity: O(*m*) in the objects.
  public static func objects<T: ManagedEntity>(
    of object: ManagedObject, at ordinal: Int
  ) -> [T] {
    members(object, ordinal).map(T.init(managedObject:))
  }

  /// Returns the objects of a to-many relationship.
  ///
  /// - Complexity: O(*m*) in the objects.
  public static func objects<T: ManagedEntity>(
    of object: ManagedObject, at ordinal: Int
  ) -> Set<T> {
    Set(members(object, ordinal).map(T.init(managedObject:)))
  }

  /// Sets a to-one relationship.
  ///
  /// Inverse relationships are updated.
  public static func set<T: ManagedEntity>(
    _ value: T?, of object: ManagedObject, relationship ordinal: Int
  ) {
    assign(value.map(\.predicateValue) ?? .null, [value].compactMap(\.self), object, ordinal)
  }

  /// Sets a to-many relationship.
  ///
  /// Inverse relationships are updated.
  public static func set<T: ManagedEntity>(
    _ values: some Collection<T>, of object: ManagedObject, relationship ordinal: Int
  ) {
    assign(.list(values.map(\.predicateValue)), values, object, ordinal)
  }

  /// Adds objects to a to-many relationship.
  public static func add<T: ManagedEntity>(
    _ values: some Sequence<T>, of object: ManagedObject, at ordinal: Int
  ) {
    let values = Array(values)
    do {
      try object.add(.list(values.map(\.predicateValue)), to: ordinal)
    } catch {
      refuse(error, values, object, ordinal, by: "managedObject.add(_:to:)")
    }
  }

  /// Removes objects from a to-many relationship.
  public static func remove<T: ManagedEntity>(
    _ values: some Sequence<T>, of object: ManagedObject, at ordinal: Int
  ) {
    let values = Array(values)
    do {
      try object.remove(.list(values.map(\.predicateValue)), from: ordinal)
    } catch {
      refuse(error, values, object, ordinal, by: "managedObject.remove(_:from:)")
    }
  }

  private static func value(_ object: ManagedObject, _ ordinal: Int) -> PropertyValue {
    object.value(at: object.entity.attributes.count + ordinal)
  }

  private static func members(_ object: ManagedObject, _ ordinal: Int) -> [ManagedObject] {
    guard let context = object.managedObjectContext,
      case .list(let members) = value(object, ordinal)
    else { return [] }
    return members.compactMap { $0.objectID.flatMap(context.findObject(with:)) }
  }

  private static func assign<T: ManagedEntity>(
    _ value: PropertyValue, _ values: some Collection<T>, _ object: ManagedObject, _ ordinal: Int
  ) {
    do {
      try object.setValue(value, at: object.entity.attributes.count + ordinal)
    } catch {
      refuse(error, values, object, ordinal, by: "managedObject.setValue(_:forKey:)")
    }
  }

  /// Ends the program because objects cannot be related.
  private static func refuse<T: ManagedEntity>(
    _ error: ObjectError, _ values: some Collection<T>, _ object: ManagedObject, _ ordinal: Int,
    by method: String
  ) {
    object.refuse(
      error.about(values.map(\.managedObject), for: object),
      of: object.entity.relationships[ordinal].name, by: method)
  }
}
