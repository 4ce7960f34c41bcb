public import FetchedResults

/// A new value of an attribute, in a batch request.
///
/// ```swift
/// try context.batchUpdate(Book.self, .set(\.isRead, to: true))
/// ```
public struct ManagedSetting<Entity: ManagedEntity>: Hashable, Sendable {
  /// The name of the attribute.
  let name: String
  let value: PropertyValue

  /// Sets an attribute.
  public static func set<Value: ManagedValue>(
    _ key: KeyPath<Entity.ManagedKeys, ManagedKey<Value>>, to value: Value
  ) -> Self {
    Self(name: Entity.path(key), value: value.managedValue)
  }

  /// Sets an optional attribute.
  public static func set<Value: ManagedValue>(
    _ key: KeyPath<Entity.ManagedKeys, ManagedKey<Value?>>, to value: Value?
  ) -> Self {
    Self(name: Entity.path(key), value: value?.managedValue ?? .null)
  }

  /// Sets an attribute that holds the raw values of an enumeration.
  public static func set<Value: RawRepresentable>(
    _ key: KeyPath<Entity.ManagedKeys, ManagedKey<Value>>, to value: Value
  ) -> Self where Value.RawValue: ManagedValue {
    Self(name: Entity.path(key), value: value.rawValue.managedValue)
  }

  /// Sets an optional attribute that holds the raw values of an enumeration.
  public static func set<Value: RawRepresentable>(
    _ key: KeyPath<Entity.ManagedKeys, ManagedKey<Value?>>, to value: Value?
  ) -> Self where Value.RawValue: ManagedValue {
    Self(name: Entity.path(key), value: value?.rawValue.managedValue ?? .null)
  }
}

/// A number to add to an attribute, in a batch request.
///
/// ```swift
/// try context.batchUpdate(Book.self, adding: .init(1, to: \.readers))
/// ```
public struct ManagedAddition<Entity: ManagedEntity>: Hashable, Sendable {
  /// The name of the attribute.
  let name: String
  let value: PropertyValue

  /// Adds a number to an attribute.
  public init<Value: ManagedValue & AdditiveArithmetic>(
    _ value: Value, to key: KeyPath<Entity.ManagedKeys, ManagedKey<Value>>
  ) {
    name = Entity.path(key)
    self.value = value.managedValue
  }

  /// Adds a number to an optional attribute; nil stays nil.
  public init<Value: ManagedValue & AdditiveArithmetic>(
    _ value: Value, to key: KeyPath<Entity.ManagedKeys, ManagedKey<Value?>>
  ) {
    name = Entity.path(key)
    self.value = value.managedValue
  }
}

/// Batch requests for the objects of a class. They write to the store, past every context.
///
/// Contexts and controllers learn of the rows only if you merge the identities of the result with
/// `mergeChanges(fromRemoteContextSave:into:)`.
extension ManagedObjectContext {
  /// Inserts rows into the store.
  ///
  /// Nothing is validated. An attribute without a value gets its default value. The last of several
  /// values of one attribute counts.
  ///
  /// ```swift
  /// try context.batchInsert(Book.self, titles.map { [.set(\.title, to: $0)] })
  /// ```
  ///
  /// - Throws: `BatchRequestError`, also for a path to a related object; then nothing is written.
  /// - Precondition: The context's model was created with the class.
  /// - Complexity: O(*k* log *n*) for *k* objects.
  @discardableResult
  public func batchInsert<Entity: ManagedEntity>(
    _ type: Entity.Type, _ objects: some Sequence<[ManagedSetting<Entity>]>,
    resultType: BatchResultType = .statusOnly
  ) throws(BatchRequestError) -> BatchResult {
    let entity = type.managedSchema.entity(in: self)
    let rows = objects.map { object in Dictionary(object.map { ($0.name, $0.value) }) { $1 } }
    return try execute(BatchInsertRequest(entity: entity, objects: rows, resultType: resultType))
  }

  /// Changes rows of the store in place.
  ///
  /// Nothing is validated. The predicate is evaluated on saved values. Unsaved changes in a context
  /// have no influence, and stay.
  ///
  /// - Parameters:
  ///   - type: The class of the objects.
  ///   - predicate: The condition on the rows; nil for all of them.
  ///   - settings: The new values. The last of several values of one attribute counts.
  ///   - additions: The numbers to add to old values.
  ///   - resultType: The kind of result to return.
  /// - Throws: `BatchRequestError`, also for a path to a related object; then nothing is written.
  /// - Precondition: The context's model was created with the class.
  /// - Complexity: O(*n*) in the rows of the entity.
  @discardableResult
  public func batchUpdate<Entity: ManagedEntity>(
    _ type: Entity.Type, where predicate: FetchPredicate? = nil,
    _ settings: ManagedSetting<Entity>..., adding additions: ManagedAddition<Entity>...,
    resultType: BatchResultType = .statusOnly
  ) throws(BatchRequestError) -> BatchResult {
    var values: [String: BatchUpdateRequest.NewValue] = [:]
    for setting in settings { values[setting.name] = .value(setting.value) }
    for addition in additions { values[addition.name] = .sum(addition.value) }
    return try execute(
      BatchUpdateRequest(
        entity: type.managedSchema.entity(in: self), predicate: predicate,
        propertiesToUpdate: values, resultType: resultType))
  }

  /// Deletes the rows that match a request.
  ///
  /// Delete rules are not applied, and relationships of other objects are not changed. Limit and
  /// offset of the request apply. Unsaved changes in a context are ignored.
  ///
  /// - Throws: `BatchRequestError`; then nothing is written.
  /// - Precondition: The context's model was created with the class.
  /// - Complexity: O(*n*) in the rows of the entity.
  @discardableResult
  public func batchDelete<Result>(
    _ request: FetchRequest<Result>, resultType: BatchResultType = .statusOnly
  ) throws(BatchRequestError) -> BatchResult {
    try execute(
      BatchDeleteRequest(fetchRequest: request.request(in: self), resultType: resultType))
  }
}
