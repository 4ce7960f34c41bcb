public import FetchedResults
public import Foundation

/// A description of objects of a class to fetch, and their order.
///
/// It does not contain an entity, unlike the engine's request. Each context has its own entity,
/// which is looked up when the request is executed.
public struct FetchRequest<Result: ManagedEntity>: Sendable {
  /// The condition on the objects; nil for every object of the entity.
  public var predicate: FetchPredicate?
  /// The sort order.
  ///
  /// If it is empty, objects are sorted by number.
  public var sortDescriptors: [FetchSort<Result>]
  /// The largest number of objects to return; 0 for no limit.
  public var fetchLimit: Int
  /// The number of matching objects to skip.
  public var fetchOffset: Int
  /// The number of objects to load at a time; 0 for all.
  public var fetchBatchSize: Int
  /// Whether objects of entities that inherit from the class's entity are included.
  public var includesSubentities = true
  /// Whether unsaved changes decide which objects match.
  public var includesPendingChanges = true
  /// Whether a controller's objects stay faults until they are accessed.
  public var returnsObjectsAsFaults = true
  /// The relationships whose objects are read together with the fetched ones, as dotted key paths.
  public var relationshipKeyPathsForPrefetching: [String] = []
  /// Whether objects that are already in the context are updated with newer values from the store.
  ///
  /// Unsaved changes stay.
  public var shouldRefreshRefetchedObjects = false

  /// Also reads the objects of a relationship together with the fetched ones.
  ///
  /// Write the key path without a root: `\.author`, `\.author.publisher`.
  public mutating func prefetch(
    _ keyPath: KeyPath<Result.ManagedKeys, some ManagedRelationshipPath>
  ) {
    relationshipKeyPathsForPrefetching.append(Result.path(keyPath))
  }

  /// Creates a request, optionally with a predicate in the format language.
  public init(
    predicate: FetchPredicate? = nil, sortBy sortDescriptors: [FetchSort<Result>] = [],
    fetchLimit: Int = 0, fetchOffset: Int = 0, fetchBatchSize: Int = 0
  ) {
    self.predicate = predicate
    self.sortDescriptors = sortDescriptors
    self.fetchLimit = fetchLimit
    self.fetchOffset = fetchOffset
    self.fetchBatchSize = fetchBatchSize
  }

  /// Creates a request with a Foundation predicate.
  ///
  /// - Throws: ``PredicateTranslationError`` if the predicate cannot be written in the format
  ///   language.
  public init(
    predicate: Predicate<Result>, sortBy sortDescriptors: [FetchSort<Result>] = [],
    fetchLimit: Int = 0, fetchOffset: Int = 0, fetchBatchSize: Int = 0
  ) throws(PredicateTranslationError) {
    self.init(
      predicate: try FetchPredicate(predicate), sortBy: sortDescriptors, fetchLimit: fetchLimit,
      fetchOffset: fetchOffset, fetchBatchSize: fetchBatchSize)
  }

  /// Returns the request for the entity in a context's model.
  ///
  /// - Precondition: The context's model was created with the class.
  public func request(in context: ManagedObjectContext) -> EngineFetchRequest {
    var request = EngineFetchRequest(
      entity: Result.managedSchema.entity(in: context), predicate: predicate,
      sortDescriptors: sortDescriptors.map(\.descriptor), fetchLimit: fetchLimit,
      fetchOffset: fetchOffset, fetchBatchSize: fetchBatchSize)
    request.includesSubentities = includesSubentities
    request.includesPendingChanges = includesPendingChanges
    request.returnsObjectsAsFaults = returnsObjectsAsFaults
    request.relationshipKeyPathsForPrefetching = relationshipKeyPathsForPrefetching
    request.shouldRefreshRefetchedObjects = shouldRefreshRefetchedObjects
    return request
  }
}

/// A property to sort by, its direction, and how strings compare.
///
/// ```swift
/// let request = FetchRequest<Book>(
///   sortBy: [.init(\.title, .localizedStandardCompare), .init(\.pages, order: .reverse)])
/// ```
public struct FetchSort<Result: ManagedEntity>: Hashable, Sendable {
  /// The engine's sort descriptor.
  public let descriptor: FetchSortDescriptor

  /// Sorts by a property of the entity, or of a related object.
  ///
  /// Write the key path without a root: `\.title`, `\.author.name`; see ``ManagedKeyPaths``.
  public init<Value>(
    _ keyPath: KeyPath<Result.ManagedKeys, ManagedKey<Value>>, order: SortOrder = .forward,
    _ selector: FetchSortDescriptor.Selector = .compare
  ) {
    self.init(key: Result.path(keyPath), order: order, selector)
  }

  /// Refuses what is not a property of the entity.
  @_disfavoredOverload
  @available(
    *, unavailable,
    message: "a sort takes an attribute: write \\.title or \\.author.name, without a root and '?'"
  )
  public init(
    _ keyPath: KeyPath<Result, some Any>, order: SortOrder = .forward,
    _ selector: FetchSortDescriptor.Selector = .compare
  ) {
    self.init(key: "", order: order, selector)
  }

  /// Sorts by a key path such as `author.name`.
  public init(
    key: String, order: SortOrder = .forward, _ selector: FetchSortDescriptor.Selector = .compare
  ) {
    descriptor = FetchSortDescriptor(key: key, ascending: order == .forward, selector: selector)
  }
}
