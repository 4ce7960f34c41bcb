/// A scratch pad of objects: what was inserted, changed and deleted, until a
/// save writes it or a rollback forgets it.
///
/// Changes become visible to controllers when the context *processes* them: at
/// the end of a turn of the run loop, which on this platform is a call of
/// ``processPendingChanges()``, and before each fetch, count and save.
///
/// Not `Sendable`; see ``PersistentStoreCoordinator``.
public final class ManagedObjectContext {
  /// The coordinator below.
  public let coordinator: PersistentStoreCoordinator
  /// The clock and the locale of predicates and sorts.
  public var environment = EvaluationEnvironment()
  /// Receives what Core Data would print on the console.
  public var console: ((String) -> Void)?

  /// The objects of each root entity, by number.
  private var objects: [EntityDescription: PagedArray<ManagedObject?>] = [:]
  /// Objects with unsaved changes, in order of the first change.
  ///
  /// One that came and went again may stand here until the next save.
  private var pending: [ManagedObject] = []
  /// Objects touched since the last processing, in order.
  private var unprocessed: [ManagedObject] = []
  /// The batches that some controller may still have to see, oldest first.
  private var batches: [ContextChanges] = []
  private var sequence = 0
  /// Objects deleted since the last processing, whose relationships' delete
  /// rules have still to be carried out.
  private var deletions: [ManagedObject] = []
  private var listeners: [Listener] = []

  /// Creates a context with nothing in it.
  public init(coordinator: PersistentStoreCoordinator) { self.coordinator = coordinator }
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
  package func insert(_ entity: EntityDescription, snapshot: Snapshot) -> ManagedObject {
    precondition(!entity.isAbstract, "an abstract entity has no objects of its own")
    let number = coordinator.store.reserveNumber(in: entity.root)
    let object = ManagedObject(
      objectID: ObjectID(entity: entity, number: number), snapshot: snapshot, context: self)
    register(object)
    object.isPending = true
    pending.append(object)
    object.isUnprocessed = true
    unprocessed.append(object)
    return object
  }

  /// Marks an object for deletion.
  ///
  /// An object that is deleted already, or belongs to another context, is left
  /// alone.
  public func delete(_ object: ManagedObject) {
    guard !object.isDeleted, object.managedObjectContext === self else { return }
    willChange(object)
    object.isDeleted = true
    if !object.entity.relationships.isEmpty { deletions.append(object) }
  }

  /// Takes an object whose delete rules have to be carried out.
  func takeDeletion() -> ManagedObject? { deletions.popLast() }

  /// Returns the object with an identity, or nil where it was deleted, rolled
  /// back, or never existed.
  ///
  /// An object marked for deletion is still returned.
  public func object(with id: ObjectID) -> ManagedObject? { object(id.number, in: id.entity.root) }

  /// Returns the object of an entity with a number, which counts from 1 in
  /// order of insertion, or nil where there is none.
  public func object(entity: EntityDescription, number: Int64) -> ManagedObject? {
    object(number, in: entity.root)
  }

  /// Whether anything was touched since changes were last processed.
  package var hasUnprocessedChanges: Bool { !unprocessed.isEmpty }

  /// Objects inserted and not saved yet, in order of insertion.
  public var insertedObjects: [ManagedObject] { pending.filter(\.isInserted) }

  /// Saved objects with unsaved changes, in order of the first change.
  public var updatedObjects: [ManagedObject] { pending.filter(\.isUpdated) }

  /// Saved objects marked for deletion, in order of the first change.
  public var deletedObjects: [ManagedObject] {
    pending.filter { $0.isDeleted && $0.committed != nil }
  }

  /// Whether a save would write anything.
  public var hasChanges: Bool { pending.contains(where: \.hasChanges) }

  /// Returns an object by number, from the store where it is not here yet.
  package func object(_ number: Int64, in root: EntityDescription) -> ManagedObject? {
    if let object = registered(number, in: root) { return object }
    guard let row = try? coordinator.store.row(number, in: root) else { return nil }
    let object = ManagedObject(
      objectID: ObjectID(entity: row.entity, number: number), snapshot: row.snapshot,
      context: self)
    register(object)
    return object
  }

  /// Returns the unsaved objects of a request's entity that match a predicate.
  func pendingRows(
    of request: FetchRequest, matching predicate: CompiledPredicate?
  ) throws(FetchError) -> [(number: Int64, snapshot: Snapshot)] {
    var rows: [(number: Int64, snapshot: Snapshot)] = []
    for object in pending where !object.isDeleted && request.includes(object.entity) {
      do {
        guard try predicate?.matches(object.snapshot, of: object.objectID) ?? true else { continue }
      } catch {
        throw FetchError.predicate(error)
      }
      rows.append((object.objectID.number, object.snapshot))
    }
    return rows
  }

  func hasPendingObjects(of root: EntityDescription) -> Bool {
    pending.contains { $0.entity.root === root }
  }

  /// Returns every live object of an entity, those marked for deletion
  /// included, by number.
  ///
  /// Nothing is processed.
  ///
  /// - Complexity: O(*n*) in the numbers given out so far.
  package func registeredObjects(of entity: EntityDescription) -> [ManagedObject] {
    let last = coordinator.store.lastNumber(in: entity.root)
    guard last > 0 else { return [] }
    return (1...last).compactMap { object($0, in: entity.root) }
      .filter { $0.entity.isKind(of: entity) }
  }

  func registered(_ number: Int64, in root: EntityDescription) -> ManagedObject? {
    objects[root]?[number]
  }

  private func register(_ object: ManagedObject) {
    let root = object.entity.root
    objects[root, default: PagedArray(placeholder: nil)][object.objectID.number] = object
  }

  /// Takes an object out, unless another one stands for its number since a
  /// reset.
  private func forget(_ object: ManagedObject) {
    let root = object.entity.root
    guard registered(object.objectID.number, in: root) === object else { return }
    objects[root]?[object.objectID.number] = nil
  }

  /// Keeps the values of an object that is about to change or to be deleted.
  func willChange(_ object: ManagedObject) {
    if !object.isUnprocessed {
      object.isUnprocessed = true
      object.baseline = object.snapshot
      unprocessed.append(object)
    }
    if !object.isPending {
      object.isPending = true
      object.committed = object.snapshot
      pending.append(object)
    }
  }
}

// MARK: - Processing

extension ManagedObjectContext {
  /// Ends a turn: collects what changed since the last processing and lets
  /// every controller on this context report it, in order of their creation,
  /// one whole batch after another.
  ///
  /// A delegate may change objects and may call this again, as a fetch inside
  /// a callback does: the nested batch is reported inside the first, after the
  /// first was reported to the controllers that have not heard it yet.
  public func processPendingChanges() {
    guard !unprocessed.isEmpty else { return }
    propagateDeletions()
    sequence += 1
    let touched = unprocessed
    let changes = touched.compactMap { $0.takeChange() }
    unprocessed.removeAll(keepingCapacity: true)
    if !changes.isEmpty {
      batches.append(ContextChanges(changes: changes, sequence: sequence))
      deliverBatches()
    }
    for object in touched where object.isDeleted && !object.isPending { forget(object) }
  }

  private func deliverBatches() {
    listeners.removeAll { $0.receiver == nil }
    for listener in listeners {
      while let batch = batches.first(where: { $0.sequence > listener.seen }) {
        listener.seen = batch.sequence
        let later = batches.drop { $0.sequence <= batch.sequence }
        listener.receiver?.contextDidProcess(batch, before: Array(later))
      }
    }
    let oldest = listeners.map(\.seen).min() ?? sequence
    batches.removeAll { $0.sequence <= oldest }
  }

  /// One controller's place in the stream of batches.
  final class Listener {
    weak var receiver: (any ContextChangeReceiver)?
    var seen: Int

    init(_ receiver: any ContextChangeReceiver, seen: Int) {
      self.receiver = receiver
      self.seen = seen
    }
  }

  /// Adds a receiver behind those that listen already.
  func addReceiver(_ receiver: any ContextChangeReceiver) {
    listeners.append(Listener(receiver, seen: sequence))
  }

  /// Lets a receiver skip the batches that its new contents already include.
  func markSeen(_ receiver: any ContextChangeReceiver) {
    listeners.first { $0.receiver === receiver }?.seen = sequence
  }
}

/// What hears of a context's processed changes: a controller.
protocol ContextChangeReceiver: AnyObject {
  /// Takes one batch.
  ///
  /// The later ones are those that this receiver will get next; their objects
  /// already have newer values.
  func contextDidProcess(_ batch: ContextChanges, before later: [ContextChanges])

  /// Forgets everything, since the context did.
  func contextDidReset()
}

extension ManagedObject {
  /// Ends the object's part in a turn and returns what it was.
  fileprivate func takeChange() -> ObjectChange? {
    isUnprocessed = false
    let change = ObjectChange(
      object: self, before: baseline, after: isDeleted ? nil : snapshot)
    baseline = nil
    return change.kind == nil ? nil : change
  }
}

// MARK: - Saving

extension ManagedObjectContext {
  /// Processes pending changes, validates them and writes them to the store.
  ///
  /// - Throws: ``ValidationError`` with every failure, or ``StoreError``; the
  ///   changes then stay pending and the store is as it was.
  public func save() throws {
    updateBeforeSave()
    processPendingChanges()
    let changed = pending.filter(\.hasChanges)
    let failures = changed.flatMap { $0.isDeleted ? $0.deletionFailures : $0.validationFailures }
    guard failures.isEmpty else { throw ValidationError(failures: failures) }
    if !changed.isEmpty { try coordinator.store.save(changed.map(\.storeChange)) }
    for object in pending {
      object.isPending = false
      object.committed = nil
      // One that a delegate deleted just now has still to be reported.
      if object.isDeleted && !object.isUnprocessed { forget(object) }
    }
    pending.removeAll(keepingCapacity: true)
  }

  /// Forgets every unsaved change: inserted objects vanish, changed ones get
  /// their saved values back, deleted ones return.
  ///
  /// Controllers hear of it when the changes are next processed.
  public func rollback() {
    deletions.removeAll()
    for object in pending {
      if !object.isUnprocessed {
        object.isUnprocessed = true
        object.baseline = object.isDeleted ? nil : object.snapshot
        unprocessed.append(object)
      }
      object.isPending = false
      if let committed = object.committed {
        object.snapshot = committed
        object.committed = nil
        object.isDeleted = false
      } else {
        object.isDeleted = true
      }
    }
    pending.removeAll(keepingCapacity: true)
  }

  /// Forgets every object, changed or not.
  ///
  /// Controllers report nothing and have to fetch again; the objects belong to
  /// no context any more.
  public func reset() {
    for object in objects.values.flatMap(\.stored) { object?.leaveContext() }
    pending.removeAll()
    unprocessed.removeAll()
    deletions.removeAll()
    objects.removeAll()
    batches.removeAll()
    for listener in listeners { listener.receiver?.contextDidReset() }
  }
}

extension ManagedObject {
  /// Ends the object's life in a context that forgets it.
  fileprivate func leaveContext() {
    managedObjectContext = nil
    baseline = nil
    committed = nil
    isPending = false
    isUnprocessed = false
  }

  fileprivate var storeChange: StoreChange {
    StoreChange(
      objectID: objectID, snapshot: isDeleted ? nil : snapshot, isInsertion: committed == nil)
  }
}
