import Foundation

/// Keeps the results of a fetch request in sections, and tells a delegate how
/// they change.
///
/// A controller has three modes. Without a delegate, its contents stay as they were fetched. With a
/// delegate that implements a callback, it tracks the changes of its context. If it also has a
/// cache name, it keeps the sections in a cache for later controllers of the same configuration.
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
  /// Changes take effect at the next fetch. Tracking uses the request of the last one.
  public var fetchRequest: FetchRequest
  /// The context whose changes are tracked.
  public let managedObjectContext: ManagedObjectContext
  /// The key path of the section names; nil for one section.
  public let sectionNameKeyPath: String?
  /// The name of the section cache; nil for none.
  public let cacheName: String?
  /// Receives changes.
  ///
  /// A delegate that is set after ``performFetch()`` starts tracking then, from the contents as
  /// they were fetched. A delegate that is replaced or removed in a callback receives nothing more.
  public weak var delegate: (any FetchedResultsControllerDelegate)? {
    didSet {
      if delegate !== oldValue { delegateChanges += 1 }
      unimplementedMethods = []
      hasWarnedOfDifference = false
    }
  }
  /// How many times the delegate was replaced or removed.
  @exclusivity(unchecked) private(set) var delegateChanges = 0
  /// How many delegates have handed the announced batch over to the next one.
  var handovers = 0
  /// The most delegates that hand one batch over.
  static let mostHandovers = 10
  /// Whether the console says that the delegate receives no differences, because of the sections.
  var hasWarnedOfDifference = false
  /// The methods that the delegate is known not to implement.
  var unimplementedMethods: FetchedResultsDelegateMethods = []
  /// The method of the delegate that is being called; see ``noteUnimplemented(_:)``.
  var calledMethod: FetchedResultsDelegateMethods = []
  /// The shape of the trees that the next ``performFetch()`` makes.
  ///
  /// A test may use deep ones.
  package var treeShape = CountedTreeShape.standard

  /// Called with the reasons of each batch, before the delegate receives its changes.
  ///
  /// Reasons are kept only if this is set.
  package var onDecision: ((DecisionRecord) -> Void)?
  /// Whether the offset and the limit of the request hold while changes are tracked.
  ///
  /// The next ``performFetch()`` applies a new value.
  ///
  /// Apple's controller applies the limit only in ``performFetch()``. Later, every object that
  /// matches becomes a row, and the results grow beyond the limit. With this option, the results
  /// are always what a fetch without a limit would find, cut to the offset and the limit. When a
  /// row leaves, the next matching row comes in as an insert. When a row comes in, the last one
  /// leaves as a delete. Unsaved changes count, also in ``performFetch()``.
  ///
  /// The controller keeps the order of all matching objects, about 15 bytes for each. A batch of
  /// *k* changes takes O(*k* log *n*) for *n* matching objects, and reads only those that come in.
  /// Without a limit and an offset, the option does nothing.
  public var keepsFetchLimit = false
  /// Whether a change of a related object counts as a change of the objects that lead to it.
  ///
  /// The next ``performFetch()`` applies a new value.
  ///
  /// Apple's controller reports changes of the fetched objects only. With this option, an object
  /// also counts as changed if a related object changes a value that the sort, the section key path
  /// or the predicate reads. Its row then moves, enters or leaves as after a change of its own. A
  /// row that stays is an update. Other values of the related object do not count, and neither does
  /// assigning an equal value.
  ///
  /// The option keeps no index. The controller goes from the changed object back along the inverse
  /// relationships, or uses an index of the store if a relationship has no inverse. A batch takes
  /// O((*k* + *r*) log *n*) for *k* changes and the *r* objects that lead to them. Give the
  /// relationships inverses: without one, unsaved objects are searched as well. The controller
  /// fetches in one case: a merge deletes an object that the context never read, and a to-many
  /// relationship leads to that object.
  ///
  /// If a delete rule is deny or noAction, relationships may still lead to an object that is marked
  /// for deletion. Its values are read until the deletion is saved. Both the deletion and the save
  /// count as changes.
  public var tracksRelatedObjects = false
  /// Behaviour of older versions of Apple's controller to imitate.
  package var quirks: FetchedResultsQuirks = []
  /// What the last `performFetch` found in the cache of its name.
  package internal(set) var cacheFinding: SectionCacheFinding?

  /// The reason why the controller no longer follows its context; nil while it follows, and before
  /// ``performFetch()``, which starts again.
  ///
  /// A controller stops if its predicate raises on a changed object. It also pauses if it has to
  /// fetch again, because others saved into the store's file, and the store cannot be read or the
  /// fetch is cancelled. Then its results stay as they are, and its delegate receives nothing. After
  /// a pause it tries again with each processing of changes, until it has reported everything.
  public var trackingError: FetchedResultsError? { state?.trackingError }

  /// Whether this is the controller of an ``ObservedResults``.
  ///
  /// Its request may have no sort keys, because the identity of an object always is the last one.
  let isHidden: Bool
  var state: FetchedState?
  /// The observers that receive changes as values, in the order in which they were added.
  var observers: [FetchedResultsObservation] = []
  /// The part of the engine that follows the results; nil if none does.
  var follower: ResultsFollower?
  /// Changes of the results that the observers have not received, oldest first.
  var undelivered: [UndeliveredChange] = []
  /// The number of the last change for the observers.
  var changeCount = 0
  /// Whether the delegate or an observer is being called.
  ///
  /// The observers receive changes after that.
  var isTelling = false
  /// Batches that arrived during `willChangeContent`, and that become part of the announced batch.
  var joining: [ContextChanges] = []
  var isAnnouncing = false
  /// What was decided about the next batch before its delivery.
  var decided: EarlyDecision?

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
    isHidden = false
    managedObjectContext.addReceiver(self)
  }

  /// Creates the controller of an ``ObservedResults``.
  init(hiddenFor fetchRequest: FetchRequest, _ context: ManagedObjectContext, section: String?) {
    self.fetchRequest = fetchRequest
    managedObjectContext = context
    sectionNameKeyPath = section
    cacheName = nil
    isHidden = true
    context.addReceiver(self)
  }

  /// Deletes a section cache, or with nil all of them.
  ///
  /// A cache that does not exist is not an error.
  ///
  /// - Throws: ``SectionCacheError`` if a cache's file cannot be removed. Removing a cache in
  ///   memory never fails.
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
  /// No callback is sent, except that a delegate that takes snapshots gets one.
  ///
  /// A valid cache of the controller's name is used. Otherwise the cache is written.
  ///
  /// - Throws: ``FetchedResultsError/fetch(_:)``,
  ///   ``FetchedResultsError/outOfOrderSection(index:previousName:)`` if a section name comes back
  ///   after another one, or ``FetchedResultsError/cacheMismatch(name:)``. The controller then has
  ///   no results, and neither do its observers.
  /// - Complexity: O(*n* log *n*) in the entity's objects.
  ///
  /// A fetch that is cancelled leaves the controller as it was.
  public func performFetch() throws(FetchedResultsError) {
    let hadResults = state != nil
    do {
      try replaceResults(orKeepAfter: { $0 == .fetch(.cancelled) })
    } catch {
      if hadResults, state == nil { tellObserversAll() }
      throw error
    }
  }

  /// Fetches, and replaces the results, or returns to them after some errors.
  ///
  /// After other errors there are no results, and the caller has to tell the observers.
  func replaceResults(
    orKeepAfter keeps: (FetchedResultsError) -> Bool
  ) throws(FetchedResultsError) {
    let old = (state: state, isAnnouncing: isAnnouncing, joining: joining)
    let sequence = managedObjectContext.sequence
    do {
      try replaceResults()
    } catch {
      if let state = old.state, keeps(error) {
        restore(state, asOf: sequence)
        // In willChangeContent, the announced batch still comes.
        (isAnnouncing, joining) = (old.isAnnouncing, old.joining)
      }
      throw error
    }
  }

  /// Returns to earlier results.
  ///
  /// - Parameter sequence: The last batch that they include.
  private func restore(_ old: FetchedState, asOf sequence: Int) {
    state = old
    guard managedObjectContext.sequence != sequence else { return }
    // What was processed in the meantime is found by a fetch.
    old.mustFetch = true
    managedObjectContext.fetchesAgain = true
    managedObjectContext.awaitEndOfTurn()
  }

  /// Fetches, and replaces the results.
  ///
  /// If it throws, there are no results, and the caller has to tell the observers.
  func replaceResults() throws(FetchedResultsError) {
    forget()
    guard isHidden || !fetchRequest.sortDescriptors.isEmpty else {
      throw FetchedResultsError.missingSortDescriptors
    }
    if fetchRequest.resultType == .dictionaries, delegate != nil {
      throw FetchedResultsError.dictionaryResultsWithTracking
    }
    guard fetchRequest.resultType == .managedObjects else {
      throw FetchedResultsError.otherResultType(fetchRequest.resultType)
    }
    let context = managedObjectContext
    Renumbering(context).renumberBeforeReading()
    context.process()
    if context.isTurnStopped { throw FetchedResultsError.fetch(.cancelled) }
    do {
      var request = fetchRequest
      // Tracking compares the present values with the rows.
      request.includesPendingChanges = true
      let store = context.persistentStoreCoordinator.store
      let isRefreshing = request.shouldRefreshRefetchedObjects
      if isRefreshing { try refreshObjects(of: request) }
      let savesAtRefresh = store.foreignSaves
      // The results from before report the newer values.
      if isRefreshing { context.process() }
      let order = try RowOrder(
        request.sortDescriptors, section: sectionNameKeyPath, entity: request.entity,
        locale: context.environment.locale)
      let names = sectionNameKeyPath.flatMap { path in
        order.sectionIndex.map {
          SectionNames(
            keyPath: path, index: $0, type: request.entity.attribute(atKeyPath: path)?.type,
            reportsNil: !isHidden)
        }
      }
      let predicate = try ContextFetch(context).compile(request.predicate, for: request.entity)
      // Processes what the first callbacks changed.
      context.process()
      try store.readingOneState {
        if isRefreshing, store.foreignSaves != savesAtRefresh { try refreshObjects(of: request) }
        let window = keepsFetchLimit ? LimitWindow(request) : nil
        var fetch = RowFetch(
          context: context, request: request, names: names, order: order, window: window)
        fetch.countsSections = countsSections(of: request)
        let matching = try cachedRows(fetch) ?? fetchRowsForCache(fetch)
        let rows = try fetch.rows(of: matching)
        let state = FetchedState(
          request: request, predicate: predicate, order: order, sectionNames: names,
          results: ResultRows(
            numbers: rows.numbers, runs: rows.runs, isSectioned: names != nil, shape: treeShape),
          keys: rows.keys, context: context)
        if tracksRelatedObjects {
          state.crossed = request.crossedObjects(section: sectionNameKeyPath)
        }
        state.keptLimit = window.map { KeptLimit($0, rows.matching ?? [], shape: treeShape) }
        // A search for places needs rows in their own sections.
        state.mustFetch = matching.hasForeignRows
        state.hasForeignRows = matching.hasForeignRows
        let leftOut = state.keep(rows.rows)
        state.pinned = state.rowsToPin(among: rows.matching ?? rows.numbers)
        // Freeing a million rows takes a third of a second. Meanwhile another thread that does it
        // slows this one down, so it does it only where someone may wait for an answer.
        if leftOut > 0, StopCheck.isInstalled {
          releaseInBackground((consume matching, consume rows), count: leftOut)
        }
        if StopCheck.isStopped { throw FetchError.cancelled }
        self.state = state
        context.markSeen(self)
        noteReplacement()
        // Others may save after the fetch. Its objects would then not fit their related objects.
        readAhead()
      }
    } catch let error as FetchError {
      throw FetchedResultsError.fetch(error)
    } catch let error as FetchedResultsError {
      error.consoleLine.map { context.console?($0) }
      throw error
    } catch let error as StoreError {
      throw FetchedResultsError.fetch(.store(error))
    } catch {
      throw FetchedResultsError.fetch(
        .store(
          .unusable(
            store: context.persistentStoreCoordinator.store.identifier, reason: "\(error)")))
    }
    announceFetch()
  }

  /// Whether the quirk ``FetchedResultsQuirks/countedSections`` applies to a fetch.
  ///
  /// Only SQL can count the rows of a section. So the store must be in a file, the section key must
  /// be stored, and nothing that the request reads may be unsaved.
  private func countsSections(of request: FetchRequest) -> Bool {
    guard quirks.contains(.countedSections), let sectionNameKeyPath, cacheName == nil,
      request.fetchLimit <= 0, request.fetchOffset <= 0
    else { return false }
    let context = managedObjectContext
    return context.parent == nil && context.persistentStoreCoordinator.store.readsInBatches
      && !request.differsFromStore(in: context, section: sectionNameKeyPath)
      && !request.entity.leadsToTransient(sectionNameKeyPath)
  }

  /// Gives the objects that the request finds the values of the store.
  private func refreshObjects(of request: FetchRequest) throws(FetchError) {
    let fetch = ContextFetch(managedObjectContext)
    try fetch.readingOneState { () throws(FetchError) in
      let numbers = try fetch.numbers(request)
      FetchOptions(managedObjectContext).refresh(numbers, in: request.entity.root)
    }
    try managedObjectContext.checkReads()
  }

  /// Reads the objects of all rows, and their related objects, if the request asks for that.
  ///
  /// With a batch size, rows and their related objects are read in parts later.
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

/// Finds out which methods a delegate implements.
extension FetchedResultsController {
  /// The methods to call; none without a delegate.
  var delegateMethods: FetchedResultsDelegateMethods {
    guard let delegate else { return [] }
    let methods = delegate.resolvedMethods
    return methods.contains(.assumed) ? methods.subtracting(unimplementedMethods) : methods
  }

  /// Notes that the delegate has only the default implementation of a method.
  ///
  /// Calls that the delegate makes itself, inside another method, do not count.
  package func noteUnimplemented(_ method: FetchedResultsDelegateMethods) {
    guard calledMethod == method else { return }
    unimplementedMethods.insert(method)
  }

  /// Calls a method of the delegate, and notices if it is the default implementation.
  @discardableResult func calling<Result>(
    _ method: FetchedResultsDelegateMethods, _ body: () -> Result
  ) -> Result {
    let outer = calledMethod
    calledMethod = method
    defer { calledMethod = outer }
    return body()
  }
}

/// An error of a controller, with the text that Apple's controller raises or reports.
public enum FetchedResultsError: Error, Hashable, Sendable {
  /// A request without sort descriptors was given.
  case missingSortDescriptors
  /// The request is for dictionaries, and a delegate tracks changes.
  case dictionaryResultsWithTracking
  /// The request does not return objects.
  case otherResultType(FetchRequestResultType)
  /// Results were requested before `performFetch`, or after the context was reset.
  case notFetched
  /// The section has no object at the index.
  case noObject(index: Int, section: Int)
  /// There is no section at the index.
  case noSection(index: Int)
  /// A section name occurs again after another one.
  case outOfOrderSection(index: Int, previousName: String)
  /// A section cache of this name was made for another configuration.
  case cacheMismatch(name: String)
  /// The title is not the one at the position in the section index.
  case wrongSectionIndexTitle(String, index: Int)
  /// The results are inconsistent with the objects, and cannot be updated.
  case lostTrack
  /// The fetch failed.
  case fetch(FetchError)
}

extension FetchRequestResultType {
  /// What a request of this type returns, for a message.
  fileprivate var words: String {
    switch self {
    case .managedObjects: "objects"
    case .managedObjectIDs: "object IDs"
    case .dictionaries: "dictionaries"
    case .count: "a count"
    }
  }
}

extension FetchedResultsError {
  /// The exception that Apple's controller raises, or the error's domain and code; nil for an error
  /// without them.
  public var name: String? {
    switch self {
    case .missingSortDescriptors, .notFetched, .noObject, .dictionaryResultsWithTracking:
      "NSInvalidArgumentException"
    case .noSection, .cacheMismatch, .wrongSectionIndexTitle: "NSInternalInconsistencyException"
    case .outOfOrderSection: "NSCocoaErrorDomain 134060"
    case .lostTrack, .fetch, .otherResultType: nil
    }
  }

  /// The reason, in Apple's words if a public log has them.
  public var reason: String {
    switch self {
    case .missingSortDescriptors:
      "An instance of NSFetchedResultsController requires a fetch request with sort descriptors"
    case .dictionaryResultsWithTracking:
      "NSFetchedResultsController does not support both change tracking and fetch request's with "
        + "NSDictionaryResultType"
    case .otherResultType(let type):
      "a controller's results are objects here, not \(type.words); a fetch returns those"
    case .notFetched: "the controller has no results; performFetch comes first"
    case .noObject(let index, let section):
      "no object at index \(index) in section at index \(section)"
    case .noSection(let index): "no section at index \(index)"
    case .outOfOrderSection(let index, let previousName):
      "The fetched object at index \(index) has an out of order section name '\(previousName). "
        + "Objects must be sorted by section name'"
    case .cacheMismatch:
      "CoreData: FATAL ERROR: The persistent cache of section information does not match the "
        + "current configuration.  You have illegally mutated the NSFetchedResultsController's "
        + "fetch request, its predicate, or its sort descriptor without either disabling caching "
        + "or using +deleteCacheWithName:"
    case .wrongSectionIndexTitle(let title, let index):
      "the section index has no title '\(title)' at index \(index)"
    case .lostTrack: "the results contradict their objects; call performFetch again"
    case .fetch(let error): error.description
    }
  }
}

extension FetchedResultsError {
  /// What Core Data prints on the console before it raises or reports the error; nil if it prints
  /// nothing.
  package var consoleLine: String? {
    switch self {
    case .noObject: "CoreData: error: NSFetchedResultsController: \(reason)"
    case .outOfOrderSection: "CoreData: error: (NSFetchedResultsController) \(reason)"
    case .missingSortDescriptors, .notFetched, .noSection, .cacheMismatch,
      .wrongSectionIndexTitle, .lostTrack, .fetch, .dictionaryResultsWithTracking,
      .otherResultType:
      nil
    }
  }
}

extension FetchedResultsError: _DescribedError {
  /// The exception's name and the reason.
  public var description: String { name.map { "\($0): \(reason)" } ?? reason }
}

extension SectionedDifference.MismatchError: _DescribedError {}
