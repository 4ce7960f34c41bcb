/// A description of the objects wanted from a context, and their order.
public struct FetchRequest: Sendable {
  /// The entity of the objects.
  public var entity: EntityDescription
  /// What the objects must match; nil for every object of the entity.
  public var predicate: FetchPredicate?
  /// The order; without any, by object number.
  public var sortDescriptors: [FetchSortDescriptor]
  /// Whether objects of entities that inherit from the entity are wanted too.
  public var includesSubentities = true
  /// The most objects to return; 0 for no limit.
  public var fetchLimit: Int
  /// How many matching objects to skip.
  public var fetchOffset: Int
  /// How many objects to load at a time; 0 for all.
  ///
  /// It changes faulting only, never what a controller reports.
  public var fetchBatchSize: Int
  /// Whether unsaved changes decide which objects match.
  ///
  /// Without it a fetch finds what it would find if nothing were unsaved: no new object, and
  /// an object by its saved values, although it has its values of now. For fetches and
  /// counts; a controller always includes unsaved changes.
  public var includesPendingChanges = true
  /// Whether a controller's objects stay faults until someone looks at one.
  ///
  /// Without it ``fetchBatchSize`` has no effect: all rows are read by the fetch.
  public var returnsObjectsAsFaults = true
  /// The relationships whose objects are read with the fetched ones, as dotted key paths.
  ///
  /// One that the entity has not is ignored.
  public var relationshipKeyPathsForPrefetching: [String] = []
  /// Whether objects that the context has already get the store's values where someone else saved
  /// newer ones; unsaved changes stay.
  public var shouldRefreshRefetchedObjects = false
  /// What the fetch returns.
  public var resultType = FetchRequestResultType.managedObjects
  /// The values of a dictionary; without any, those that rows are grouped by, or every attribute.
  public var propertiesToFetch: [FetchedProperty] = []
  /// The key paths of the values that put rows into one group.
  public var propertiesToGroupBy: [String] = []
  /// What a group must match; its keys are names of ``propertiesToFetch``.
  public var havingPredicate: FetchPredicate?
  /// Whether equal dictionaries are one.
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
  /// Returns whether objects of an entity are wanted.
  package func includes(_ entity: EntityDescription) -> Bool {
    includesSubentities ? entity.isKindOf(entity: self.entity) : entity === self.entity
  }
}
