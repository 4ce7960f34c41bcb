/// Keeps the results of a fetch request in sections, and tells a delegate how
/// they change.
///
/// A controller has three modes. Without a delegate its contents stay as they
/// were fetched. With a delegate that implements a callback it tracks the
/// changes of its context. With a cache name as well it keeps the sections in
/// a cache that a later controller of the same configuration can use.
///
/// ```swift
/// let controller = try FetchedResultsController(
///   fetchRequest: request, managedObjectContext: context,
///   sectionNameKeyPath: "publisher", cacheName: nil)
/// controller.delegate = list
/// try controller.performFetch()
/// ```
///
/// Not `Sendable`; see ``PersistentStoreCoordinator``.
public final class FetchedResultsController {
  /// The request of the next ``performFetch()``.
  ///
  /// Tracking keeps the request of the last one.
  public var fetchRequest: FetchRequest
  /// The context whose changes are tracked.
  public let managedObjectContext: ManagedObjectContext
  /// The key path of the section names; nil for one section.
  public let sectionNameKeyPath: String?
  /// The name of the section cache; nil for none.
  public let cacheName: String?
  /// Receives changes.
  ///
  /// One that is set after ``performFetch()`` tracks from then on, over the
  /// contents as they were fetched.
  public weak var delegate: (any FetchedResultsControllerDelegate)? {
    didSet { learnMethods() }
  }
  /// The methods that the delegate is known not to implement.
  var unimplementedMethods: FetchedResultsDelegateMethods = []
  /// The method that the delegate is asked for at this moment; see ``noteUnimplemented(_:)``.
  var calledMethod: FetchedResultsDelegateMethods = []
  /// The shape of the trees that the next ``performFetch()`` makes; a test may
  /// want deep ones.
  package var treeShape = CountedTreeShape.standard

  /// Is told by what each batch is decided, before a delegate is told its changes.
  ///
  /// Evidence is kept only where someone learns about it.
  package var hearDecision: ((DecisionRecord) -> Void)?
  /// Whether the offset and the limit of the request hold while changes are tracked.
  ///
  /// The next ``performFetch()`` takes it over.
  ///
  /// Apple's controller heeds them in ``performFetch()`` only: later every object that matches
  /// becomes a row, and the results grow beyond the limit. With this option the results are
  /// at every moment what a fetch without a limit would find, cut to the offset and the limit. When
  /// a row leaves, the next one that matches comes in as an insert; when one comes in, the last
  /// one leaves as a delete. Unsaved changes count, also in ``performFetch()``.
  ///
  /// The controller keeps the order of all objects that match, about 15 bytes for each. A batch
  /// of *k* changes takes O(*k* log *n*) for *n* objects that match, and reads only those that
  /// come in. Without a limit and an offset the option does nothing.
  public var keepsFetchLimit = false
  /// Whether a change of a related object counts as a change of the objects that lead to it.
  ///
  /// The next ``performFetch()`` takes it over.
  ///
  /// Apple's controller reports changes of the fetched objects alone. With this option an object
  /// counts as changed if a value changes that the sort, the section key path or the
  /// predicate reads of an object on the other side of a relationship. Rows then move, come and go
  /// as by a change of their own; those that stay are updates. Other values of the related object
  /// do not count, nor does assigning an equal value.
  ///
  /// Nothing is kept for it: an object that changed is led back along the inverse relationships,
  /// or by an index of the store where a relationship has none. A batch takes
  /// O((*k* + *r*) log *n*) for *k* changes and the *r* objects that lead to them. Give the
  /// relationships inverses: without one the unsaved objects are looked through as well. A merge
  /// of the deletion of an object that the context never read, and that a to-many relationship
  /// leads to, takes a fetch.
  ///
  /// An object that is marked for deletion may still be led to, where the delete rule is deny or
  /// noAction. Its values are read until the deletion is saved. The deletion and the save both
  /// count as changes.
  public var tracksRelatedObjects = false
  /// What the controller does as older versions of Apple's did.
  package var quirks: FetchedResultsQuirks = []
  /// What the last performFetch found under the cache's name.
  package internal(set) var cacheFinding: SectionCacheFinding?

  /// Why the controller no longer follows its context; nil while it does,
  /// and before the first ``performFetch()``, which begins again.
  ///
  /// A controller stops if its predicate raises on a changed object, and if it has to fetch again,
  /// because others saved into the store's file, and cannot. Its results then stay as they are, and
  /// its delegate is told about no change.
  public var trackingError: FetchedResultsError? { state?.trackingError }

  var state: FetchedState?
  /// Those who receive changes as values, in the order in which they began.
  var observers: [FetchedResultsObservation] = []
  /// Batches that came while the delegate was told that one will follow; they
  /// become part of it.
  var joining: [ContextChanges] = []
  var isAnnouncing = false

  /// Creates a controller, which has no results before ``performFetch()``.
  ///
  /// - Throws: ``FetchedResultsError/missingSortDescriptors``.
  public init(
    fetchRequest: FetchRequest, managedObjectContext: ManagedObjectContext,
    sectionNameKeyPath: String? = nil, cacheName: String? = nil
  ) throws(FetchedResultsError) {
    guard !fetchRequest.sortDescriptors.isEmpty else {
      throw FetchedResultsError.missingSortDescriptors
    }
    self.fetchRequest = fetchRequest
    self.managedObjectContext = managedObjectContext
    self.sectionNameKeyPath = sectionNameKeyPath
    self.cacheName = cacheName
    managedObjectContext.addReceiver(self)
  }

  /// Deletes a section cache, or with nil all of them.
  ///
  /// A cache that does not exist is no error.
  ///
  /// - Throws: ``SectionCacheError`` if a cache's file cannot be removed. A cache that is kept in
  ///   memory always can.
  public static func deleteCache(
    withName name: String?, in coordinator: PersistentStoreCoordinator
  ) throws(SectionCacheError) {
    if let name {
      try coordinator.sectionCaches.removeCache(named: name)
    } else {
      try coordinator.sectionCaches.removeAll()
    }
  }
}

extension FetchedResultsController {
  /// Fetches, and replaces the results.
  ///
  /// None of the callbacks is sent, but a delegate that takes snapshots gets
  /// one.
  ///
  /// A cache of the controller's name is used where it is valid, and written
  /// where it is not.
  ///
  /// - Throws: ``FetchedResultsError/fetch(_:)``,
  ///   ``FetchedResultsError/outOfOrderSection(index:previousName:)`` if a section name comes back
  ///   after another one, or ``FetchedResultsError/cacheMismatch(name:)``. The controller then has
  ///   no results.
  /// - Complexity: O(*n* log *n*) in the entity's objects.
  public func performFetch() throws(FetchedResultsError) {
    forget()
    guard !fetchRequest.sortDescriptors.isEmpty else {
      throw FetchedResultsError.missingSortDescriptors
    }
    if fetchRequest.resultType == .dictionaries, delegate != nil {
      throw FetchedResultsError.dictionaryResultsWithTracking
    }
    guard fetchRequest.resultType == .managedObjects else {
      throw FetchedResultsError.otherResultType(fetchRequest.resultType)
    }
    let context = managedObjectContext
    context.process()
    do {
      var request = fetchRequest
      // What tracking compares with the rows are the values of now.
      request.includesPendingChanges = true
      if request.shouldRefreshRefetchedObjects { try refreshObjects(of: request) }
      let order = try RowOrder(
        request.sortDescriptors, section: sectionNameKeyPath, entity: request.entity,
        locale: context.environment.locale)
      let names = sectionNameKeyPath.flatMap { path in
        order.sectionIndex.map { SectionNames(keyPath: path, index: $0) }
      }
      let predicate = try ContextFetch(context).compile(request.predicate, for: request.entity)
      // What the callbacks of the first changed.
      context.process()
      self.state = try context.persistentStoreCoordinator.store.readingOneState {
        let window = keepsFetchLimit ? LimitWindow(request) : nil
        let fetch = RowFetch(
          context: context, request: request, names: names, order: order, window: window)
        let rows = try fetch.rows(of: cachedRows(fetch) ?? fetchRowsForCache(fetch))
        let state = FetchedState(
          request: request, predicate: predicate, order: order, sectionNames: names,
          results: SectionedResults(
            numbers: rows.numbers, runs: rows.runs, isSectioned: names != nil, shape: treeShape),
          keys: rows.keys, context: context)
        if tracksRelatedObjects {
          state.crossed = request.crossedObjects(section: sectionNameKeyPath)
        }
        state.keptLimit = window.map { KeptLimit($0, rows.matching ?? [], shape: treeShape) }
        state.keep(rows.rows)
        state.pinned = state.rowsToPin(among: rows.matching ?? rows.numbers)
        return state
      }
    } catch let error as FetchError {
      throw FetchedResultsError.fetch(error)
    } catch let error as FetchedResultsError {
      error.consoleLine.map { context.console?($0) }
      throw error
    } catch let error as StoreError {
      throw FetchedResultsError.fetch(.store(error))
    } catch {
      preconditionFailure("performFetch throws its own errors only")
    }
    context.markSeen(self)
    readAhead()
    announceFetch()
  }

  /// Gives the objects that the request finds newer values before the results are made
  /// of them.
  private func refreshObjects(of request: FetchRequest) throws(FetchError) {
    let context = managedObjectContext
    let numbers = try ContextFetch(context).numbers(request)
    FetchOptions(context).refresh(numbers, in: request.entity.root)
    try context.checkReads()
    context.process()
  }

  /// Reads the objects of all rows, and those that they are related to, where the request
  /// asks for it.
  ///
  /// With a batch size rows are read in parts later, and what they are related to with
  /// them.
  private func readAhead() {
    guard let state else { return }
    let request = state.request
    let paths = request.relationshipKeyPathsForPrefetching
    guard !request.returnsObjectsAsFaults || !paths.isEmpty && request.fetchBatchSize == 0 else {
      return
    }
    var objects: [ManagedObject] = []
    while objects.count < state.results.rowCount {
      let run = state.results.run(from: objects.count)
      state.adoptKeptRows(run)
      objects += zip(run, managedObjectContext.objects(run, in: state.root)).map { number, object in
        object ?? managedObjectContext.missingObject(number, of: state.entity)
      }
    }
    FetchOptions(managedObjectContext).prefetch(paths, of: objects.map(\.row))
  }
}
