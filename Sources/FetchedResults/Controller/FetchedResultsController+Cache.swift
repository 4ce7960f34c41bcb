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
