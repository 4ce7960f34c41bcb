extension PersistentStoreCoordinator {
  /// The section caches of all controllers on this coordinator; in memory by default.
  package private(set) var sectionCaches: any SectionCaches {
    get {
      if let caches = companion as? any SectionCaches { return caches }
      let caches = InMemorySectionCaches()
      companion = caches
      return caches
    }
    set { companion = newValue }
  }

  /// - Parameter sectionCaches: Nil for caches in memory, which end with the coordinator.
  package convenience init(
    managedObjectModel: ManagedObjectModel, store: any PersistentStore,
    sectionCaches: (any SectionCaches)?
  ) {
    self.init(managedObjectModel: managedObjectModel, store: store)
    companion = sectionCaches
  }

  /// Replaces a store that was never used, together with its caches; nil means caches in memory.
  ///
  /// - Precondition: No context has an object.
  package func use(_ store: any PersistentStore, sectionCaches: (any SectionCaches)?) {
    use(store)
    if let sectionCaches { self.sectionCaches = sectionCaches }
  }
}
