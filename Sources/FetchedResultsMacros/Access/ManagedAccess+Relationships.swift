public import FetchedResults

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
