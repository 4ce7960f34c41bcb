/// A description of objects to fetch, and their order.
public struct FetchRequest: Sendable {
  /// The entity of the objects.
  public var entity: EntityDescription
  /// The condition on the objects; nil for every object of the entity.
  public var predicate: FetchPredicate?
  /// The sort order.
  ///
  /// If it is empty, objects are sorted by number.
  public var sortDescriptors: [FetchSortDescriptor]
  /// Whether objects of sub-entities are fetched as well.
  public var includesSubentities = true
  /// The largest number of objects to return; 0 for no limit.
  public var fetchLimit: Int
  /// The number of matching objects to skip.
  public var fetchOffset: Int
  /// The number of objects to load at a time; 0 for all.
  ///
  /// It affects only faulting, never what a controller reports.
  public var fetchBatchSize: Int
  /// Whether unsaved changes decide which objects match.
  ///
  /// If false, a fetch finds the same objects as if nothing were unsaved. It finds no new objects,
  /// and matches others by their saved values, although the returned objects have their current
  /// values. This applies to fetches and counts. A controller always includes unsaved changes.
  public var includesPendingChanges = true
  /// Whether a controller's objects stay faults until they are accessed.
  ///
  /// If false, ``fetchBatchSize`` has no effect, because the fetch reads all rows.
  public var returnsObjectsAsFaults = true
  /// The relationships whose objects are read together with the fetched ones, as dotted key paths.
  ///
  /// A relationship that the entity does not have is ignored.
  public var relationshipKeyPathsForPrefetching: [String] = []
  /// Whether objects that are already in the context are updated with newer values from the store.
  ///
  /// Unsaved changes stay.
  public var shouldRefreshRefetchedObjects = false
  /// The kind of result that the fetch returns.
  public var resultType = FetchRequestResultType.managedObjects
  /// The values of each dictionary.
  ///
  /// If it is empty: the values that rows are grouped by, or all attributes.
  public var propertiesToFetch: [FetchedProperty] = []
  /// The key paths of the values by which rows are grouped.
  public var propertiesToGroupBy: [String] = []
  /// The condition on groups.
  ///
  /// Its keys are names of ``propertiesToFetch``.
  public var havingPredicate: FetchPredicate?
  /// Whether equal dictionaries are returned only once.
  public var returnsDistinctResults = false

  /// Creates a request for every object of an entity.
  public init(
    entity: EntityDescription, predicate: FetchPredicate? = nil,
    sortDescriptors: [FetchSortDescriptor] = [], fetchLimit: Int = 0, fetchOffset: Int = 0,
    fetchBatchSize: Int = 0
  ) {
    self.entity = entity
    self.predicate = predicate
    self.sortDescriptors = sortDescriptors
    self.fetchLimit = fetchLimit
    self.fetchOffset = fetchOffset
    self.fetchBatchSize = fetchBatchSize
  }
}

extension FetchRequest {
  /// Returns whether the request fetches objects of an entity.
  package func includes(_ entity: EntityDescription) -> Bool {
    includesSubentities ? entity.isKindOf(entity: self.entity) : entity === self.entity
  }

  /// Replaces numbers of objects in the predicates.
  package mutating func renumber(_ new: (ObjectID) -> ObjectID?) {
    predicate = predicate?.renumbered(new)
    havingPredicate = havingPredicate?.renumbered(new)
  }
}

/// The kind of result that a fetch returns.
public enum FetchRequestResultType: String, Hashable, Sendable, CaseIterable {
  /// The objects, including their unsaved changes.
  case managedObjects
  /// The identities of the objects.
  case managedObjectIDs
  /// Values of saved objects by name, grouped and computed as the request says.
  case dictionaries
  /// The number of objects.
  case count
}

/// A value to fetch into a dictionary.
public struct FetchedProperty: Hashable, Sendable {
  /// The name of the value in the dictionary.
  public var name: String
  /// The function to compute over a group's values; nil for the value itself.
  public var function: Function?
  /// The key path of the value, which may cross to-one relationships.
  public var keyPath: String

  /// A function over a group's values that are not nil.
  public enum Function: String, Hashable, Sendable, CaseIterable {
    /// The number of values.
    case count
    /// The sum; 0 if there are no values.
    case sum
    /// The smallest value.
    case min
    /// The greatest value.
    case max
    /// The mean: a floating-point number, or a decimal if the values are decimals.
    case average
  }

  /// Creates a value to fetch.
  ///
  /// - Parameters:
  ///   - keyPath: Where the value is, from an object of the request.
  ///   - function: How the values of a group become one; nil for the value of each object.
  ///   - name: The name in the dictionary. By default it is the key path, or the function and the
  ///     key path as one word, such as `sumPages`.
  public init(_ keyPath: String, function: Function? = nil, name: String? = nil) {
    self.keyPath = keyPath
    self.function = function
    self.name = name ?? function.map { Self.name($0, of: keyPath) } ?? keyPath
  }

  private static func name(_ function: Function, of keyPath: String) -> String {
    function.rawValue
      + keyPath.split(separator: ".").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }
}

extension FetchedProperty: ExpressibleByStringLiteral {
  /// Creates the value of a key path, under its own name.
  public init(stringLiteral keyPath: String) { self.init(keyPath) }
}

/// Values by name, in the order of the request.
public struct FetchedDictionary: Hashable, Sendable {
  /// The values with their names.
  public let entries: [Entry]

  /// A value and its name.
  public struct Entry: Hashable, Sendable {
    /// The name.
    public let name: String
    /// The value; null if there is none.
    public let value: PropertyValue
  }

  package init(_ entries: [Entry]) { self.entries = entries }

  /// The value for a name; nil if the request did not fetch it.
  public subscript(name: String) -> PropertyValue? { entries.first { $0.name == name }?.value }
}

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
