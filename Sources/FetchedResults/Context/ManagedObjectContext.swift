public import Foundation

/// A scratch pad of objects: what was inserted, changed and deleted, until a
/// save writes it or a rollback forgets it.
///
/// Changes become visible to controllers when the context *processes* them: at
/// the end of a turn of the run loop, which on this platform is a call of
/// ``processPendingChanges()``, and before each fetch, count and save.
///
/// A context uses a store or on a parent context, its *source*. It keeps the values that it has
/// read: what another context saves arrives by ``mergeChanges(fromContextDidSave:)``, a refresh or
/// a reset. A context holds every object that it has read, whether or not someone else does.
///
/// Not `Sendable`; see ``PersistentStoreCoordinator``.
public final class ManagedObjectContext {
  /// The coordinator below.
  public let persistentStoreCoordinator: PersistentStoreCoordinator
  /// The context that a save goes into; nil if it goes into the store.
  public let parent: ManagedObjectContext?
  /// The clock and the locale of predicates and sorts.
  public var environment = EvaluationEnvironment()
  /// Receives what Core Data would print on the console.
  public var console: ((String) -> Void)?
  /// Is told which new objects got other numbers at a save, since another process
  /// had taken theirs.
  package var didRenumber: (([(old: ObjectID, new: ObjectID)]) -> Void)?
  /// What the context does as older versions of Apple's did.
  package var quirks: FetchedResultsQuirks = []
  /// What the context is called in the history of its store.
  public var name: String?
  /// Who saves, in the history of the store: an app, an extension, a background import.
  public var transactionAuthor: String?
  /// Follows a long save, and can cancel a save or a fetch; nil, as at first, if nobody wants that.
  ///
  /// A save sets the total to the number of changed objects, and counts those that are written. A
  /// cancelled save throws ``SaveError/cancelled``, and a cancelled fetch ``FetchError/cancelled``.
  /// Cancelling the task that runs the call does the same.
  public var progress: Progress?
  /// What a save does where the store has newer values than the context read.
  public var mergePolicy = MergePolicy.error
  /// Whether what other contexts save into this one's source, or a parent
  /// saves, is merged by the next ``processPendingChanges()``.
  @exclusivity(unchecked) public var automaticallyMergesChangesFromParent = false {
    didSet { if !automaticallyMergesChangesFromParent { queuedSaves = [] } }
  }
  /// What ``undo()`` and ``redo()`` go by; nil, as at first, records nothing.
  @exclusivity(unchecked) public var undoManager: UndoHistory? {
    didSet { undoRecorder.forget() }
  }
  /// Receives each processing, before any controller: the batch, and the objects
  /// that came and went within it.
  package var hearProcessing: ((_ batch: ContextChanges, _ cameAndWent: [ObjectID]) -> Void)?
  /// Receives each save that wrote something.
  public var didSave: ((ContextSave) -> Void)?
  /// What other contexts of the same container saved; nil in a context that has no container.
  package var inbox: SaveInbox?
  /// Tells the other contexts of the same container of a save.
  package var publish: ((ContextSave) -> Void)?
  /// What the last save wrote; nil before the first, or where no other context
  /// could have missed it.
  public internal(set) var lastSave: ContextSave?

  #if DEBUG
  let useCheck = UseCheck()
  #endif

  /// The objects of each root entity.
  @exclusivity(unchecked) var registry = ObjectRegistry()
  /// Keeps both sides of relationships in step with what is replaced.
  private(set) lazy var reconciler = RelationshipReconciler(self)
  /// Records what can be undone.
  private(set) lazy var undoRecorder = UndoRecorder(self)
  /// Objects with unsaved changes, in order of the first change.
  ///
  /// One that came and went again may be here until the next save.
  @exclusivity(unchecked) var pending: [ManagedObject] = []
  /// Objects touched since the last processing, in order.
  @exclusivity(unchecked) var unprocessed: [ManagedObject] = []
  /// The batches that some controller may still have to see, oldest first; none
  /// outside of their delivery.
  var batches: [ContextChanges] = []
  /// How many deliveries are under way, one inside a callback of another.
  var deliveryDepth = 0
  /// Whether an object left the context while a batch that names it may still
  /// have to be seen.
  var hasForgottenInDelivery = false
  var sequence = 0
  /// Changes of deleted objects since the last processing, where a controller tracks what its key
  /// paths read of such objects.
  @exclusivity(unchecked) var changesOfDeleted: [DeletedObjectChange] = []
  /// Objects deleted since the last processing, whose relationships' delete rules have still to be
  /// performed.
  @exclusivity(unchecked) var deletions: [ManagedObject] = []
  /// Objects whose deletion their hooks prepare now.
  var preparedDeletions: Set<ObjectIdentifier> = []
  /// Whether the hooks of a save run now that are told before it.
  var isInWillSave = false
  var listeners: [Listener] = []
  /// The listeners by what receives the batches.
  var listenersByReceiver: [ObjectIdentifier: Listener] = [:]
  /// Those of the listeners that are told about saves as well.
  var observers: [WeakObservation] = []

  /// The contexts whose parent this is.
  var children: [WeakContext] = []
  /// Objects here of which the source has newer values.
  package internal(set) var stale: Set<ObjectID> = []
  /// The values that fired faults had before, as controllers know them, until the
  /// objects change.
  var valuesBeforeFiring: [ObjectID: ObjectSnapshot] = [:]
  /// Whether controllers have to fetch at the next turn, since others saved
  /// objects into the store that this context knows nothing of.
  @exclusivity(unchecked) var followsStore = false
  /// The store's generation when what others saved was last merged from it.
  var mergedGeneration = 0
  /// Saves to merge at the next turn.
  @exclusivity(unchecked) var queuedSaves: [ContextSave] = []
  /// The last transaction of the store's history that was merged, or that the context began
  /// after.
  var mergedTransaction: Int64 = 0
  /// How many saves of others the store had noticed when its history was last merged
  /// automatically.
  var automaticallyMergedSaves = 0
  /// The transactions that this context has saved.
  var ownTransactions = TransactionNumbers()

  /// Creates a context on a store, with nothing in it.
  public init(coordinator: PersistentStoreCoordinator) {
    self.persistentStoreCoordinator = coordinator
    parent = nil
    coordinator.add(self)
    mergedTransaction = (try? coordinator.history?.lastTransactionNumber()) ?? 0
  }

  /// Creates a context that reads from another one and saves into it.
  ///
  /// It takes over the parent's ``environment``.
  public init(parent: ManagedObjectContext) {
    persistentStoreCoordinator = parent.persistentStoreCoordinator
    self.parent = parent
    environment = parent.environment
    parent.children.removeAll { $0.context == nil }
    parent.children.append(WeakContext(context: self))
  }
}

/// A context that may go away.
struct WeakContext {
  weak var context: ManagedObjectContext?
}

/// An object of an entity, whether or not the context holds it.
package enum KnownObject {
  case object(ManagedObject)
  /// One whose row was not looked at yet.
  case fault(ObjectID)
}

// MARK: - Objects

extension ManagedObjectContext {
  /// Inserts a new object with its entity's default values.
  ///
  /// - Precondition: The entity is not abstract.
  @discardableResult
  public func insert(_ entity: EntityDescription) -> ManagedObject {
    insert(entity, snapshot: entity.defaults)
  }

  /// Inserts a new object with values that fit the entity's attributes.
  ///
  /// - Parameter places: The places of the values that its user gives, after it has
  ///   awoken; nil for those that are not the defaults.
  package func insert(
    _ entity: EntityDescription, snapshot: ObjectSnapshot, assigning places: [Int]? = nil
  ) -> ManagedObject {
    precondition(!entity.isAbstract, "an abstract entity has no objects of its own")
    let number = persistentStoreCoordinator.store.reserveNumber(in: entity.root)
    let id = ObjectID(entity: entity, number: number)
    guard !persistentStoreCoordinator.hooks.isEmpty else { return insert(id, snapshot: snapshot) }
    return ObjectLifecycle(self).insert(
      id, snapshot,
      assigning: places
        ?? entity.attributes.indices.filter { snapshot[$0] != entity.defaults[$0] })
  }

  /// Inserts an object whose number is reserved.
  func insert(_ id: ObjectID, snapshot: ObjectSnapshot) -> ManagedObject {
    alone {
      let object = makeObject(id, snapshot)
      register(object)
      object.isPending = true
      pending.append(object)
      object.isUnprocessed = true
      unprocessed.append(object)
      return object
    }
  }

  /// Marks an object for deletion.
  ///
  /// An object that is deleted already, or belongs to another context, is left
  /// alone.
  public func delete(_ object: ManagedObject) {
    guard !object.isDeleted, object.managedObjectContext === self else { return }
    if !persistentStoreCoordinator.hooks.isEmpty {
      ObjectLifecycle(self).prepareForDeletion(object)
      if object.isDeleted { return }
    }
    markDeleted(object)
    if !object.entity.relationships.isEmpty { deletions.append(object) }
  }

  /// Marks an object for deletion where what follows from that is known, and
  /// not left to delete rules.
  func markDeleted(_ object: ManagedObject) {
    guard !object.isDeleted else { return }
    willChange(object)
    object.isDeleted = true
  }

  /// Performs the delete rules of what was deleted since the last processing, and of what that
  /// deletes.
  func propagateDeletions() {
    if !deletions.isEmpty { DeleteRules(self).propagate() }
  }

  /// Lets the delete rules of a deleted object be performed once more, since it got other
  /// relationships.
  func renewDeletion(of object: ManagedObject) {
    if !object.entity.relationships.isEmpty { deletions.append(object) }
  }

  /// Takes an object whose delete rules have to be performed.
  func takeDeletion() -> ManagedObject? { deletions.popLast() }

  /// Returns the object with an identity, also where no such object exists.
  ///
  /// An object that is not here yet is read from the source at once. Where the source has none, the
  /// object that is returned is deleted, has the default values of its entity, and takes no other
  /// values, as one of Core Data does since iOS 9 when its row is gone. Use
  /// ``existingObject(with:)`` where the object may be gone.
  public func object(with id: ObjectID) -> ManagedObject {
    findObject(with: id) ?? missingObject(id.number, of: id.entity)
  }

  /// Returns the object with an identity if the context holds it already; nothing is read.
  ///
  /// - Complexity: O(1).
  public func registeredObject(for id: ObjectID) -> ManagedObject? {
    guard let object = registered(id.number, in: id.entity.root),
      object.entity.isKindOf(entity: id.entity)
    else { return nil }
    return object
  }

  /// Returns the object with an identity, or nil if it was deleted, rolled back, or never existed.
  ///
  /// An object marked for deletion is still returned. Where the object of this
  /// number is of an entity that is not the identity's, nor inherits from it,
  /// there is no object with the identity: a damaged file may refer to one.
  package func findObject(with id: ObjectID) -> ManagedObject? {
    guard let object = object(id.number, in: id.entity.root),
      object.entity.isKindOf(entity: id.entity)
    else { return nil }
    return object
  }

  /// Returns the object with an identity.
  ///
  /// - Throws: ``ObjectError/missing(_:)`` if it was deleted, rolled back, or never existed, or
  ///   ``ObjectError/unreadable(_:)`` if the store cannot say.
  public func existingObject(with id: ObjectID) throws(ObjectError) -> ManagedObject {
    let found = findObject(with: id)
    if let failure = persistentStoreCoordinator.takeReadFailure() {
      throw ObjectError.unreadable(failure)
    }
    guard let found, !found.isDeleted else { throw ObjectError.missing(id) }
    return found
  }

  /// Returns the object of an entity with a number, which counts from 1 in order of insertion, or
  /// nil if there is none.
  public func object(entity: EntityDescription, number: Int64) -> ManagedObject? {
    object(number, in: entity.root)
  }

  /// Whether anything was touched since changes were last processed.
  package var hasUnprocessedChanges: Bool { !unprocessed.isEmpty }

  /// Objects inserted and not saved yet, in order of insertion.
  public var insertedObjects: [ManagedObject] { pending.filter(\.isInserted) }

  /// Saved objects with unsaved changes, in order of the first change.
  public var updatedObjects: [ManagedObject] { pending.filter(\.isUpdated) }

  /// Saved objects marked for deletion, in order of the first change: also those
  /// that others deleted, until the next save.
  public var deletedObjects: [ManagedObject] {
    pending.filter { $0.isDeleted && ($0.committed != nil || $0.isGone) }
  }

  /// What was deleted since the last save, also objects that were never saved.
  var goneObjects: [ManagedObject] { pending.filter(\.isDeleted) }

  /// Whether there are inserted, updated or deleted objects.
  public var hasChanges: Bool { pending.contains { $0.hasChanges || $0.isGone } }

  /// Returns an object by number, from the source where it is not here yet.
  package func object(_ number: Int64, in root: EntityDescription) -> ManagedObject? {
    if let object = registered(number, in: root) { return object }
    if persistentStoreCoordinator.store.readsInBatches {
      // A row of results is read with those beside it, however it is looked at.
      for listener in listeners {
        guard let receiver = listener.receiver, receiver.holds(number, in: root) else { continue }
        return receiver.batchedRow(number).map {
          // What was read with it may have led to it.
          registered(number, in: root) ?? adopt($0, number: number)
        }
      }
    }
    guard let row = source.row(number, in: root) else { return nil }
    persistentStoreCoordinator.firedFaults += 1
    return adopt(row, number: number)
  }

  /// Returns objects by number, those that are not here yet read together; nil
  /// for each that is nowhere.
  package func objects(
    _ numbers: some Collection<Int64>, in root: EntityDescription
  ) -> [ManagedObject?] {
    let table = table(of: root)
    let missing = numbers.filter { table[$0] == nil }
    if !missing.isEmpty {
      for (number, row) in zip(missing, source.rows(missing, in: root)) {
        if let row, table[number] == nil { _ = adopt(row, number: number) }
      }
    }
    return numbers.map { table[$0] }
  }

  /// Makes an object of a row of the source.
  func adopt(_ row: StoreRow, number: Int64) -> ManagedObject {
    let object = makeObject(ObjectID(entity: row.entity, number: number), row.snapshot)
    object.version = row.version
    register(object)
    if persistentStoreCoordinator.store.foreignSaves > 0 { tellReceivers(ofRead: object) }
    if !persistentStoreCoordinator.hooks.isEmpty { ObjectLifecycle(self).awakeFromFetch(object) }
    return object
  }

  /// Returns every live object of an entity, those marked for deletion
  /// included, by number.
  ///
  /// Nothing is processed. Where the store cannot be read, the coordinator
  /// knows why.
  ///
  /// - Complexity: O(*n* log *n*) in the objects.
  package func registeredObjects(of entity: EntityDescription) -> [ManagedObject] {
    ObjectListing(self).all(of: entity)
  }

  /// Returns every live object of an entity, by number, without reading a row
  /// that a store would have to be asked for.
  ///
  /// Nothing is processed.
  ///
  /// - Throws: ``StoreError`` if the store cannot say what it has.
  /// - Complexity: O(*n* log *n*) in the objects.
  package func knownObjects(
    of entity: EntityDescription
  ) throws(StoreError) -> [KnownObject] {
    try ObjectListing(self).known(of: entity)
  }

  package func registered(_ number: Int64, in root: EntityDescription) -> ManagedObject? {
    table(of: root)[number]
  }

  /// The objects of a root entity.
  package func table(of root: EntityDescription) -> ObjectTable { registry.table(of: root) }

  /// Returns a placeholder for an object that no longer exists: deleted, and
  /// without values.
  func missingObject(_ number: Int64, of entity: EntityDescription) -> ManagedObject {
    let object = makeObject(ObjectID(entity: entity, number: number), entity.defaults)
    object.isDeleted = true
    return object
  }

  /// Creates an object of the class that is registered for its entity.
  func makeObject(_ id: ObjectID, _ snapshot: ObjectSnapshot) -> ManagedObject {
    let creation = ManagedObjectCreation(objectID: id, snapshot: snapshot, context: self)
    if persistentStoreCoordinator.objectClasses.isEmpty { return ManagedObject(creation) }
    return persistentStoreCoordinator.objectClass(for: id.entity).init(creation)
  }

  func register(_ object: ManagedObject) {
    table(of: object.entity.root)[object.objectID.number] = object
  }

  /// Takes an object out, unless another one represents its number since a reset.
  func forget(_ object: ManagedObject) {
    let table = table(of: object.entity.root)
    guard table[object.objectID.number] === object else { return }
    table[object.objectID.number] = nil
    if !batches.isEmpty { hasForgottenInDelivery = true }
    if !stale.isEmpty { stale.remove(object.objectID) }
  }

  /// Keeps the values of an object that is about to change or to be deleted.
  func willChange(_ object: ManagedObject) {
    if object.isFault { fire(object) }
    if !children.isEmpty { StaleObjects(self).tellChildren(of: object) }
    object.causes.insert(.assigned)
    if !object.isUnprocessed {
      object.isUnprocessed = true
      // A deletion that was processed is not one again.
      object.baseline = object.isDeleted ? nil : knownValues(of: object)
      if object.isDeleted { noteChange(ofDeleted: object) }
      unprocessed.append(object)
    }
    if !object.isPending {
      object.isPending = true
      object.committed = object.snapshot
      pending.append(object)
    }
  }

  /// Keeps the values of an object that something else than its user is about
  /// to change: a merge, a refresh, an undo or a rollback.
  func willReplace(_ object: ManagedObject, by cause: ChangeCauses) {
    if !children.isEmpty { StaleObjects(self).tellChildren(of: object) }
    object.causes.formUnion(cause)
    undoRecorder.capture(object)
    reconciler.note(object)
    guard !object.isUnprocessed else { return }
    object.isUnprocessed = true
    object.baseline = object.isDeleted ? nil : knownValues(of: object)
    if object.isDeleted { noteChange(ofDeleted: object) }
    unprocessed.append(object)
  }

  /// Returns the values of an unprocessed object as controllers know them: those
  /// before its fault was fired, where it was.
  private func knownValues(of object: ManagedObject) -> ObjectSnapshot {
    guard !valuesBeforeFiring.isEmpty,
      let known = valuesBeforeFiring.removeValue(forKey: object.objectID)
    else { return object.snapshot }
    // What others changed is nothing to undo.
    undoRecorder.didReplace(object)
    return known
  }

  /// Gives objects values that are no assignment.
  var replacing: ObjectReplacing { ObjectReplacing(self) }

  /// Takes objects off the list of unsaved changes that have none any more.
  func dropUnchangedObjects() { pending.removeAll { !$0.isPending } }
}

extension ManagedObjectContext: ObjectGraph {
  package var owner: AnyObject? { self }

  /// Returns an object's values as they are now, or nil if it is gone.
  package func currentSnapshot(of id: ObjectID) -> ObjectSnapshot? {
    let root = id.entity.root
    if let object = registered(id.number, in: root) {
      if object.isFault { fire(object) }
      return object.isForgotten || !object.entity.isKindOf(entity: id.entity)
        ? nil : object.snapshot
    }
    guard let row = source.row(id.number, in: root), row.entity.isKindOf(entity: id.entity) else {
      return nil
    }
    return row.snapshot
  }
}

extension ObjectValues {
  /// The context in which the object is seen, and so are those related to it.
  package var managedObjectContext: ManagedObjectContext? { graph?.owner as? ManagedObjectContext }
}
