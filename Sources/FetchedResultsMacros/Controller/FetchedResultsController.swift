public import FetchedResults

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
  private let relay = DelegateRelay<Result>()

  /// The delegate that is called when the results change.
  ///
  /// The reference is weak.
  public weak var delegate: (any FetchedResultsControllerDelegate<Result>)? {
    didSet { connect() }
  }

  /// Receives each batch of changes as a whole, after the results have changed.
  ///
  /// It is called only if there is no delegate, which would receive the changes instead.
  public var onChange: ((FetchedResultsChanges<Result>) -> Void)? {
    didSet { connect() }
  }

  /// Creates a controller, which has no results before ``performFetch()``.
  ///
  /// - Throws: `FetchedResultsError.missingSortDescriptors`.
  /// - Precondition: The context's model was created with the class.
  public init(
    fetchRequest: FetchRequest<Result>, managedObjectContext: ManagedObjectContext,
    sectionNameKeyPath: String? = nil, cacheName: String? = nil
  ) throws(FetchedResultsError) {
    controller = try EngineFetchedResultsController(
      fetchRequest: fetchRequest.request(in: managedObjectContext),
      managedObjectContext: managedObjectContext, sectionNameKeyPath: sectionNameKeyPath,
      cacheName: cacheName)
  }

  /// Creates a controller with sections by a property of the class.
  ///
  /// - Throws: `FetchedResultsError.missingSortDescriptors`.
  /// - Precondition: The context's model was created with the class, and the key path is a single
  ///   property of its entity.
  public convenience init(
    fetchRequest: FetchRequest<Result>, managedObjectContext: ManagedObjectContext,
    sectionNameKeyPath: KeyPath<Result, some Any>, cacheName: String? = nil
  ) throws(FetchedResultsError) {
    guard let name = Result.managedSchema.name(of: sectionNameKeyPath) else {
      programmingError(
        "\(sectionNameKeyPath.words) is not a property of \(Result.self)'s entity, and cannot "
          + "divide it into sections; write a path over relationships as a string, such as "
          + "\"author.name\"")
    }
    try self.init(
      fetchRequest: fetchRequest, managedObjectContext: managedObjectContext,
      sectionNameKeyPath: name, cacheName: cacheName)
  }

  private func connect() {
    relay.controller = self
    controller.delegate = delegate == nil && onChange == nil ? nil : relay
  }
}

extension FetchedResultsController {
  /// The context whose changes the controller tracks.
  public var managedObjectContext: ManagedObjectContext { controller.managedObjectContext }

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
  /// The controller tracks changes as long as someone iterates the sequence. If it missed changes
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
