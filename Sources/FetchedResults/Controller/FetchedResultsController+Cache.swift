/// What a performFetch found under its cache's name, and did about it.
package struct SectionCacheFinding: Sendable {
  package var state: State
  /// Why what was computed is not where later processes find it.
  package var failure: SectionCacheError?

  package enum State: Hashable, Sendable {
    case nothing
    case used
    /// It was computed again; `isOwn` tells whether this process knew the old
    /// one as right before.
    case stale(SectionCache.Staleness, isOwn: Bool)
    case unusable(UnusableSectionCache)
  }
}

extension FetchedResultsController {
  /// Returns what the cache holds, where it may be believed.
  ///
  /// - Throws: ``FetchedResultsError/cacheMismatch(name:)``, or ``FetchError``
  ///   where the order needs keys that cannot be read.
  func cachedRows(_ order: RowOrder) throws -> Rows? {
    cacheFinding = nil
    guard let cacheName else { return nil }
    let coordinator = managedObjectContext.coordinator
    let isOwn = coordinator.sectionCaches.isOwn(cacheName)
    let cache: SectionCache
    switch coordinator.sectionCaches.reading(of: cacheName) {
    case .nothing:
      cacheFinding = SectionCacheFinding(state: .nothing)
      return nil
    case .unusable(let problem):
      cacheFinding = SectionCacheFinding(state: .unusable(problem))
      return nil
    case .cache(let found): cache = found
    }
    let fingerprint = fingerprint
    var staleness = cache.staleness(for: coordinator.store)
    if staleness != .otherStore {
      guard cache.fingerprint.hasConfiguration(of: fingerprint) else {
        throw FetchedResultsError.cacheMismatch(name: cacheName)
      }
      staleness = staleness ?? cache.fingerprint.staleness(for: fingerprint)
    }
    if let staleness {
      cacheFinding = SectionCacheFinding(state: .stale(staleness, isOwn: isOwn))
      return nil
    }
    guard !managedObjectContext.hasUnsavedObjects(of: fetchRequest.entity.root) else {
      cacheFinding = SectionCacheFinding(state: .nothing)
      return nil
    }
    cacheFinding = SectionCacheFinding(state: .used)
    let keys =
      order.needsKeys
      ? try managedObjectContext.keys(of: cache.numbers, in: fetchRequest.entity, by: order) : [:]
    return (cache.numbers, cache.runs, keys)
  }

  /// What a cache that is computed from now on agrees with.
  var cacheBasis: SectionCache.Basis {
    managedObjectContext.hasUnsavedObjects(of: fetchRequest.entity.root)
      ? .unsavedChanges : .generation(managedObjectContext.coordinator.store.generation)
  }

  func writeCache(
    _ numbers: [Int64], _ runs: [SectionedResults.SectionRun], _ basis: SectionCache.Basis
  ) {
    guard let cacheName else { return }
    let coordinator = managedObjectContext.coordinator
    do {
      try coordinator.sectionCaches.keep(
        SectionCache(
          fingerprint: fingerprint, basis: basis, storeIdentifier: coordinator.store.identifier,
          runs: runs, numbers: numbers),
        named: cacheName)
    } catch {
      cacheFinding?.failure = error
    }
  }

  private var fingerprint: CacheFingerprint {
    let environment = managedObjectContext.environment
    // The rule for nil decides what a fetch finds, as the locale does.
    return CacheFingerprint(
      request: fetchRequest, sectionNameKeyPath: sectionNameKeyPath,
      locale: environment.locale + (environment.isThreeValued ? " nil" : ""))
  }
}

extension FetchedResultsController {
  /// Computes the cache again, where it stopped being right since the last
  /// performFetch; a cache that was taken for another configuration stays.
  ///
  /// Results of this controller stay as they are.
  func renewCache() {
    let coordinator = managedObjectContext.coordinator
    guard let cacheName, let state,
      case .cache(let cache) = coordinator.sectionCaches.reading(of: cacheName),
      cache.staleness(for: coordinator.store) != nil, !cache.fingerprint.isUnrepeatable
    else { return }
    let context = ManagedObjectContext(coordinator: coordinator)
    context.environment = managedObjectContext.environment
    let controller = try? FetchedResultsController(
      fetchRequest: state.request, managedObjectContext: context,
      sectionNameKeyPath: sectionNameKeyPath, cacheName: cacheName)
    // What cannot be fetched leaves a stale cache, which is ignored.
    try? controller?.performFetch()
  }
}

extension PersistentStoreCoordinator {
  /// Brings the section caches of controllers up to date with the store, and
  /// into the files that they are kept in.
  ///
  /// To be called when nothing more is to be saved, as before a program ends:
  /// it fetches for each cache that a save has made stale. Without it the next
  /// process does so.
  ///
  /// - Throws: The first file that could not be written.
  public func writeSectionCaches(
    of controllers: [FetchedResultsController]
  ) throws(SectionCacheError) {
    for controller in controllers { controller.renewCache() }
    try sectionCaches.writePending()
  }
}
