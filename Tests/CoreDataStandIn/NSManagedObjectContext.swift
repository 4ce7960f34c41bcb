import FetchedResults

/// A set of objects with their unsaved changes.
///
/// The app decides where a turn of the run loop ends: `processPendingChanges()`, a controller's
/// fetch and a save process the changes.
open class NSManagedObjectContext: NSObject, @unchecked Sendable {
  /// The queue of a context. The stand-in has no queues, so blocks run immediately.
  public enum ConcurrencyType: UInt, Sendable {
    case privateQueue = 1
    case mainQueue = 2

    public static let privateQueueConcurrencyType = ConcurrencyType.privateQueue
    public static let mainQueueConcurrencyType = ConcurrencyType.mainQueue
  }

  /// The queue of the context.
  public let concurrencyType: NSManagedObjectContextConcurrencyType
  /// The context that receives the saves, instead of the store.
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
  /// The name that the app gives to the context.
  open var name: String? {
    didSet { engine.name = name }
  }
  /// The author of saves, for the history.
  open var transactionAuthor: String? {
    didSet { engine.transactionAuthor = transactionAuthor }
  }
  /// The `NSMergePolicy` for conflicts.
  open var mergePolicy: Any = NSMergePolicy.error {
    didSet { (mergePolicy as? NSMergePolicy).map { engine.mergePolicy = $0.engine } }
  }
  /// Whether saves of other contexts are merged automatically.
  open var automaticallyMergesChangesFromParent: Bool {
    get { engine.automaticallyMergesChangesFromParent }
    set { engine.automaticallyMergesChangesFromParent = newValue }
  }
  /// The manager for undo; nil if nothing can be undone.
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

  /// The engine's context, which is created when it is first needed.
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

  /// Makes observers receive notifications after the controllers that the context has now.
  ///
  /// Observers and controllers are called in the order in which they were added. A notification
  /// center does not tell when an observer was added, so an app that observes after creating a
  /// controller calls this.
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
    // Relationships to a deleted object still return it.
    return objects.values.first { $0.engine.objectID == id }
  }

  func objectID(of id: ObjectID) -> NSManagedObjectID {
    if let object = object(for: id) { return object.objectID }
    guard let entity = model?.entitiesByName[id.entity.name] else {
      preconditionFailure("the model has no '\(id.entity.name)'")
    }
    return NSManagedObjectID(id, of: entity, isTemporary: false, uri: nil)
  }

  /// Returns the object with an identity. The object must exist, unlike on Apple systems.
  open func object(with objectID: NSManagedObjectID) -> NSManagedObject {
    guard let object = object(for: objectID.engine) else {
      preconditionFailure("the context has no object \(objectID.engine)")
    }
    return object
  }

  /// Returns the object with an identity.
  open func existingObject(with objectID: NSManagedObjectID) throws -> NSManagedObject {
    guard let object = object(for: objectID.engine), !object.engine.isDeleted else {
      throw NSError(domain: NSCocoaErrorDomain, code: 133_000)
    }
    return object
  }

  /// Returns the object with an identity, if the context already has it.
  open func registeredObject(for objectID: NSManagedObjectID) -> NSManagedObject? {
    engine.registered(objectID.engine.number, in: objectID.engine.entity.root).map {
      object(for: $0)
    }
  }

  /// Does nothing, because an object of the stand-in is in its context from the beginning.
  open func insert(_ object: NSManagedObject) {}

  /// Marks an object for deletion.
  open func delete(_ object: NSManagedObject) { engine.delete(object.engine) }

  /// Gives new objects their permanent identities.
  open func obtainPermanentIDs(for objects: [NSManagedObject]) throws {
    try engine.obtainPermanentIDs(for: objects.map(\.engine))
  }

  /// The new objects.
  open var insertedObjects: Set<NSManagedObject> { wrapped(engine.insertedObjects) }
  /// The saved objects that have changed since.
  open var updatedObjects: Set<NSManagedObject> { wrapped(engine.updatedObjects) }
  /// Objects that the next save deletes.
  open var deletedObjects: Set<NSManagedObject> { wrapped(engine.deletedObjects) }
  /// Whether there is something to save.
  open var hasChanges: Bool { engine.hasChanges }

  func wrapped(_ objects: [ManagedObject]) -> Set<NSManagedObject> {
    Set(objects.map { object(for: $0) })
  }

  // MARK: Turns

  /// Ends a turn: changes are processed and controllers report them.
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

  /// Drops the unsaved changes.
  open func rollback() { engine.rollback() }

  /// Removes all objects.
  open func reset() {
    engine.reset()
    objects.removeAll()
  }

  /// Undoes the last turn.
  open func undo() { engine.undo() }

  /// Repeats the change that was undone last.
  open func redo() { engine.redo() }

  /// Updates an object with the store's values.
  open func refresh(_ object: NSManagedObject, mergeChanges: Bool) {
    engine.refresh(object.engine, mergeChanges: mergeChanges)
  }

  /// Updates all objects with the store's values, and keeps changes.
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

  /// Runs a block immediately.
  open func perform(_ block: @escaping () -> Void) { block() }

  /// Runs a block.
  open func perform<Result>(_ block: @escaping () throws -> Result) async rethrows -> Result {
    try block()
  }

  /// Runs a block.
  open func performAndWait<Result>(_ block: () throws -> Result) rethrows -> Result { try block() }

  // MARK: Fetching

  /// Returns the result of a request.
  open func fetch<Result>(_ request: NSFetchRequest<Result>) throws -> [Result] {
    let found = try engine.fetch(request.engine(in: self)).map { object(for: $0) }
    guard request.resultType == .managedObjectIDResultType else {
      return found.compactMap { $0 as? Result }
    }
    return found.compactMap { $0.objectID as? Result }
  }

  /// Returns the number of objects that match a request.
  open func count<Result>(for request: NSFetchRequest<Result>) throws -> Int {
    try engine.count(for: request.engine(in: self))
  }
}

public typealias NSManagedObjectContextConcurrencyType = NSManagedObjectContext.ConcurrencyType
