public import Foundation

/// A set of objects with changes that are not saved yet: inserts, updates and deletes.
///
/// Changes become visible to controllers when the context *processes* them: at
/// the end of a turn of the run loop, which on this platform is a call of
/// ``processPendingChanges()``, and before each fetch, count and save.
///
/// A context reads from its *source*: a store or a parent context. It keeps the values that it has
/// read. Saves of other contexts arrive by ``mergeChanges(fromContextDidSave:)``, a refresh or a
/// reset. A context keeps every object that it has read, even if nothing else refers to it. Objects
/// that only a merge has read are kept while a controller shows them or something refers to them.
///
/// Not `Sendable`; see ``PersistentStoreCoordinator``.
public final class ManagedObjectContext {
  /// The coordinator of the store.
  public let persistentStoreCoordinator: PersistentStoreCoordinator
  /// The parent context, which receives saves; nil if saves go to the store.
  public let parent: ManagedObjectContext?
  /// The clock and the locale for predicates and sorts.
  public var environment = EvaluationEnvironment()
  /// Called with each line that Core Data would print on the console.
  public var console: ((String) -> Void)?
  /// Called when new objects get other numbers, because another process took theirs.
  package var didRenumber: (([(old: ObjectID, new: ObjectID)]) -> Void)?
  /// Behaviour of older versions of Apple's contexts to imitate.
  package var quirks: FetchedResultsQuirks = []
  /// The objects whose last merged update was ignored, because of the quirk
  /// ``FetchedResultsQuirks/unreadMergesLost``.
  package internal(set) var lostMerges: Set<ObjectID> = []
  /// The name of the context in the history of its store.
  public var name: String?
  /// The author of saves in the history of the store: an app, an extension, a background import.
  public var transactionAuthor: String?
  /// Follows a long save, and can cancel a save or a fetch; nil by default.
  ///
  /// A save sets the total to the number of changed objects, and counts those that are written. A
  /// cancelled save throws ``SaveError/cancelled``, and a cancelled fetch ``FetchError/cancelled``.
  /// Cancelling the task that runs the call does the same.
  public var progress: Progress?
  /// The way to decide a conflict if the store has newer values than the context read.
  public var mergePolicy = MergePolicy.error
  /// Whether ``processPendingChanges()`` merges what other contexts saved into this context's
  /// source, or what a parent saved.
  @exclusivity(unchecked) public var automaticallyMergesChangesFromParent = false {
    didSet {
      guard automaticallyMergesChangesFromParent != oldValue else { return }
      if !automaticallyMergesChangesFromParent { queuedSaves = UnmergedSaves() }
      noteFollowing()
    }
  }
  /// The history for ``undo()`` and ``redo()``; nil, the default, records nothing.
  @exclusivity(unchecked) public var undoManager: UndoHistory? {
    didSet {
      undoRecorder.forget()
      undoRecorder.forgetMerges()
      oldValue?.recorder = nil
      undoManager?.recorder = undoRecorder
      undoRecorder.begin()
    }
  }
  /// Called for each processing, before any controller: with the batch, and with the objects that
  /// were inserted and deleted within it.
  package var onProcessing: ((_ batch: ContextChanges, _ cameAndWent: [ObjectID]) -> Void)?
  /// What other contexts of the same container saved; nil in a context that has no container.
  package var pendingSaves: PendingSaves? {
    didSet { awaitEndOfTurn() }
  }
  /// Keeps the objects of each processing; nil unless a page records the lists.
  package var touchedObjects: TouchedObjects?
  /// Called with each save, to inform the other contexts of the same container.
  package var publish: ((ContextSave) -> Void)?
  /// The changes of the last save; nil before the first save, or if no other context could have
  /// missed it.
  public internal(set) var lastSave: ContextSave?

  #if DEBUG
  let useCheck = UseCheck()
  #endif

  /// What leads the objects to this context.
  let reference = ContextReference()
  /// The objects of each root entity.
  @exclusivity(unchecked) var registry = ObjectRegistry()
  /// Keeps both sides of relationships consistent when values are replaced.
  private(set) lazy var reconciler = RelationshipReconciler(self)
  /// Records changes for undo.
  private(set) lazy var undoRecorder = UndoRecorder(self)
  /// Objects with unsaved changes, in order of the first change.
  ///
  /// An object that was inserted and deleted may be in the list until the next save; see
  /// ``UnneededObjects``.
  @exclusivity(unchecked) var pending: [ManagedObject] = []
  /// How many of them were deleted before they were saved.
  @exclusivity(unchecked) var drafts = DraftCount()
  /// The entity of the last object that was inserted, which need not be checked again.
  @exclusivity(unchecked) private var insertedEntity: EntityDescription?
  /// Objects touched since the last processing, in order.
  @exclusivity(unchecked) var unprocessed: [ManagedObject] = []
  /// How many objects had unsaved changes when pending changes were last processed.
  @exclusivity(unchecked) var pendingBeforeTurn = 0
  /// Whether a merge, a refresh, an undo or a rollback has replaced values since then.
  @exclusivity(unchecked) var hasReplacedObjects = false
  /// The state before a replacement that may be stopped and reverted; nil otherwise.
  @exclusivity(unchecked) var replacedState: ReplacedState?
  /// Whether the last turn was stopped before its delivery, so that its changes are still
  /// unprocessed.
  @exclusivity(unchecked) package internal(set) var isTurnStopped = false
  /// Where the context notes that the end of a turn has something to do, and its place there; nil
  /// if every end of a turn asks it.
  var agenda: (list: PendingContexts, place: Int)?
  /// Whether that is noted; true also if there is nowhere to note it.
  @exclusivity(unchecked) var isOnAgenda = true
  /// The batches that some controller may still have to see, oldest first; empty except while they
  /// are delivered.
  var batches: [ContextChanges] = []
  /// How many deliveries are running, each inside a callback of another.
  @exclusivity(unchecked) var deliveryDepth = 0
  /// Whether an object left the context while a controller may still have to see a batch that names
  /// it.
  var hasForgottenInDelivery = false
  @exclusivity(unchecked) package internal(set) var sequence = 0
  /// Changes of deleted objects since the last processing, if the key paths of a controller read
  /// such objects.
  @exclusivity(unchecked) var changesOfDeleted: [DeletedObjectChange] = []
  /// Objects deleted since the last processing, whose delete rules were not applied yet.
  @exclusivity(unchecked) var deletions: [ManagedObject] = []
  /// Deleted objects whose relationships could not be read.
  var postponedDeletions: [ManagedObject] = []
  /// Objects whose deletion their hooks prepare now.
  var preparedDeletions: Set<ObjectIdentifier> = []
  /// Whether observers and hooks hear that a save begins.
  var isInWillSave = false
  var listeners: [Listener] = []
  /// The listeners, by the object that receives the batches.
  var listenersByReceiver: [ObjectIdentifier: Listener] = [:]
  /// The listeners that are also notified of saves.
  var observers: [WeakObservation] = []
  var saveObservers: [WeakObservation] = []
  /// Who waits for the end of the turn; empty in a context without observers of results.
  @exclusivity(unchecked) var turnReceivers: [WeakTurnReceiver] = []
  /// Who reads the changes of single objects.
  var objectReaders = ObjectReaders()

  /// The contexts whose parent this is.
  var children = ContextList()
  /// Objects of this context for which the source has newer values.
  @exclusivity(unchecked) package internal(set) var stale: Set<ObjectID> = []
  /// The root entities of objects that are deleted in the source, but that lists of this context
  /// may still have, because their delete rules leave references alone.
  var rootsKeptInLists: Set<EntityDescription> = []
  /// The values that fired faults had before, by which controllers know them, until the objects
  /// change.
  var valuesBeforeFiring: [ObjectID: ObjectSnapshot] = [:]
  /// Whether controllers have to fetch at the next turn, because others saved objects that this
  /// context does not know.
  @exclusivity(unchecked) var followsStore = false
  /// Whether a controller could not fetch, and tries again in the next turn.
  ///
  /// It is not work of this turn: the store may stay as it is for long.
  @exclusivity(unchecked) var fetchesAgain = false
  /// The store's generation when saves of others were last merged.
  var mergedGeneration = 0
  /// How many saves of others the store had noticed when this context had last merged all of them;
  /// nil if it has skipped some, so that only a comparison of all objects can tell.
  var mergedForeignSaves: Int?
  /// Saves to merge at the next turn.
  @exclusivity(unchecked) var queuedSaves = UnmergedSaves()
  /// How many objects of others' saves are kept in any case; a test may want to see what happens
  /// beyond.
  package var leastUnmergedObjects = UnmergedSaves.smallestLimit
  /// What could not be read when it was merged; the next turns try again.
  @exclusivity(unchecked) var unreadMerges = UnmergedSaves() {
    didSet { awaitEndOfTurn() }
  }
  /// Objects that merges have made of rows, until it is known whether they are needed.
  @exclusivity(unchecked) var mergedRows: [ManagedObject] = []
  /// The last transaction of the store's history that was merged, or that the context began
  /// after.
  var mergedTransaction: Int64 = 0
  /// How many saves of others the store had noticed when its history was last merged
  /// automatically.
  var automaticallyMergedSaves = 0
  /// Whether there may be objects that were never saved.
  @exclusivity(unchecked) var mayHaveNewObjects = false
  /// How many saves of others the store had noticed when the numbers of new objects were last
  /// compared with its rows, before a read.
  var comparedSaves = 0
  /// The transactions that this context has saved.
  var ownTransactions = TransactionNumbers()

  /// Creates an empty context on a store.
  public init(coordinator: PersistentStoreCoordinator) {
    self.persistentStoreCoordinator = coordinator
    parent = nil
    reference.lead(to: self)
    coordinator.add(self)
    mergedTransaction = (try? coordinator.history?.lastTransactionNumber()) ?? 0
    mergedForeignSaves = coordinator.store.foreignSaves
  }

  /// Creates a child context, which reads from a parent and saves into it.
  ///
  /// It has the parent's ``environment``. A fetch in a child calls the fetch of its parent, so some
  /// hundred levels are the most that a thread's stack holds.
  public init(parent: ManagedObjectContext) {
    persistentStoreCoordinator = parent.persistentStoreCoordinator
    self.parent = parent
    environment = parent.environment
    reference.lead(to: self)
    parent.children.append(self)
  }
}

/// An object of an entity, whether or not it is in the context.
package enum KnownObject {
  case object(ManagedObject)
  /// An object whose row was not read yet.
  case fault(ObjectID)
}

// MARK: - Objects

extension ManagedObjectContext {
  /// Inserts a new object with its entity's default values.
  ///
  /// - Precondition: The entity belongs to the model of the context's coordinator, and is not
  ///   abstract. Otherwise the program ends with a message.
  @discardableResult
  public func insert(_ entity: EntityDescription) -> ManagedObject {
    insert(entity, snapshot: entity.defaults)
  }

  /// Inserts a new object with values that fit the entity's attributes.
  ///
  /// - Parameter places: The places of values that are assigned after `awakeFromInsert`; nil for
  ///   all values that are not defaults.
  package func insert(
    _ entity: EntityDescription, snapshot: ObjectSnapshot, assigning places: [Int]? = nil
  ) -> ManagedObject {
    if entity !== insertedEntity { checkInsertion(of: entity) }
    let number = persistentStoreCoordinator.store.reserveNumber(in: entity.root)
    let id = ObjectID(entity: entity, number: number)
    guard !persistentStoreCoordinator.hooks.isEmpty else { return insert(id, snapshot: snapshot) }
    return ObjectLifecycle(self).insert(
      id, snapshot,
      assigning: places
        ?? entity.attributes.indices.filter { snapshot[$0] != entity.defaults[$0] })
  }

  /// Ends the program if there cannot be objects of an entity here.
  @inline(never)
  private func checkInsertion(of entity: EntityDescription) {
    let model = persistentStoreCoordinator.managedObjectModel
    require(
      !entity.isAbstract,
      "cannot insert an object of \(entity.name), which is abstract; insert one of an entity that "
        + "inherits from it")
    require(
      model.entitiesByName[entity.name] === entity,
      "cannot insert an object of \(entity.name), which is an entity of another model; take the "
        + "entity from managedObjectModel.entitiesByName of the context's coordinator")
    insertedEntity = entity
  }

  /// Inserts an object with a number that is already reserved.
  func insert(_ id: ObjectID, snapshot: ObjectSnapshot) -> ManagedObject {
    alone {
      let object = makeObject(id, snapshot)
      register(object)
      object.isPending = true
      pending.append(object)
      mayHaveNewObjects = true
      object.isUnprocessed = true
      unprocessed.append(object)
      awaitEndOfTurn()
      return object
    }
  }

  /// Marks an object for deletion.
  ///
  /// An object that is already deleted, or belongs to another context, is ignored.
  public func delete(_ object: ManagedObject) {
    guard !object.isDeleted, object.managedObjectContext === self else { return }
    if !persistentStoreCoordinator.hooks.isEmpty {
      ObjectLifecycle(self).prepareForDeletion(object)
      if object.isDeleted { return }
    }
    markDeleted(object)
    if !object.entity.relationships.isEmpty {
      deletions.append(object)
      awaitEndOfTurn()
    }
  }

  /// Marks an object for deletion without applying delete rules, when the consequences are already
  /// known.
  func markDeleted(_ object: ManagedObject) {
    guard !object.isDeleted else { return }
    willChange(object)
    undoRecorder.willDelete(object)
    object.isDeleted = true
    if object.version == 0 { drafts.noteDeletion() }
  }

  /// Applies the delete rules of objects deleted since the last processing, and of the objects that
  /// these rules delete.
  func propagateDeletions() {
    if !postponedDeletions.isEmpty {
      deletions += postponedDeletions
      postponedDeletions = []
    }
    if !deletions.isEmpty { DeleteRules(self).propagate() }
  }

  /// Puts an object back whose delete rules were applied only in part.
  func putBackDeletion(of object: ManagedObject) { deletions.append(object) }

  /// Applies the delete rules of an object later, because its relationships cannot be read.
  func postponeDeletion(of object: ManagedObject) {
    if postponedDeletions.last !== object { postponedDeletions.append(object) }
  }

  /// Applies the delete rules of a deleted object again, because it got other relationships.
  ///
  /// If others deleted it, its references to saved objects are only removed, as in the merge.
  func renewDeletion(of object: ManagedObject) {
    guard !object.entity.relationships.isEmpty else { return }
    if object.isGone { return reconciler.note(object) }
    deletions.append(object)
    awaitEndOfTurn()
  }

  /// Returns and removes an object whose delete rules were not applied yet.
  func takeDeletion() -> ManagedObject? { deletions.popLast() }

  /// Returns the object with an identity, even if no such object exists.
  ///
  /// An object that is not in the context is read from the source at once. If the source does not
  /// have it, the returned object is deleted, has the default values of its entity, and ignores new
  /// values. Core Data does the same since iOS 9. If the object may not exist, use
  /// ``existingObject(with:)``.
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
  /// An object marked for deletion is still returned. A damaged file may refer to an object of
  /// another entity: if the object's entity is not the identity's entity or one that inherits from
  /// it, the result is nil.
  package func findObject(with id: ObjectID) -> ManagedObject? {
    guard let object = object(id.number, in: id.entity.root),
      object.entity.isKindOf(entity: id.entity)
    else { return nil }
    return object
  }

  /// Returns the values of an object that ``findObject(with:)`` would return, for a look at them:
  /// the object is not read into the context, and a fault stays a fault.
  package func shownValues(of id: ObjectID) -> ObjectValues? {
    let object = registered(id.number, in: id.entity.root)
    guard let values = object?.shownValues ?? source.values(of: id.number, in: id.entity),
      values.objectID.entity.isKindOf(entity: id.entity)
    else { return nil }
    return values
  }

  /// Returns an object as ``findObject(with:)`` does, and nil only if the source says that there is
  /// none.
  ///
  /// - Throws: ``StoreError`` if the source cannot say. The coordinator keeps the error, too.
  func findReadableObject(with id: ObjectID) throws(StoreError) -> ManagedObject? {
    let coordinator = persistentStoreCoordinator
    // Errors of earlier reads say nothing about this object.
    let earlier = coordinator.hasReadFailure ? coordinator.takeReadFailure() : nil
    defer { if let earlier { coordinator.note(earlier) } }
    if let found = findObject(with: id) { return found }
    guard let failure = coordinator.takeReadFailure() else { return nil }
    coordinator.note(failure)
    throw failure
  }

  /// Returns the object with an identity.
  ///
  /// - Throws: ``ObjectError/missing(_:)`` if it was deleted, rolled back, or never existed, or
  ///   ``ObjectError/unreadable(_:)`` if the store cannot say.
  public func existingObject(with id: ObjectID) throws(ObjectError) -> ManagedObject {
    // Errors of earlier reads say nothing about this object.
    let earlier = persistentStoreCoordinator.takeReadFailure()
    defer { if let earlier { persistentStoreCoordinator.note(earlier) } }
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

  /// Whether there are changes that were not processed yet.
  package var hasUnprocessedChanges: Bool { !unprocessed.isEmpty }

  /// Objects inserted and not saved yet, in order of insertion.
  public var insertedObjects: [ManagedObject] { pending.filter(\.isInserted) }

  /// Saved objects with unsaved changes, in order of the first change.
  public var updatedObjects: [ManagedObject] { pending.filter(\.isUpdated) }

  /// Saved objects marked for deletion, in order of the first change.
  ///
  /// Objects that others deleted are included until the next save.
  public var deletedObjects: [ManagedObject] {
    pending.filter(\.isUnsavedDeletion)
  }

  /// The objects with unsaved changes, in order of the first change, and objects that were inserted
  /// and deleted since the last save.
  package var unsavedObjects: [ManagedObject] { pending }

  /// The objects that were touched since the last processing, in order.
  package var unprocessedObjects: [ManagedObject] { unprocessed }

  /// Everything deleted since the last save, including objects that were never saved.
  var goneObjects: [ManagedObject] { pending.filter(\.isDeleted) }

  /// How many objects are inserted, updated or deleted, without a list of them.
  package var changedCount: Int {
    var count = 0
    pending.visit {
      if $0.hasChanges || $0.isGone { count += 1 }
      return true
    }
    return count
  }

  /// Whether there are inserted, updated or deleted objects.
  public var hasChanges: Bool { pending.contains { $0.hasChanges || $0.isGone } }

  /// Returns an object by number.
  ///
  /// It is read from the source if it is not in the context.
  package func object(_ number: Int64, in root: EntityDescription) -> ManagedObject? {
    if let object = registered(number, in: root) { return object }
    if persistentStoreCoordinator.store.readsInBatches {
      // A row of a controller's results is always read with its neighbours.
      for listener in listeners {
        guard let receiver = listener.receiver, receiver.holds(number, in: root) else { continue }
        return receiver.batchedRow(number).map {
          // The rows that were read with it may already have made it an object.
          registered(number, in: root) ?? adopt($0, number: number)
        }
      }
    }
    guard let row = source.row(number, in: root) else { return nil }
    persistentStoreCoordinator.firedFaults += 1
    return adopt(row, number: number)
  }

  /// Returns objects by number; objects that are not in the context are read together.
  ///
  /// Nil for each that does not exist.
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

  /// Makes an object from a row of the source.
  func adopt(_ row: StoreRow, number: Int64) -> ManagedObject {
    let object = makeObject(ObjectID(entity: row.entity, number: number), row.snapshot)
    object.version = row.version
    register(object)
    if persistentStoreCoordinator.store.foreignSaves > 0 { tellReceivers(ofRead: object) }
    if !persistentStoreCoordinator.hooks.isEmpty { ObjectLifecycle(self).awakeFromFetch(object) }
    return object
  }

  /// Returns every object of an entity that exists, by number, including objects marked for
  /// deletion.
  ///
  /// Nothing is processed. If the store cannot be read, the coordinator keeps the error.
  ///
  /// - Complexity: O(*n* log *n*) in the objects.
  package func registeredObjects(of entity: EntityDescription) -> [ManagedObject] {
    ObjectListing(self).all(of: entity)
  }

  /// Returns every object of an entity that exists, by number, without reading a row from a store.
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

  /// Returns a deleted object without values, as a placeholder for one that does not exist.
  func missingObject(_ number: Int64, of entity: EntityDescription) -> ManagedObject {
    let object = makeObject(ObjectID(entity: entity, number: number), entity.defaults)
    object.isDeleted = true
    return object
  }

  /// Creates an object of the class that is registered for its entity.
  func makeObject(_ id: ObjectID, _ snapshot: ObjectSnapshot) -> ManagedObject {
    if persistentStoreCoordinator.objectClasses.isEmpty {
      return ManagedObject(id, snapshot, in: reference)
    }
    let creation = ManagedObjectCreation(objectID: id, snapshot: snapshot, context: self)
    return persistentStoreCoordinator.objectClass(for: id.entity).init(creation)
  }

  func register(_ object: ManagedObject) {
    table(of: object.entity.root)[object.objectID.number] = object
  }

  /// Removes an object, unless another object has its number since a reset.
  func forget(_ object: ManagedObject) {
    forget(object, from: table(of: object.entity.root))
  }

  /// Removes an object from the table of its root entity.
  @inline(__always)
  func forget(_ object: ManagedObject, from table: ObjectTable) {
    guard table.remove(object) else { return }
    if !batches.isEmpty { hasForgottenInDelivery = true }
    if !stale.isEmpty { stale.remove(object.objectID) }
    if !children.isEmpty { noteLoss(of: object) }
  }

  /// Notes that an object leaves the context, if it was never saved and a child context has it.
  ///
  /// Another process may then save an object with its number.
  func noteLoss(of object: ManagedObject) {
    guard object.isNew || object.isNewAndGone,
      isInChild(object.objectID.number, of: object.entity.root)
    else { return }
    persistentStoreCoordinator.lostDrafts.insert(object.objectID)
  }

  private func isInChild(_ number: Int64, of root: EntityDescription) -> Bool {
    children.contexts.contains {
      $0.registered(number, in: root) != nil || $0.isInChild(number, of: root)
    }
  }

  /// Keeps the old values of an object that is about to change or to be deleted.
  func willChange(_ object: ManagedObject) {
    if object.isFault {
      replacedState?.note(object, wasStale: stale.contains(object.objectID))
      fire(object)
    }
    if !children.isEmpty { StaleObjects(self).tellChildren(of: object) }
    if !object.isUnprocessed {
      // Delete rules and references change objects without replacing them.
      replacedState?.note(object)
      object.isUnprocessed = true
      // A deletion that was processed is not reported again.
      object.baseline = object.isDeleted ? nil : knownValues(of: object)
      if object.isDeleted { noteChange(ofDeleted: object) }
      unprocessed.append(object)
      awaitEndOfTurn()
    }
    object.causes.insert(.assigned)
    if !object.isPending {
      object.isPending = true
      object.committed = object.snapshot
      pending.append(object)
    }
  }

  /// Keeps the old values of an object that the engine is about to change: by a merge, a refresh,
  /// an undo or a rollback.
  func willReplace(_ object: ManagedObject, by cause: ChangeCauses) {
    if !children.isEmpty { StaleObjects(self).tellChildren(of: object) }
    hasReplacedObjects = true
    replacedState?.note(object)
    object.causes.formUnion(cause)
    undoRecorder.capture(object)
    reconciler.note(object)
    guard !object.isUnprocessed else { return }
    object.isUnprocessed = true
    object.baseline = object.isDeleted ? nil : knownValues(of: object)
    if object.isDeleted { noteChange(ofDeleted: object) }
    unprocessed.append(object)
    awaitEndOfTurn()
  }

  /// Returns the values by which controllers know an unprocessed object: those before its fault was
  /// fired, if it was.
  func knownValues(of object: ManagedObject) -> ObjectSnapshot {
    guard !valuesBeforeFiring.isEmpty,
      let known = valuesBeforeFiring.removeValue(forKey: object.objectID)
    else { return object.snapshot }
    // Changes of others cannot be undone.
    undoRecorder.didReplace(object)
    return known
  }

  /// Replaces values of objects without counting that as an assignment.
  var replacing: ObjectReplacing { ObjectReplacing(self) }

  /// Removes objects without unsaved changes from the list.
  func dropUnchangedObjects() { pending.removeAll { !$0.isPending } }
}

extension ManagedObjectContext: ObjectGraph {
  package var owner: AnyObject? { self }

  /// Returns an object's present values, or nil if it does not exist.
  package func currentSnapshot(of id: ObjectID) -> ObjectSnapshot? {
    let root = id.entity.root
    if let object = registered(id.number, in: root) {
      if object.isFault { fire(object) }
      return object.isMissing(as: id) ? nil : object.snapshot
    }
    guard let row = source.row(id.number, in: root), row.entity.isKindOf(entity: id.entity) else {
      return nil
    }
    return row.snapshot
  }
}

extension ObjectValues {
  /// The context that is used to read the object and its related objects.
  package var managedObjectContext: ManagedObjectContext? { graph?.owner as? ManagedObjectContext }
}
