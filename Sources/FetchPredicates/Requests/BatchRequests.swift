/// What a batch request answers with.
public enum BatchResultType: String, Hashable, Sendable, CaseIterable {
  /// Nothing but that it succeeded; Core Data's default.
  case statusOnly
  /// The identities of the objects, which contexts can merge.
  case objectIDs
  /// How many objects there were.
  case count
}

/// A request to write new rows into the store, past every context.
///
/// Nothing is validated, and no object is made. Contexts and controllers learn of the rows only if
/// the identities are merged, by ``ManagedObjectContext/mergeChanges(fromRemoteContextSave:into:)``.
public struct BatchInsertRequest: Sendable {
  /// The entity of the objects, which must not be abstract.
  public var entity: EntityDescription
  /// The values of each object by the names of attributes.
  ///
  /// What is left out gets the attribute's default value.
  public var objectsToInsert: [[String: PropertyValue]]
  /// What the request answers with.
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

/// A request to change rows of the store in place, past every context.
///
/// Nothing is validated. The predicate is asked of saved values: unsaved changes of a context do
/// not count, and are not touched.
public struct BatchUpdateRequest: Sendable {
  /// The entity of the rows.
  public var entity: EntityDescription
  /// What the rows must match; nil for every row of the entity.
  public var predicate: FetchPredicate?
  /// Whether rows of entities that inherit from the entity are changed too.
  public var includesSubentities = true
  /// What attributes become, by their names.
  public var propertiesToUpdate: [String: NewValue]
  /// What the request answers with.
  public var resultType: BatchResultType

  /// What an attribute becomes.
  public enum NewValue: Hashable, Sendable {
    /// This value.
    case value(PropertyValue)
    /// The sum of the old value and this one, for attributes that hold numbers; nil stays nil.
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

/// A request to delete rows of the store, past every context.
///
/// No delete rule is performed, and no relationship of another object is changed: a to-one
/// relationship of one that stays may lead to an object that is gone.
public struct BatchDeleteRequest: Sendable {
  /// The rows.
  ///
  /// Its limit and offset count; unsaved changes of a context do not.
  public var fetchRequest: FetchRequest
  /// What the request answers with.
  public var resultType: BatchResultType

  /// Creates a request.
  public init(fetchRequest: FetchRequest, resultType: BatchResultType = .statusOnly) {
    self.fetchRequest = fetchRequest
    self.resultType = resultType
  }
}
