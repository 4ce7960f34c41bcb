public import FetchedResults
public import Observation

/// The engine's controller, whose name is hidden by this module's ``FetchedResultsController``.
public typealias EngineFetchedResultsController = FetchedResults.FetchedResultsController

/// Manages the results of a fetch request for the objects of a class: it keeps them up to date and
/// divides them into sections.
///
/// It forwards all calls to the engine's ``controller``, and wraps the objects.
public final class FetchedResultsController<Result: ManagedEntity> {
  /// The engine's controller.
  ///
  /// Do not set its delegate; set ``delegate`` or ``onChange`` instead.
  public let controller: EngineFetchedResultsController
  private var relay = DelegateRelay<Result>()

  /// The delegate that is called when the results change.
  ///
  /// The reference is weak.
  public weak var delegate: (any FetchedResultsControllerDelegate<Result>)? {
    didSet {
      // The rest of a batch goes neither to another delegate nor to the closure.
      if delegate !== oldValue || hasDelegate != (delegate != nil) { relay = DelegateRelay() }
      hasDelegate = delegate != nil
      connect()
    }
  }
  /// Whether a delegate was set, which may have been released since.
  private(set) var hasDelegate = false

  /// Receives each batch of changes as a whole, after the results have changed.
  ///
  /// It is called only if no delegate is set, which would receive the changes instead. If the
  /// delegate was released, nothing is called until ``delegate`` is set again, to nil for example.
  public var onChange: ((FetchedResultsChanges<Result>) -> Void)? {
    didSet { connect() }
  }

  /// Creates a controller, which has no results before ``performFetch()``.
  ///
  /// - Parameters:
  ///   - fetchRequest: The request, with at least one sort.
  ///   - managedObjectContext: The context whose changes the controller tracks.
  ///   - sectionKey: The path of the sections as a string, such as `author.name`; nil for one
  ///     section. A key path in its place is checked by the compiler.
  ///   - cacheName: The name of a section cache; nil for none.
  /// - Throws: `FetchedResultsError.missingSortDescriptors`.
  /// - Precondition: The context's model was created with the class.
  public init(
    fetchRequest: FetchRequest<Result>, managedObjectContext: ManagedObjectContext,
    sectionKey: String? = nil, cacheName: String? = nil
  ) throws(FetchedResultsError) {
    controller = try EngineFetchedResultsController(
      fetchRequest: fetchRequest.request(in: managedObjectContext),
      managedObjectContext: managedObjectContext, sectionNameKeyPath: sectionKey,
      cacheName: cacheName)
  }

  /// Creates a controller with sections by a property of the entity, or of a related object.
  ///
  /// Write the key path without a root: `\.genre`, `\.author.name`; see ``ManagedKeyPaths``.
  ///
  /// - Throws: `FetchedResultsError.missingSortDescriptors`.
  /// - Precondition: The context's model was created with the class.
  public convenience init(
    fetchRequest: FetchRequest<Result>, managedObjectContext: ManagedObjectContext,
    sectionNameKeyPath: KeyPath<Result.ManagedKeys, some ManagedPath>, cacheName: String? = nil
  ) throws(FetchedResultsError) {
    try self.init(
      fetchRequest: fetchRequest, managedObjectContext: managedObjectContext,
      sectionKey: Result.path(sectionNameKeyPath), cacheName: cacheName)
  }

  /// Refuses what is not a property of the entity.
  @_disfavoredOverload
  @available(
    *, unavailable,
    message: "sections take a property: write \\.genre or \\.author.name, without a root and '?'"
  )
  public convenience init(
    fetchRequest: FetchRequest<Result>, managedObjectContext: ManagedObjectContext,
    sectionNameKeyPath: KeyPath<Result, some Any>, cacheName: String? = nil
  ) throws(FetchedResultsError) {
    try self.init(fetchRequest: fetchRequest, managedObjectContext: managedObjectContext)
  }

  /// Creates a typed controller for a controller of the engine, which it shares.
  ///
  /// It takes the place of the engine's delegate when you set ``delegate`` or ``onChange``. So a
  /// typed list can be tested by `fuzz` of `FetchedResultsTesting`, which makes controllers of the
  /// engine.
  ///
  /// - Precondition: The entity of the controller's request has the properties of the class.
  public init(_ controller: EngineFetchedResultsController) {
    let entity = controller.fetchRequest.entity
    require(
      Result.managedSchema.fits(entity),
      "the controller's entity \(entity.name) does not have the properties of \(Result.self) in "
        + "the order of the class")
    self.controller = controller
  }

  private func connect() {
    relay.controller = self
    controller.delegate = !hasDelegate && onChange == nil ? nil : relay
  }
}

extension FetchedResultsController {
  /// The context whose changes the controller tracks.
  public var managedObjectContext: ManagedObjectContext { controller.managedObjectContext }

  /// The key path of the sections, such as `genre`; nil for one section.
  public var sectionNameKeyPath: String? { controller.sectionNameKeyPath }

  /// The name of the section cache; nil for none.
  public var cacheName: String? { controller.cacheName }

  /// Whether a change of a related object counts as a change of the objects that lead to it.
  ///
  /// The next ``performFetch()`` applies a new value. An object then also counts as changed if a
  /// related object changes a value that the sort, the section key path or the predicate reads.
  public var tracksRelatedObjects: Bool {
    get { controller.tracksRelatedObjects }
    set { controller.tracksRelatedObjects = newValue }
  }

  /// Whether the offset and the limit of the request hold while changes are tracked.
  ///
  /// The next ``performFetch()`` applies a new value. Otherwise they hold in that fetch only.
  public var keepsFetchLimit: Bool {
    get { controller.keepsFetchLimit }
    set { controller.keepsFetchLimit = newValue }
  }

  /// The reason why the controller no longer follows its context; nil while it follows, and before
  /// ``performFetch()``, which starts again.
  public var trackingError: FetchedResultsError? { controller.trackingError }

  /// Calls `handler` for each batch that changes the results, until the observation is cancelled or
  /// the controller is released.
  ///
  /// The handler is called at once with the present results, and then after each fetch and each
  /// batch. It is independent of ``delegate`` and ``onChange``.
  ///
  /// - Complexity: O(*k*) for a batch of *k* changes; O(*n*) for a fetch of *n* objects.
  @discardableResult
  public func observe(
    _ handler: @escaping (SectionedDifference) -> Void
  ) -> FetchedResultsObservation {
    controller.observe(handler)
  }

  /// Deletes a section cache, or with nil all of them.
  ///
  /// A cache that does not exist is not an error.
  ///
  /// - Throws: `SectionCacheError` if a cache's file cannot be removed.
  public static func deleteCache(
    withName name: String?, in coordinator: PersistentStoreCoordinator
  ) throws(SectionCacheError) {
    try EngineFetchedResultsController.deleteCache(withName: name, in: coordinator)
  }

  /// Replaces the request for the next ``performFetch()``.
  public func setFetchRequest(_ request: FetchRequest<Result>) {
    controller.fetchRequest = request.request(in: managedObjectContext)
  }

  /// Fetches, and replaces the results.
  ///
  /// - Throws: `FetchedResultsError`. The controller then has no results.
  /// - Complexity: O(*n* log *n*) in the entity's objects.
  public func performFetch() throws(FetchedResultsError) { try controller.performFetch() }

  /// Fetches, and replaces the results.
  ///
  /// While another process has locked the file, the task sleeps between attempts, and its actor is
  /// free for other work.
  ///
  /// - Throws: `FetchedResultsError`, with `FetchError.cancelled` if the task is cancelled.
  /// - Complexity: O(*n* log *n*) in the entity's objects.
  public func performFetch(
    isolation: isolated (any Actor)? = #isolation
  ) async throws(FetchedResultsError) {
    try await controller.performFetch(isolation: isolation)
  }

  /// The objects in order; nil before ``performFetch()``.
  public var fetchedObjects: ManagedResults<Result>? {
    controller.fetchedObjects.map(ManagedResults.init)
  }

  /// The objects in order; empty before ``performFetch()``.
  public var objects: [Result] { fetchedObjects.map(Array.init) ?? [] }

  /// The sections in order; nil before ``performFetch()``.
  public var sections: ManagedResultsSections<Result>? {
    controller.sections.map(ManagedResultsSections.init)
  }

  /// The object at an index path.
  ///
  /// - Precondition: There is one. To get an error instead, call ``object(at:)``.
  /// - Complexity: O(log *n*).
  public subscript(indexPath: ResultsIndexPath) -> Result {
    do {
      return try object(at: indexPath)
    } catch {
      let advice =
        error == .notFetched
        ? "object(at:) throws instead" : "check 'sections' first, or use object(at:), which throws"
      programmingError(
        "the results have no \(Result.self) at \(indexPath): \(error.reason); \(advice)")
    }
  }

  /// Returns the object at an index path.
  ///
  /// - Throws: `FetchedResultsError` if there is none.
  /// - Complexity: O(log *n*).
  public func object(at indexPath: ResultsIndexPath) throws(FetchedResultsError) -> Result {
    Result(managedObject: try controller.object(at: indexPath))
  }

  /// Returns the index path of an object; nil if it is not in the results.
  ///
  /// - Complexity: O(log *n*).
  public func indexPath(forObject object: Result) -> ResultsIndexPath? {
    controller.indexPath(forObject: object.managedObject)
  }

  /// The title of every section in the section index, in order.
  public var sectionIndexTitles: [String] { controller.sectionIndexTitles }

  /// Returns the title of a section in the section index.
  public func sectionIndexTitle(forSectionName sectionName: String) -> String {
    controller.sectionIndexTitle(forSectionName: sectionName)
  }

  /// Returns the index of the section for a title of the section index and the title's position.
  ///
  /// - Throws: `FetchedResultsError`.
  public func section(
    forSectionIndexTitle title: String, at index: Int
  ) throws(FetchedResultsError) -> Int {
    try controller.section(forSectionIndexTitle: title, at: index)
  }
}

extension FetchedResultsController {
  /// The changes of the results as values: first the complete results, then the difference of each
  /// batch.
  ///
  /// The elements contain identities and no objects, so another actor can read them. To get an
  /// object for an identity, call the context's `existingObject(with:)`.
  ///
  /// The controller tracks changes as long as the sequence is read. If it missed changes
  /// since ``performFetch()``, it fetches again when the sequence is created, so that no change is
  /// lost.
  public var changes: AsyncStream<SectionedDifference> { controller.changes }

  /// The sections with the identities of their objects: first the current ones, then those after
  /// each batch that changed them.
  ///
  /// A slow reader receives the newest sections and skips those between.
  ///
  /// - Complexity: O(*n*) for each batch with *n* objects, where ``changes`` takes O(*k*) for *k*
  ///   changes.
  public var snapshots: AsyncStream<[FetchedResultsSnapshot.Section]> { controller.snapshots }
}

/// The changes of a controller's results in one batch, in the order of the callbacks.
public struct FetchedResultsChanges<Result: ManagedEntity> {
  /// A change of one object.
  public struct ObjectChange {
    /// The object.
    public let object: Result
    /// The kind of change.
    public let type: FetchedResultsChangeType
    /// The index path before the batch; nil for an insert.
    public let indexPath: ResultsIndexPath?
    /// The index path after the batch; nil for a delete.
    public let newIndexPath: ResultsIndexPath?
  }

  /// A section that was inserted or deleted.
  public struct SectionChange {
    /// The section's name.
    public let name: String
    /// The section's index: before the batch for a delete, after it for an insert.
    public let index: Int
    /// The kind of change.
    public let type: FetchedResultsChangeType
  }

  /// The changes of objects.
  public internal(set) var objects: [ObjectChange] = []
  /// The changes of sections.
  public internal(set) var sections: [SectionChange] = []
}

/// The objects of a controller's results in order: all of them, or those of one section.
///
/// This is a view and not a copy: it changes together with the results. Each access to an object
/// creates a new instance for it.
public struct ManagedResults<Result: ManagedEntity>: RandomAccessCollection {
  private let objects: FetchedObjects

  init(_ objects: FetchedObjects) { self.objects = objects }

  /// 0.
  public var startIndex: Int { 0 }

  /// The number of objects.
  public var endIndex: Int { objects.endIndex }

  /// The object at an index.
  ///
  /// - Precondition: The index is at least 0 and less than `endIndex`.
  /// - Complexity: O(log *n*).
  public subscript(position: Int) -> Result { Result(managedObject: objects[position]) }
}

/// A section of a controller's results.
public struct ManagedResultsSection<Result: ManagedEntity> {
  private let info: FetchedResultsSectionInfo

  init(_ info: FetchedResultsSectionInfo) { self.info = info }

  /// The section's name: the description of its section key's value.
  ///
  /// It is empty for nil, or if there is no section key path.
  public var name: String { info.name }
  /// The title in the section index.
  public var indexTitle: String { info.indexTitle }
  /// The number of objects in the section; 0 once it is deleted.
  public var numberOfObjects: Int { info.numberOfObjects }
  /// The section's objects in order.
  public var objects: ManagedResults<Result> { ManagedResults(info.objects) }
}

/// A controller's sections, always in their current state.
public struct ManagedResultsSections<Result: ManagedEntity>: RandomAccessCollection {
  private let sections: FetchedResultsSections

  init(_ sections: FetchedResultsSections) { self.sections = sections }

  /// 0.
  public var startIndex: Int { 0 }
  /// The number of sections.
  public var endIndex: Int { sections.endIndex }

  /// The section at an index.
  ///
  /// - Complexity: O(log *s*) for *s* sections.
  public subscript(position: Int) -> ManagedResultsSection<Result> {
    ManagedResultsSection(sections[position])
  }
}

/// The engine's observable sections, whose name is hidden by this module's ``ObservableSections``.
public typealias EngineObservableSections = FetchedResults.ObservableSections

/// The sections of a controller, for views that observe them.
///
/// ```swift
/// let list = ObservableSections(of: controller)
/// // in a view: ForEach(list.sections) …
/// ```
public final class ObservableSections<Result: ManagedEntity>: Observable {
  private let base: EngineObservableSections
  /// Kept, because its delegate is called by it.
  private let controller: FetchedResultsController<Result>

  /// Creates the observable sections of a controller, which tracks changes from now on.
  ///
  /// - Complexity: O(*k*) for a batch of *k* changes, and the time to move the rows after them.
  public init(of controller: FetchedResultsController<Result>) {
    self.controller = controller
    base = EngineObservableSections(of: controller.controller)
  }

  /// The sections with the identities of their objects, as they are now.
  public var sections: [FetchedResultsSnapshot.Section] { base.sections }

  /// The last change; nil before the first fetch.
  public var lastChange: SectionedDifference? { base.lastChange }

  /// Returns the object at an index path; nil if there is none.
  public func object(at path: ResultsIndexPath) -> Result? {
    base.object(at: path).map(Result.init(managedObject:))
  }
}
