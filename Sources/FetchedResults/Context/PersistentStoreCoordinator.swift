public import Foundation

/// Binds a model to its store; contexts use a coordinator.
///
/// Not `Sendable`: a coordinator, its contexts and their objects belong to one
/// thread at a time, as a main-queue context of Core Data does.
public final class PersistentStoreCoordinator {
  /// The entities known so far.
  public private(set) var managedObjectModel: ManagedObjectModel
  // Asked after every statement; nothing else runs during an access.
  @exclusivity(unchecked) package private(set) var store: any PersistentStore
  /// What the module of controllers keeps as long as the coordinator lives; this
  /// module does not know its type.
  var companion: AnyObject?
  /// The contexts that use the store itself, in order of their creation.
  private(set) var contexts: [WeakContext] = []

  /// What objects do at moments of their lives, by entity; see
  /// ``setHooks(_:of:)``.
  var hooks: [EntityDescription: ManagedObjectHooks] = [:]

  /// The classes of objects, by entity.
  private(set) var objectClasses: [EntityDescription: ManagedObject.Type] = [:]

  /// The identities of unsaved objects that are final anyway.
  var permanentIDs: Set<ObjectID> = []
  /// Is told, at the end of a turn, that another process or another coordinator has saved into the
  /// store's file, with the place in the store's history now: nil if it keeps none.
  ///
  /// Core Data posts NSPersistentStoreRemoteChange. Several saves may be told about as one.
  public var remoteChangeHandler: ((PersistentHistoryToken?) -> Void)? {
    didSet { toldForeignSaves = noticedForeignSaves }
  }
  /// How many noticed saves of others the handler was told about.
  var toldForeignSaves = 0

  /// How often an object that was looked at had to be made of its row.
  package var firedFaults = 0
  /// Why a row could not be read if nobody could be told at once.
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

  /// Makes the objects of an entity instances of a subclass, as well as those of entities that
  /// inherit from it and have no class of their own.
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
    contexts.removeAll { $0.context == nil }
    contexts.append(WeakContext(context: context))
  }

  /// Keeps the first of the errors that a look at an object met.
  package func note(_ error: StoreError) { if readFailure == nil { readFailure = error } }

  /// Whether something could not be read since an error was last taken.
  var hasReadFailure: Bool { readFailure != nil }

  /// Returns why an object or a relationship could not be read when it was
  /// looked at, and forgets it.
  ///
  /// A look at an object cannot throw: the object is missing then, or its relationship empty, and
  /// whoever asked has to ask this after it. A fetch and a save throw it.
  package func takeReadFailure() -> StoreError? {
    defer { readFailure = nil }
    let inStore = store.takeReadFailure()
    return readFailure ?? inStore
  }

  /// Throws what a look at an object met.
  func checkReads() throws(StoreError) {
    if let failure = takeReadFailure() { throw failure }
  }

  /// Puts another store in place of one that was never used.
  ///
  /// Contexts begin here: what the store's history has by now is theirs.
  ///
  /// - Precondition: No context has an object.
  package func use(_ store: any PersistentStore) {
    self.store = store
    guard let last = try? history?.lastTransactionNumber() else { return }
    for entry in contexts { entry.context?.mergedTransaction = last }
  }

  /// Adds an entity to a coordinator in use, as a script does.
  package func add(_ entity: EntityDescription) throws(ModelError) {
    try managedObjectModel.add(entity)
  }
}
