public import Foundation

/// Connects a model and its store; contexts use a coordinator.
///
/// Not `Sendable`: a coordinator, its contexts and their objects belong to one
/// thread at a time, as a main-queue context of Core Data does.
public final class PersistentStoreCoordinator {
  /// The model, with the entities known so far.
  public private(set) var managedObjectModel: ManagedObjectModel
  // Read after every statement. Nothing else runs during an access.
  @exclusivity(unchecked) package private(set) var store: any PersistentStore
  /// An object that the module of controllers keeps with the coordinator.
  ///
  /// This module does not know its type.
  var companion: AnyObject?
  /// The contexts that use the store itself, in order of their creation.
  private(set) var contexts = ContextList()

  /// The hooks of objects, by entity; see ``setHooks(_:of:)``.
  @exclusivity(unchecked) var hooks: [EntityDescription: ManagedObjectHooks] = [:]

  /// The classes of objects, by entity.
  @exclusivity(unchecked)
  private(set) var objectClasses: [EntityDescription: ManagedObject.Type] = [:]

  /// The identities of unsaved objects that are already permanent.
  @exclusivity(unchecked) var permanentIDs: Set<ObjectID> = []
  /// Called at the end of a turn after another process or coordinator has saved into the store's
  /// file.
  ///
  /// The argument is the latest place in the store's history, nil if there is no history.
  ///
  /// Core Data posts NSPersistentStoreRemoteChange. Several saves may cause one call.
  public var remoteChangeHandler: ((PersistentHistoryToken?) -> Void)? {
    didSet {
      toldForeignSaves = noticedForeignSaves
      for context in contexts.contexts { context.awaitEndOfTurn() }
    }
  }
  /// How many noticed saves of others the handler was called for.
  var toldForeignSaves = 0

  /// How many faults were fired.
  package var firedFaults = 0
  /// The error of an access to a fault, which could not throw it.
  @exclusivity(unchecked) private var readFailure: StoreError?

  /// Creates a coordinator with a store in memory, which has a new UUID if none is given.
  public convenience init(managedObjectModel: ManagedObjectModel, storeIdentifier: UUID = UUID()) {
    self.init(
      managedObjectModel: managedObjectModel,
      store: InMemoryStore(identifier: storeIdentifier.uuidString))
  }

  package init(managedObjectModel: ManagedObjectModel, store: any PersistentStore) {
    self.managedObjectModel = managedObjectModel
    self.store = store
  }

  /// Makes the objects of an entity instances of a subclass.
  ///
  /// This includes entities that inherit from it and have no class of their own.
  ///
  /// - Precondition: No context has an object of the entity.
  public func register(_ objectClass: ManagedObject.Type, for entity: EntityDescription) {
    objectClasses[entity] = objectClass
  }

  /// The class of an entity's objects.
  func objectClass(for entity: EntityDescription) -> ManagedObject.Type {
    var current: EntityDescription? = entity
    while let entity = current {
      if let found = objectClasses[entity] { return found }
      current = entity.superentity
    }
    return ManagedObject.self
  }

  func add(_ context: ManagedObjectContext) {
    contexts.append(context)
  }

  /// Notes whether a context merges automatically from now on.
  func note(_ context: ManagedObjectContext, follows: Bool) {
    contexts.note(context, follows: follows)
  }

  /// Keeps the first error of an access to a fault.
  package func note(_ error: StoreError) { if readFailure == nil { readFailure = error } }

  /// Whether something could not be read since the last call of ``takeReadFailure()``.
  var hasReadFailure: Bool { readFailure != nil }

  /// Returns why an object or a relationship could not be read, and forgets the error.
  ///
  /// Access to a fault cannot throw: the object is then missing, or its relationship empty. Code
  /// that reads faults has to call this afterwards. A fetch and a save throw the error.
  package func takeReadFailure() -> StoreError? {
    defer { readFailure = nil }
    let inStore = store.takeReadFailure()
    return readFailure ?? inStore
  }

  /// Throws the error of an earlier access to a fault, if there was one.
  func checkReads() throws(StoreError) {
    if let failure = takeReadFailure() { throw failure }
  }

  /// Replaces a store that was never used.
  ///
  /// Contexts count as up to date with the store's history.
  ///
  /// - Precondition: No context has an object.
  package func use(_ store: any PersistentStore) {
    self.store = store
    for context in contexts.contexts { context.awaitEndOfTurn() }
    guard let last = try? history?.lastTransactionNumber() else { return }
    for context in contexts.contexts { context.mergedTransaction = last }
  }

  /// Adds an entity to a coordinator that is in use, as a script does.
  package func add(_ entity: EntityDescription) throws(ModelError) {
    try managedObjectModel.add(entity)
  }
}
