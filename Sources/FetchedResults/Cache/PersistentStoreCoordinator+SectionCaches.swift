extension PersistentStoreCoordinator {
  /// The section caches of all controllers on this coordinator: in memory, where
  /// no others were given.
  package private(set) var sectionCaches: any SectionCaches {
    get {
      if let caches = companion as? any SectionCaches { return caches }
      let caches = InMemorySectionCaches()
      companion = caches
      return caches
    }
    set { companion = newValue }
  }

  package convenience init(
    managedObjectModel: ManagedObjectModel, store: any PersistentStore,
    sectionCaches: any SectionCaches
  ) {
    self.init(managedObjectModel: managedObjectModel, store: store)
    self.sectionCaches = sectionCaches
  }

  /// Puts another store in place of one that was never used, with its caches; nil
  /// for those in memory.
  ///
  /// - Precondition: No context has an object.
  package func use(_ store: any PersistentStore, sectionCaches: (any SectionCaches)?) {
    use(store)
    if let sectionCaches { self.sectionCaches = sectionCaches }
  }
}
