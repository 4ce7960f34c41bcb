/// The kind of result that a batch request returns.
public enum BatchResultType: String, Hashable, Sendable, CaseIterable {
  /// Only that the request succeeded; Core Data's default.
  case statusOnly
  /// The identities of the objects, which contexts can merge.
  case objectIDs
  /// The number of objects.
  case count
}

/// A request to write new rows into the store without a context.
///
/// Nothing is validated and no object is created. Contexts and controllers learn of the rows only
/// if you merge the identities with
/// ``ManagedObjectContext/mergeChanges(fromRemoteContextSave:into:)``.
public struct BatchInsertRequest: Sendable {
  /// The entity of the objects, which must not be abstract.
  public var entity: EntityDescription
  /// The values of each object by attribute name.
  ///
  /// A missing attribute gets its default value.
  public var objectsToInsert: [[String: PropertyValue]]
  /// The kind of result to return.
  public var resultType: BatchResultType

  /// Creates a request.
  public init(
    entity: EntityDescription, objects: [[String: PropertyValue]],
    resultType: BatchResultType = .statusOnly
  ) {
    self.entity = entity
    objectsToInsert = objects
    self.resultType = resultType
  }
}

/// A request to change rows of the store in place, without a context.
///
/// Nothing is validated. The predicate is evaluated on saved values. Unsaved changes in a context
/// have no influence, and stay.
public struct BatchUpdateRequest: Sendable {
  /// The entity of the rows.
  public var entity: EntityDescription
  /// The condition on the rows; nil for every row of the entity.
  public var predicate: FetchPredicate?
  /// Whether rows of entities that inherit from the entity are changed too.
  public var includesSubentities = true
  /// The new values of attributes, by attribute name.
  public var propertiesToUpdate: [String: NewValue]
  /// The kind of result to return.
  public var resultType: BatchResultType

  /// The new value of an attribute.
  public enum NewValue: Hashable, Sendable {
    /// This value.
    case value(PropertyValue)
    /// The sum of the old value and this one, for attributes that hold numbers. Nil stays nil.
    case sum(PropertyValue)
  }

  /// Creates a request.
  public init(
    entity: EntityDescription, predicate: FetchPredicate? = nil,
    propertiesToUpdate: [String: NewValue], resultType: BatchResultType = .statusOnly
  ) {
    self.entity = entity
    self.predicate = predicate
    self.propertiesToUpdate = propertiesToUpdate
    self.resultType = resultType
  }
}

/// A request to delete rows of the store without a context.
///
/// Delete rules are not applied, and relationships of other objects are not changed. A to-one
/// relationship of a remaining object may then refer to an object that no longer exists.
public struct BatchDeleteRequest: Sendable {
  /// The rows to delete.
  ///
  /// Limit and offset of the request apply. Unsaved changes in a context are ignored.
  public var fetchRequest: FetchRequest
  /// The kind of result to return.
  public var resultType: BatchResultType

  /// Creates a request.
  public init(fetchRequest: FetchRequest, resultType: BatchResultType = .statusOnly) {
    self.fetchRequest = fetchRequest
    self.resultType = resultType
  }
}
