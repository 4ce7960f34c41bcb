extension FetchedResultsController {
  /// The cache of the controller's name; nil for a controller without one.
  ///
  /// Where the limit is kept it is that of a request without a limit.
  private func cacheUse(of fetch: RowFetch) -> SectionCacheUse? {
    cacheName.map { name in
      SectionCacheUse(
        name: name, request: fetch.request, sectionNameKeyPath: sectionNameKeyPath,
        context: managedObjectContext)
    }
  }

  /// Returns what the cache holds, if it agrees with the store.
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

  /// Fetches rows, and writes what is found into the section cache.
  ///
  /// Rows that a cache cannot hold, for a section name comes back, are not written.
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

  /// Computes the cache again, where it stopped being right since the last
  /// performFetch; a cache that was taken for another configuration stays.
  ///
  /// Results of this controller stay as they are.
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
    // What cannot be fetched leaves a stale cache, which is ignored.
    try? controller?.performFetch()
  }
}

extension PersistentStoreCoordinator {
  /// Brings the section caches of controllers up to date with the store, and
  /// into the files that they are kept in.
  ///
  /// To be called when nothing more must be saved, as before a program ends: it fetches for each
  /// cache that a save has made stale. Without it the next process does so.
  ///
  /// - Throws: The first file that could not be written.
  public func writeSectionCaches(
    of controllers: [FetchedResultsController]
  ) throws(SectionCacheError) {
    for controller in controllers { controller.renewCache() }
    try sectionCaches.writePending()
  }
}
