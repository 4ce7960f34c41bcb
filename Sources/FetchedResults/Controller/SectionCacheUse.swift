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
    guard !context.hasUnsavedObjects(of: request.entity.root) else {
      return (nil, SectionCacheFinding(state: .nothing))
    }
    return (cache, SectionCacheFinding(state: .used))
  }

  /// The state of the store for a cache that is computed now.
  var basis: SectionCache.Basis {
    context.hasUnsavedObjects(of: request.entity.root)
      ? .unsavedChanges : .generation(context.persistentStoreCoordinator.store.generation)
  }

  /// Keeps the result of a fetch.
  ///
  /// - Returns: Why it could not be kept for later processes; nil if it was.
  func write(
    _ numbers: [Int64], _ runs: [SectionedResults.SectionRun], _ basis: SectionCache.Basis
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
