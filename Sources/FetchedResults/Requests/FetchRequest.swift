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
  /// How many matching objects to skip.
  public var fetchOffset: Int
  /// How many objects to load at a time; 0 for all.
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
  /// What the fetch returns.
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
}
