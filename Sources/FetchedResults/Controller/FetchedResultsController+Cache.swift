extension FetchedResultsController {
  /// The cache of the controller's name; nil for a controller without one.
  ///
  /// If the limit is kept, it is the cache of the request without a limit.
  private func cacheUse(of fetch: RowFetch) -> SectionCacheUse? {
    cacheName.map { name in
      SectionCacheUse(
        name: name, request: fetch.request, sectionNameKeyPath: sectionNameKeyPath,
        context: managedObjectContext)
    }
  }

  /// Returns the rows of the cache, if it belongs to the store's present state.
  ///
  /// - Throws: ``FetchedResultsError/cacheMismatch(name:)``, or ``FetchError`` if the order needs
  ///   keys that cannot be read.
  func cachedRows(_ fetch: RowFetch) throws -> RowFetch.Matching? {
    cacheFinding = nil
    guard let use = cacheUse(of: fetch) else { return nil }
    let (found, finding) = try use.read()
    cacheFinding = finding
    guard let cache = found else { return nil }
    let keys =
      fetch.order.needsKeys
      ? try ContextFetch(managedObjectContext).keys(
        of: FoundRows(numbers: cache.numbers), in: fetchRequest.entity, by: fetch.order) : [:]
    return RowFetch.Matching(
      numbers: cache.numbers, sections: SectionOrder(checked: cache.runs), keys: keys)
  }

  /// Fetches rows, and writes them into the section cache.
  ///
  /// Rows are not written if a section name occurs again after another one.
  func fetchRowsForCache(_ fetch: RowFetch) throws -> RowFetch.Matching {
    let use = cacheUse(of: fetch)
    let basis = use?.basis
    let found = try fetch.matching()
    if let use, let basis, found.sections.offence == nil,
      let failure = use.write(found.numbers, found.sections.runs, basis)
    {
      cacheFinding?.failure = failure
    }
    return found
  }

  /// Computes the cache again if it became stale since the last `performFetch`.
  ///
  /// A cache that was replaced for another configuration is not touched.
  ///
  /// The results of this controller do not change.
  func renewCache() {
    let coordinator = managedObjectContext.persistentStoreCoordinator
    guard let cacheName, let state,
      case .cache(let cache) = coordinator.sectionCaches.reading(of: cacheName),
      cache.staleness(for: coordinator.store) != nil, !cache.fingerprint.isUnrepeatable
    else { return }
    let context = ManagedObjectContext(coordinator: coordinator)
    context.environment = managedObjectContext.environment
    let controller = try? FetchedResultsController(
      fetchRequest: state.request, managedObjectContext: context,
      sectionNameKeyPath: sectionNameKeyPath, cacheName: cacheName)
    controller?.keepsFetchLimit = state.keptLimit != nil
    // If the fetch fails, the stale cache remains, and is ignored.
    try? controller?.performFetch()
  }
}

extension PersistentStoreCoordinator {
  /// Updates the section caches of controllers, and writes their files.
  ///
  /// Call this when nothing more will be saved, such as before a program ends. It fetches for each
  /// cache that a save has made stale. Without it, the next process fetches.
  ///
  /// - Throws: The error of the first file that could not be written.
  public func writeSectionCaches(
    of controllers: [FetchedResultsController]
  ) throws(SectionCacheError) {
    for controller in controllers { controller.renewCache() }
    try sectionCaches.writePending()
  }
}

/// What a `performFetch` found in the cache of its name, and what it did.
package struct SectionCacheFinding: Sendable {
  package var state: State
  /// Why the computed sections could not be kept for later processes.
  package var failure: SectionCacheError?

  package enum State: Hashable, Sendable {
    case nothing
    case used
    /// The cache was computed again. `isOwn` tells whether this process had made or verified the
    /// old one.
    case stale(SectionCache.Staleness, isOwn: Bool)
    case unusable(UnusableSectionCache)
  }
}

extension FetchRequest {
  /// Whether a context may find other rows, or other sections, than the store has.
  ///
  /// Values of related objects are those of the context, also where others have saved newer ones
  /// that it has not merged.
  func differsFromStore(in context: ManagedObjectContext, section: String?) -> Bool {
    if context.hasUnsavedObjects(of: entity.root) { return true }
    let crossed = crossedObjects(section: section)
    guard !crossed.isEmpty else { return false }
    let roots = crossed.map(\.entity.root) + [entity.root]
    return roots.contains {
      context.knowsUnsavedObjects(of: $0) || context.mayKnowOlderObjects(of: $0)
    }
  }
}

/// How a controller uses the section cache of its name.
struct SectionCacheUse {
  let name: String
  let request: FetchRequest
  let sectionNameKeyPath: String?
  let context: ManagedObjectContext

  /// Returns the cache if it fits the store and the request, and what was found.
  ///
  /// - Throws: ``FetchedResultsError/cacheMismatch(name:)``.
  func read() throws(FetchedResultsError) -> (cache: SectionCache?, finding: SectionCacheFinding) {
    let coordinator = context.persistentStoreCoordinator
    let isOwn = coordinator.sectionCaches.isOwn(name)
    let cache: SectionCache
    switch coordinator.sectionCaches.reading(of: name) {
    case .nothing: return (nil, SectionCacheFinding(state: .nothing))
    case .unusable(let problem): return (nil, SectionCacheFinding(state: .unusable(problem)))
    case .cache(let found): cache = found
    }
    let fingerprint = fingerprint
    var staleness = cache.staleness(for: coordinator.store)
    if staleness != .otherStore {
      guard cache.fingerprint.hasConfiguration(of: fingerprint) else {
        throw FetchedResultsError.cacheMismatch(name: name)
      }
      staleness = staleness ?? cache.fingerprint.staleness(for: fingerprint)
    }
    if let staleness {
      return (nil, SectionCacheFinding(state: .stale(staleness, isOwn: isOwn)))
    }
    guard !request.differsFromStore(in: context, section: sectionNameKeyPath) else {
      return (nil, SectionCacheFinding(state: .nothing))
    }
    return (cache, SectionCacheFinding(state: .used))
  }

  /// The state of the store for a cache that is computed now.
  var basis: SectionCache.Basis {
    // What others save from here on is not in the cache.
    let generation = context.persistentStoreCoordinator.store.generation
    return request.differsFromStore(in: context, section: sectionNameKeyPath)
      ? .unsavedChanges : .generation(generation)
  }

  /// Keeps the result of a fetch.
  ///
  /// - Returns: Why it could not be kept for later processes; nil if it was.
  func write(
    _ numbers: [Int64], _ runs: [ResultRows.SectionRun], _ basis: SectionCache.Basis
  ) -> SectionCacheError? {
    let coordinator = context.persistentStoreCoordinator
    do {
      try coordinator.sectionCaches.keep(
        SectionCache(
          fingerprint: fingerprint, basis: basis, storeIdentifier: coordinator.store.identifier,
          runs: runs, numbers: numbers),
        named: name)
      return nil
    } catch {
      return error
    }
  }

  private var fingerprint: CacheFingerprint {
    // The rule for nil decides the result of a fetch, like the locale.
    CacheFingerprint(
      request: request, sectionNameKeyPath: sectionNameKeyPath,
      locale: context.environment.locale + (context.environment.isThreeValued ? " nil" : ""))
  }
}
