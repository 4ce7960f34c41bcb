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

extension ManagedObjectContext {
  /// Returns the objects that match a request, including unsaved changes.
  ///
  /// Pending changes are processed first, as in the engine's own fetch.
  ///
  /// - Throws: `FetchError`.
  /// - Complexity: O(*n* log *n*) in the objects of the entity.
  @inlinable public func fetch<Result>(
    _ request: FetchRequest<Result>
  ) throws(FetchError) -> [Result] {
    // Inlined, so that the class is known where the objects are wrapped.
    var found: [Result] = []
    try fetch(
      request.request(in: self), restart: { found.removeAll(keepingCapacity: true) },
      pass: { found.append(Result(managedObject: $0)) })
    return found
  }

  /// Returns how many objects match a request, including its limit and offset.
  ///
  /// - Throws: `FetchError`.
  public func count<Result>(for request: FetchRequest<Result>) throws(FetchError) -> Int {
    try count(for: request.request(in: self))
  }

  /// Returns the identities of the objects that match a request.
  ///
  /// - Throws: `FetchError`.
  public func fetchObjectIDs<Result>(
    _ request: FetchRequest<Result>
  ) throws(FetchError) -> [ObjectID] {
    try fetchObjectIDs(request.request(in: self))
  }

  /// Returns the object with an identity; nil if there is none, or if it has another class.
  public func object<Result: ManagedEntity>(
    with id: ObjectID, as type: Result.Type = Result.self
  ) -> Result? {
    findObject(with: id).flatMap(Result.typed)
  }

  /// Returns this context's instance for an object of another context.
  public func object<Result: ManagedEntity>(for other: Result) -> Result? {
    object(with: other.objectID, as: Result.self)
  }

  /// Marks an object for deletion.
  public func delete(_ object: some ManagedEntity) { delete(object.managedObject) }
}

extension PersistentStoreCoordinator {
  /// Sets the hooks of the objects of a class's entity, and replaces the old ones.
  ///
  /// They apply to all contexts of the coordinator, and also to existing objects.
  ///
  /// - Precondition: The coordinator's model was created with the class.
  public func setHooks(_ hooks: ManagedObjectHooks?, of type: (some ManagedEntity).Type) {
    setHooks(hooks, of: type.entity(in: managedObjectModel))
  }
}

/// Variants of fetches that suspend while they wait for another process.
extension ManagedObjectContext {
  /// Returns the objects that match a request, including unsaved changes.
  ///
  /// While another process has locked the file, the task sleeps between attempts, and its actor is
  /// free for other work.
  ///
  /// - Throws: `FetchError`; `FetchError.cancelled` if the task is cancelled.
  /// - Complexity: O(*n* log *n*) in the objects of the entity.
  @inlinable public func fetch<Result>(
    _ request: FetchRequest<Result>, isolation: isolated (any Actor)? = #isolation
  ) async throws(FetchError) -> [Result] {
    try await fetch(request.request(in: self), isolation: isolation)
      .map { Result(managedObject: $0) }
  }

  /// Returns how many objects match a request, including its limit and offset.
  ///
  /// It waits like ``fetch(_:isolation:)``.
  ///
  /// - Throws: `FetchError`; `FetchError.cancelled` if the task is cancelled.
  public func count<Result>(
    for request: FetchRequest<Result>, isolation: isolated (any Actor)? = #isolation
  ) async throws(FetchError) -> Int {
    try await count(for: request.request(in: self), isolation: isolation)
  }
}

extension PersistentContainer {
  /// Inserts an object of a class for each element of a sequence, in the background.
  ///
  /// Objects are saved in groups and then released, so only one group is in memory, however long
  /// the sequence is.
  ///
  /// ```swift
  /// try await container.insert(url.lines, of: Book.self) { line, book in
  ///   book.title = line
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - elements: The elements to create objects for.
  ///   - type: The class of the new objects.
  ///   - count: How many objects are saved at a time.
  ///   - author: The author of the saves in the history of the store.
  ///   - progress: Counts the saved objects, and can cancel the import; nil if neither is needed.
  ///   - didSave: Called after each save with the number of objects saved so far.
  ///   - fill: Sets a new object's values. It may fetch with the object's context, and relate the
  ///     object to others.
  /// - Returns: How many objects were inserted.
  /// - Throws: `StoreError`, `SaveError`, errors of `elements` and `fill`, and `CancellationError`.
  ///   Groups that were saved before stay in the store.
  /// - Precondition: The container's model was created with the class.
  @discardableResult
  public func insert<Elements: AsyncSequence & Sendable, Entity: ManagedEntity>(
    _ elements: Elements, of type: Entity.Type, savingEvery count: Int = 1_000,
    author: String? = nil, progress: Progress? = nil, didSave: (@Sendable (Int) -> Void)? = nil,
    _ fill: @escaping @Sendable (Elements.Element, Entity) throws -> Void
  ) async throws -> Int where Elements.Element: Sendable {
    try await insertObjects(
      of: type.managedSchema.entity(in: managedObjectModel), from: elements, savingEvery: count,
      author: author, progress: progress, didSave: didSave
    ) { element, object in
      try fill(element, Entity(managedObject: object))
    }
  }
}

/// The engine's request, whose name is hidden by this module's ``FetchRequest``.
public typealias EngineFetchRequest = FetchedResults.FetchRequest
