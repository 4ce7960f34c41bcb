public import Foundation

/// Connects a model and its store; contexts use a coordinator.
///
/// Not `Sendable`: a coordinator, its contexts and their objects belong to one
/// thread at a time, as a main-queue context of Core Data does.
public final class PersistentStoreCoordinator {
  /// The model, with the entities known so far.
  public private(set) var managedObjectModel: ManagedObjectModel
  // Read after every statement. Nothing else runs during an access.
  @exclusivity(unchecked) package private(set) var store: any PersistentStore {
    didSet { storeCanFail = !(store is InMemoryStore) }
  }
  /// Whether the store may be unable to read something.
  @exclusivity(unchecked) private var storeCanFail: Bool
  /// What the app sets of the coordinator.
  ///
  /// One value, so that a coordinator which takes it over has all of it.
  private struct Settings {
    var hooks: [EntityDescription: ManagedObjectHooks] = [:]
    var objectClasses: [EntityDescription: ManagedObject.Type] = [:]
    var remoteChangeHandler: ((PersistentHistoryToken?) -> Void)?
    /// The section caches; nil until they are first used.
    var sectionCaches: AnyObject?
  }

  @exclusivity(unchecked) private var settings = Settings()
  /// The contexts that use the store itself, in order of their creation.
  private(set) var contexts = ContextList()

  /// The hooks of objects, by entity; see ``setHooks(_:of:)``.
  var hooks: [EntityDescription: ManagedObjectHooks] {
    get { settings.hooks }
    set { settings.hooks = newValue }
  }

  /// The classes of objects, by entity.
  var objectClasses: [EntityDescription: ManagedObject.Type] { settings.objectClasses }

  /// An object that controllers keep with the coordinator.
  ///
  /// This folder does not know its type.
  var associatedObject: AnyObject? {
    get { settings.sectionCaches }
    set { settings.sectionCaches = newValue }
  }

  /// The identities of unsaved objects that are already permanent.
  @exclusivity(unchecked) var permanentIDs: Set<ObjectID> = []
  /// The identities of objects that left their context before they were saved, while a child context
  /// still has them.
  @exclusivity(unchecked) var lostDrafts: Set<ObjectID> = []
  /// Called at the end of a turn after another process or coordinator has saved into the store's
  /// file.
  ///
  /// The argument is the latest place in the store's history, nil if there is no history.
  ///
  /// Core Data posts NSPersistentStoreRemoteChange. Several saves may cause one call.
  public var remoteChangeHandler: ((PersistentHistoryToken?) -> Void)? {
    get { settings.remoteChangeHandler }
    set {
      settings.remoteChangeHandler = newValue
      toldForeignSaves = noticedForeignSaves
      for context in contexts.contexts { context.awaitEndOfTurn() }
    }
  }
  /// How many noticed saves of others the handler was called for.
  var toldForeignSaves = 0
  /// Whether another connection has begun the store's history, which the contexts do not merge
  /// automatically.
  var hasJoinedHistory = false

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
    storeCanFail = !(store is InMemoryStore)
  }

  /// Creates a coordinator on the store of another one, with the other one's settings.
  ///
  /// Nothing else goes from one to the other: no contexts, and no errors of earlier reads.
  convenience init(renewing other: PersistentStoreCoordinator) {
    self.init(managedObjectModel: other.managedObjectModel, store: other.store)
    settings = other.settings
    if settings.remoteChangeHandler != nil { toldForeignSaves = noticedForeignSaves }
    _ = store.takeReadFailure()
  }

  /// Makes the objects of an entity instances of a subclass.
  ///
  /// This includes entities that inherit from it and have no class of their own.
  ///
  /// - Precondition: No context has an object of the entity.
  public func register(_ objectClass: ManagedObject.Type, for entity: EntityDescription) {
    settings.objectClasses[entity] = objectClass
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
  var hasReadFailure: Bool {
    // A comparison with nil would copy the error, twice in each turn.
    if case .some = readFailure { true } else { false }
  }

  /// Returns why an object or a relationship could not be read, and forgets the error.
  ///
  /// Access to a fault cannot throw: the object is then missing, or its relationship empty. Code
  /// that reads faults has to call this afterwards. A fetch and a save throw the error.
  package func takeReadFailure() -> StoreError? {
    guard storeCanFail || hasReadFailure else { return nil }
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
