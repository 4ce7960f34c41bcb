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
  /// The request of the next ``performFetch()``. Tracking keeps the request of
  /// the last one.
  public var fetchRequest: FetchRequest
  /// The context whose changes are tracked.
  public let managedObjectContext: ManagedObjectContext
  /// The key path of the section names; nil for one section.
  public let sectionNameKeyPath: String?
  /// The name of the section cache; nil for none.
  public let cacheName: String?
  /// Hears of changes. One that is set after ``performFetch()`` tracks from
  /// then on, over the contents as they were fetched.
  public weak var delegate: (any FetchedResultsControllerDelegate)?

  private(set) var state: FetchedState?
  /// Batches that came while the delegate was told that one will follow; they
  /// become part of it.
  private var joining: [ContextChanges] = []
  private var isAnnouncing = false

  /// Creates a controller. It has no results before ``performFetch()``.
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
  public static func deleteCache(
    withName name: String?, in coordinator: PersistentStoreCoordinator
  ) {
    if let name {
      coordinator.sectionCaches.removeCache(named: name)
    } else {
      coordinator.sectionCaches.removeAll()
    }
  }

  /// Whether changes are reported: there is a delegate with a callback.
  var isTracking: Bool {
    !(delegate?.implementedMethods ?? []).isDisjoint(with: .changes)
  }
}

// MARK: - Following the context

extension FetchedResultsController: ContextChangeReceiver {
  func contextDidProcess(_ batch: ContextChanges, before later: [ContextChanges]) {
    guard let state else { return }
    guard isTracking, !state.isStopped, let delegate else {
      state.pin(batch)
      return
    }
    guard !isAnnouncing else {
      joining.append(batch)
      return
    }
    guard var decision = decide(batch, before: later, in: state), !decision.isEmpty else { return }
    isAnnouncing = true
    let methods = delegate.implementedMethods
    if methods.contains(.willChangeContent) { delegate.controllerWillChangeContent(self) }
    isAnnouncing = false
    guard self.state === state else { return finish(delegate, methods) }
    var whole = batch
    if !joining.isEmpty {
      whole = ContextChanges(joining: [batch] + joining)
      joining = []
      guard let again = decide(whole, before: [], in: state) else {
        return finish(delegate, methods)
      }
      decision = again
    }
    state.results.apply(decision.edits)
    for change in whole.changes { state.pinned[change.object.objectID.number] = nil }
    deliver(decision, to: delegate, methods, state)
    finish(delegate, methods)
  }

  func contextDidReset() { forget() }

  /// Ends what the last performFetch began, an announced batch included.
  private func forget() {
    state = nil
    joining = []
    isAnnouncing = false
  }

  /// Works out what a batch means, or nil where the results cannot follow it
  /// any more.
  private func decide(
    _ batch: ContextChanges, before later: [ContextChanges], in state: FetchedState
  ) -> ResultsDecision? {
    do {
      let rule = MembershipRule(
        entity: state.entity, predicate: state.predicate, results: state.results)
      let changed = try rule.changes(in: batch)
      guard !changed.isEmpty else { return ResultsDecision() }
      var hasNilSection = false
      let decision = try ResultsDiff.decide(
        changed, in: state.results, order: state.order,
        keys: state.keys(in: batch, before: later),
        sectionName: { snapshot in
          let section = state.sectionNames?.name(of: snapshot) ?? (name: "", isNil: false)
          hasNilSection = hasNilSection || section.isNil
          return section.name
        })
      if hasNilSection, let names = state.sectionNames {
        managedObjectContext.console?(names.nilValueMessage)
      }
      return decision
    } catch {
      managedObjectContext.console?(Self.consoleMessage(for: error))
      state.isStopped = true
      state.pin(batch)
      return nil
    }
  }

  /// What Core Data would print when a batch cannot be followed.
  private static func consoleMessage(for error: any Error) -> String {
    let reason =
      switch error {
      case ResultsDiff.Failure.outOfOrderSection(let offence):
        FetchedResultsError.outOfOrderSection(
          index: offence.rank, previousName: offence.previousName
        ).reason
      default: "\(error)"
      }
    return "CoreData: error: (NSFetchedResultsController) \(reason)"
  }

  private func finish(
    _ delegate: any FetchedResultsControllerDelegate, _ methods: FetchedResultsDelegateMethods
  ) {
    if methods.contains(.didChangeContent) { delegate.controllerDidChangeContent(self) }
  }
}

extension FetchedState {
  /// The values by which rows stand where they do, while a batch is decided:
  /// those before the batch, and before any that came behind it.
  func keys(
    in batch: ContextChanges, before later: [ContextChanges]
  ) -> (Int64) -> Snapshot? {
    let overlays = ([batch] + later).compactMap { $0.before[root] }.filter { !$0.isEmpty }
    return { [self] number in
      if let row = pinned[number] { return row.snapshot }
      for overlay in overlays {
        if let snapshot = overlay[number] { return snapshot }
      }
      return context.processedSnapshot(of: number, in: root)
    }
  }
}

// MARK: - Delivering

extension FetchedResultsController {
  private func deliver(
    _ decision: ResultsDecision, to delegate: any FetchedResultsControllerDelegate,
    _ methods: FetchedResultsDelegateMethods, _ state: FetchedState
  ) {
    let sections = methods.contains(.didChangeSection)
    if methods.contains(.didChangeObject) { deliver(decision.deletes, to: delegate, state) }
    if sections {
      for change in decision.sectionDeletes {
        let info = FetchedResultsSectionInfo(deleted: change.name, controller: self)
        delegate.controller(self, didChange: info, atSectionIndex: change.index, for: .delete)
      }
      for change in decision.sectionInserts {
        let info = FetchedResultsSectionInfo(
          entry: state.results.section(named: change.name), name: change.name, controller: self)
        delegate.controller(self, didChange: info, atSectionIndex: change.index, for: .insert)
      }
    }
    guard methods.contains(.didChangeObject) else { return }
    deliver(decision.inserts, to: delegate, state)
    deliver(decision.movesAndUpdates, to: delegate, state)
  }

  private func deliver(
    _ changes: [ResultsDecision.RowChange], to delegate: any FetchedResultsControllerDelegate,
    _ state: FetchedState
  ) {
    for change in changes {
      delegate.controller(
        self, didChange: change.object ?? state.object(change.number), at: change.indexPath,
        for: change.kind.type, newIndexPath: change.newIndexPath)
    }
  }
}

extension ResultsDecision.RowChange.Kind {
  fileprivate var type: FetchedResultsChangeType {
    switch self {
    case .insert: .insert
    case .delete: .delete
    case .move: .move
    case .update: .update
    }
  }
}

// MARK: - Fetching

extension FetchedResultsController {
  /// Fetches, and replaces the results. None of the callbacks is sent.
  ///
  /// A cache of the controller's name is used where it is valid, and written
  /// where it is not.
  ///
  /// - Throws: ``FetchedResultsError/fetch(_:)``,
  ///   ``FetchedResultsError/outOfOrderSection(index:previousName:)`` where a
  ///   section name comes back after another one, or
  ///   ``FetchedResultsError/cacheMismatch(name:)``. The controller then has no
  ///   results.
  /// - Complexity: O(*n* log *n*) in the entity's objects.
  public func performFetch() throws(FetchedResultsError) {
    forget()
    guard !fetchRequest.sortDescriptors.isEmpty else {
      throw FetchedResultsError.missingSortDescriptors
    }
    let context = managedObjectContext
    context.processPendingChanges()
    do {
      let request = fetchRequest
      let names = try sectionNameKeyPath.map { path throws(FetchError) in
        try SectionNames(keyPath: path, entity: request.entity)
      }
      let order = try RowOrder(
        request.sortDescriptors, entity: request.entity, locale: context.environment.locale)
      let predicate = try context.compile(request.predicate, for: request.entity)
      let rows = try cachedRows() ?? fetchRows(names)
      state = FetchedState(
        entity: request.entity, predicate: predicate, order: order, sectionNames: names,
        results: SectionedResults(
          numbers: rows.numbers, runs: rows.runs, isSectioned: names != nil),
        context: context)
    } catch let error as FetchError {
      throw FetchedResultsError.fetch(error)
    } catch let error as FetchedResultsError {
      throw error
    } catch {
      preconditionFailure("performFetch throws its own errors only")
    }
    context.markSeen(self)
  }

  private typealias Rows = (numbers: [Int64], runs: [SectionedResults.SectionRun])

  private func fetchRows(_ names: SectionNames?) throws -> Rows {
    let context = managedObjectContext
    let root = fetchRequest.entity.root
    let numbers = try context.fetchNumbers(fetchRequest)
    var sections = SectionOrder()
    var hasNilSection = false
    if let names {
      for number in numbers {
        guard let snapshot = context.snapshot(of: number, in: root) else { continue }
        let section = names.name(of: snapshot)
        hasNilSection = hasNilSection || section.isNil
        sections.append(section.name)
      }
      if hasNilSection { context.console?(names.nilValueMessage) }
    }
    if let offence = sections.offence {
      throw FetchedResultsError.outOfOrderSection(
        index: offence.rank, previousName: offence.previousName)
    }
    writeCache((numbers, sections.runs))
    return (numbers, sections.runs)
  }

  private func cachedRows() throws(FetchedResultsError) -> Rows? {
    let coordinator = managedObjectContext.coordinator
    guard let cacheName, let cache = coordinator.sectionCaches.cache(named: cacheName) else {
      return nil
    }
    let fingerprint = fingerprint
    guard cache.fingerprint.hasConfiguration(of: fingerprint) else {
      throw FetchedResultsError.cacheMismatch(name: cacheName)
    }
    guard cache.fingerprint == fingerprint, cache.staleness(for: coordinator.store) == nil,
      !managedObjectContext.hasPendingObjects(of: fetchRequest.entity.root)
    else { return nil }
    return (cache.numbers, cache.runs)
  }

  private func writeCache(_ rows: Rows) {
    guard let cacheName else { return }
    let coordinator = managedObjectContext.coordinator
    let isSaved = !managedObjectContext.hasPendingObjects(of: fetchRequest.entity.root)
    coordinator.sectionCaches.store(
      SectionCache(
        fingerprint: fingerprint, generation: isSaved ? coordinator.store.generation : nil,
        storeIdentifier: coordinator.store.identifier, runs: rows.runs, numbers: rows.numbers),
      named: cacheName)
  }

  private var fingerprint: CacheFingerprint {
    CacheFingerprint(
      request: fetchRequest, sectionNameKeyPath: sectionNameKeyPath,
      locale: managedObjectContext.environment.locale)
  }
}
