import FetchedResults

/// Objects, and what is changed in them until it is saved.
///
/// A turn of the run loop is what the app says: changes are processed by
/// `processPendingChanges()`, a fetch of a controller, and a save.
open class NSManagedObjectContext: NSObject, @unchecked Sendable {
  /// On which queue a context works. The stand-in has no queues: blocks run at once.
  public enum ConcurrencyType: UInt, Sendable {
    case privateQueue = 1
    case mainQueue = 2

    public static let privateQueueConcurrencyType = ConcurrencyType.privateQueue
    public static let mainQueueConcurrencyType = ConcurrencyType.mainQueue
  }

  /// On which queue the context works.
  public let concurrencyType: NSManagedObjectContextConcurrencyType
  /// The context to which a save goes, if not to the store.
  open var parent: NSManagedObjectContext? {
    willSet { precondition(made == nil, "the context is in use") }
  }
  /// The coordinator of the store.
  open var persistentStoreCoordinator: NSPersistentStoreCoordinator? {
    get { coordinator ?? parent?.persistentStoreCoordinator }
    set {
      precondition(made == nil, "the context is in use")
      coordinator = newValue
    }
  }
  /// What the app calls the context.
  open var name: String? {
    didSet { engine.name = name }
  }
  /// Who saves, for the history.
  open var transactionAuthor: String? {
    didSet { engine.transactionAuthor = transactionAuthor }
  }
  /// Who wins a conflict: an `NSMergePolicy`.
  open var mergePolicy: Any = NSMergePolicy.error {
    didSet { (mergePolicy as? NSMergePolicy).map { engine.mergePolicy = $0.engine } }
  }
  /// Whether saves of other contexts are merged by themselves.
  open var automaticallyMergesChangesFromParent: Bool {
    get { engine.automaticallyMergesChangesFromParent }
    set { engine.automaticallyMergesChangesFromParent = newValue }
  }
  /// What can be undone; nil if nothing can.
  open var undoManager: UndoManager? {
    didSet {
      undoManager?.context = self
      engine.undoManager = undoManager?.history
    }
  }

  private var coordinator: NSPersistentStoreCoordinator?
  private var made: ManagedObjectContext?
  private var notifier: ContextObservation?
  private var objects: [ObjectIdentifier: NSManagedObject] = [:]

  /// Creates a context.
  public init(concurrencyType: NSManagedObjectContextConcurrencyType) {
    self.concurrencyType = concurrencyType
    super.init()
  }

  /// Creates a context.
  public convenience init(_ type: ConcurrencyType) { self.init(concurrencyType: type) }

  /// The engine's context, made when it is first needed.
  var engine: ManagedObjectContext {
    if let made { return made }
    let new: ManagedObjectContext
    if let parent {
      new = ManagedObjectContext(parent: parent.engine)
    } else if let coordinator {
      new = ManagedObjectContext(coordinator: coordinator.engine)
    } else {
      preconditionFailure("the context has no persistent store coordinator")
    }
    made = new
    notifier = new.observe { [unowned self] in self.post($0) }
    return new
  }

  /// Posts notifications after the controllers that the context has now.
  ///
  /// Observers and controllers are told in the order in which they began. A notification center
  /// does not say when its observers did, so whoever observes after a controller says it here.
  public func beginNotifications() {
    notifier?.cancel()
    notifier = engine.observe { [unowned self] in self.post($0) }
  }

  var model: NSManagedObjectModel? { persistentStoreCoordinator?.managedObjectModel }

  // MARK: Objects

  func adopt(_ object: NSManagedObject) { objects[ObjectIdentifier(object.engine)] = object }

  func object(for engine: ManagedObject) -> NSManagedObject {
    if let known = objects[ObjectIdentifier(engine)] { return known }
    guard let entity = model?.entitiesByName[engine.entity.name] else {
      preconditionFailure("the model has no '\(engine.entity.name)'")
    }
    let new = NSManagedObject(engine, of: entity, in: self)
    adopt(new)
    return new
  }

  func object(for id: ObjectID) -> NSManagedObject? {
    if let found = engine.findObject(with: id) { return object(for: found) }
    // What leads to a deleted object still leads to it.
    return objects.values.first { $0.engine.objectID == id }
  }

  func objectID(of id: ObjectID) -> NSManagedObjectID {
    if let object = object(for: id) { return object.objectID }
    guard let entity = model?.entitiesByName[id.entity.name] else {
      preconditionFailure("the model has no '\(id.entity.name)'")
    }
    return NSManagedObjectID(id, of: entity, isTemporary: false, uri: nil)
  }

  /// Returns the object of an identity; the object must exist, other than on Apple systems.
  open func object(with objectID: NSManagedObjectID) -> NSManagedObject {
    guard let object = object(for: objectID.engine) else {
      preconditionFailure("the context has no object \(objectID.engine)")
    }
    return object
  }

  /// Returns the object of an identity.
  open func existingObject(with objectID: NSManagedObjectID) throws -> NSManagedObject {
    guard let object = object(for: objectID.engine), !object.engine.isDeleted else {
      throw NSError(domain: NSCocoaErrorDomain, code: 133_000)
    }
    return object
  }

  /// Returns the object of an identity if the context has it.
  open func registeredObject(for objectID: NSManagedObjectID) -> NSManagedObject? {
    engine.registered(objectID.engine.number, in: objectID.engine.entity.root).map {
      object(for: $0)
    }
  }

  /// Inserts nothing: an object of the stand-in is in its context from the beginning.
  open func insert(_ object: NSManagedObject) {}

  /// Marks an object for deletion.
  open func delete(_ object: NSManagedObject) { engine.delete(object.engine) }

  /// Gives new objects their final identities.
  open func obtainPermanentIDs(for objects: [NSManagedObject]) throws {
    try engine.obtainPermanentIDs(for: objects.map(\.engine))
  }

  /// Objects that are new.
  open var insertedObjects: Set<NSManagedObject> { wrapped(engine.insertedObjects) }
  /// Objects that were saved before and changed since.
  open var updatedObjects: Set<NSManagedObject> { wrapped(engine.updatedObjects) }
  /// Objects that the next save deletes.
  open var deletedObjects: Set<NSManagedObject> { wrapped(engine.deletedObjects) }
  /// Whether a save has something to write.
  open var hasChanges: Bool { engine.hasChanges }

  func wrapped(_ objects: [ManagedObject]) -> Set<NSManagedObject> {
    Set(objects.map { object(for: $0) })
  }

  // MARK: Turns

  /// Ends a turn: changes are processed and controllers are told.
  open func processPendingChanges() { engine.processPendingChanges() }

  /// Saves.
  open func save() throws {
    do {
      try engine.save()
    } catch {
      switch error {
      case .validation(let error):
        throw NSError(
          domain: NSCocoaErrorDomain, code: error.code,
          userInfo: ["description": error.description])
      case .conflict(let error):
        throw NSError(
          domain: NSCocoaErrorDomain, code: error.code, userInfo: ["description": "\(error)"])
      case .endless, .nested, .store, .cancelled: throw error.underlyingError
      }
    }
  }

  /// Drops what is not saved.
  open func rollback() { engine.rollback() }

  /// Forgets all objects.
  open func reset() {
    engine.reset()
    objects.removeAll()
  }

  /// Undoes the last turn.
  open func undo() { engine.undo() }

  /// Does again what was undone.
  open func redo() { engine.redo() }

  /// Gives an object the store's values.
  open func refresh(_ object: NSManagedObject, mergeChanges: Bool) {
    engine.refresh(object.engine, mergeChanges: mergeChanges)
  }

  /// Gives all objects the store's values, and keeps changes.
  open func refreshAllObjects() { engine.refreshAllObjects() }

  /// Merges the save of another context.
  ///
  /// - Parameter notification: Its `NSManagedObjectContextDidSave` notification.
  open func mergeChanges(fromContextDidSave notification: Notification) {
    guard let saver = notification.object as? NSManagedObjectContext,
      let save = saver.engine.lastSave
    else { return }
    engine.mergeChanges(fromContextDidSave: save)
  }

  /// Runs a block at once.
  open func perform(_ block: @escaping () -> Void) { block() }

  /// Runs a block.
  open func perform<Result>(_ block: @escaping () throws -> Result) async rethrows -> Result {
    try block()
  }

  /// Runs a block.
  open func performAndWait<Result>(_ block: () throws -> Result) rethrows -> Result { try block() }

  // MARK: Fetching

  /// Returns what a request finds.
  open func fetch<Result>(_ request: NSFetchRequest<Result>) throws -> [Result] {
    let found = try engine.fetch(request.engine(in: self)).map { object(for: $0) }
    guard request.resultType == .managedObjectIDResultType else {
      return found.compactMap { $0 as? Result }
    }
    return found.compactMap { $0.objectID as? Result }
  }

  /// Returns how many objects a request finds.
  open func count<Result>(for request: NSFetchRequest<Result>) throws -> Int {
    try engine.count(for: request.engine(in: self))
  }
}

public typealias NSManagedObjectContextConcurrencyType = NSManagedObjectContext.ConcurrencyType
