public import Foundation

/// Binds a model to its store; contexts stand on a coordinator.
///
/// Not `Sendable`: a coordinator, its contexts and their objects belong to one
/// thread at a time, as a main-queue context of Core Data does.
public final class PersistentStoreCoordinator {
  /// The entities known so far.
  public private(set) var managedObjectModel: ManagedObjectModel
  package private(set) var store: any PersistentStore
  /// The section caches of all controllers on this coordinator.
  package private(set) var sectionCaches: any SectionCaches
  /// The contexts that stand on the store itself, in order of their creation.
  private(set) var contexts: [WeakContext] = []

  /// Creates a coordinator with a store in memory, which has a new UUID where
  /// none is given.
  public convenience init(managedObjectModel: ManagedObjectModel, storeIdentifier: UUID = UUID()) {
    self.init(
      managedObjectModel: managedObjectModel,
      store: InMemoryStore(identifier: storeIdentifier.uuidString),
      sectionCaches: InMemorySectionCaches())
  }

  package init(
    managedObjectModel: ManagedObjectModel, store: any PersistentStore,
    sectionCaches: any SectionCaches
  ) {
    self.managedObjectModel = managedObjectModel
    self.store = store
    self.sectionCaches = sectionCaches
  }

  func add(_ context: ManagedObjectContext) {
    contexts.removeAll { $0.context == nil }
    contexts.append(WeakContext(context: context))
  }

  /// Puts another store in place of one that was never used.
  ///
  /// - Precondition: No context has an object.
  package func use(_ store: any PersistentStore, sectionCaches: (any SectionCaches)? = nil) {
    self.store = store
    if let sectionCaches { self.sectionCaches = sectionCaches }
  }

  /// Adds an entity to a coordinator in use, as a script does.
  package func add(_ entity: EntityDescription) throws(ModelError) {
    try managedObjectModel.add(entity)
  }
}
