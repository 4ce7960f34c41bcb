import FetchPredicates
public import FetchedResults
public import Foundation

/// A description of the objects of a class that are wanted from a context, and their order.
///
/// Unlike the engine's request it names no entity: each context has its own, which is found when
/// the request is executed.
public struct FetchRequest<Result: ManagedEntity>: Sendable {
  /// What the objects must match; nil for every object of the entity.
  public var predicate: FetchPredicate?
  /// The order; without any, by object number.
  public var sortDescriptors: [FetchSort<Result>]
  /// The most objects to return; 0 for no limit.
  public var fetchLimit: Int
  /// How many matching objects to skip.
  public var fetchOffset: Int
  /// How many objects to load at a time; 0 for all.
  public var fetchBatchSize: Int
  /// Whether objects of entities that inherit from the class's entity are included.
  public var includesSubentities = true
  /// Whether unsaved changes decide which objects match.
  public var includesPendingChanges = true
  /// Whether a controller's objects stay faults until one is used.
  public var returnsObjectsAsFaults = true
  /// The relationships whose objects are read with the fetched ones, as dotted key paths.
  public var relationshipKeyPathsForPrefetching: [String] = []
  /// Whether objects that the context has already get the store's values where somebody
  /// else saved newer ones; unsaved changes stay.
  public var shouldRefreshRefetchedObjects = false

  /// Creates a request, with a predicate in the format language or none.
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

  /// Creates a request with one of Foundation's predicates.
  ///
  /// - Throws: ``PredicateTranslationError`` where the format language has no words for it.
  public init(
    predicate: Predicate<Result>, sortBy sortDescriptors: [FetchSort<Result>] = [],
    fetchLimit: Int = 0, fetchOffset: Int = 0, fetchBatchSize: Int = 0
  ) throws(PredicateTranslationError) {
    self.init(
      predicate: try FetchPredicate(predicate), sortBy: sortDescriptors, fetchLimit: fetchLimit,
      fetchOffset: fetchOffset, fetchBatchSize: fetchBatchSize)
  }

  /// The request for the entity of a context.
  ///
  /// - Precondition: The context's model was made with the class.
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
