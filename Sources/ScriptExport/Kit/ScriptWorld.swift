import CoreData

/// The store, contexts and controllers of one script.
///
/// All contexts use the main queue. The test runs there, so nothing has to wait.
final class ScriptWorld {
  let names = ObjectNames()
  let model: NSManagedObjectModel
  let entities: [Entity]
  private(set) var events: [ReportedEvent] = []
  private(set) var contexts: [String: NSManagedObjectContext] = [:]
  private(set) var controllers: [String: ControllerRecorder.Controller] = [:]
  /// The line of the current operation.
  var line = 1

  private var contextNames: [String] = []
  private var recorders: [String: ControllerRecorder] = [:]
  private var saves: [String: LastSave] = [:]
  private var observers: [String: [any NSObjectProtocol]] = [:]
  /// Inserted objects, by context.
  ///
  /// The identity that a save in another context gives does not lead to them.
  private var inserted: [String: [String: NSManagedObject]] = [:]
  private var undoGroups: Set<String> = []
  private let usesUndo: Bool
  private let coordinator: NSPersistentStoreCoordinator
  private var folder: URL?

  /// Opens an empty store, and creates the context `main`.
  init(_ script: Script) throws {
    entities = try script.decoded(script.entities)
    model = try ModelBuilder(entities).model
    usesUndo = script.usesUndo
    coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    if script.store == "sqlite" {
      let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("Conformance-" + UUID().uuidString)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      self.folder = folder
      try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType, configurationName: nil,
        at: folder.appendingPathComponent("script.sqlite"), options: nil)
    } else {
      try coordinator.addPersistentStore(
        ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
    }
    try define("main", parent: nil)
  }

  deinit {
    for observer in observers.values.joined() {
      NotificationCenter.default.removeObserver(observer)
    }
    for save in saves.values { save.forget() }
    if let folder { try? FileManager.default.removeItem(at: folder) }
  }

  /// Reports an event of the current operation.
  func report(_ json: String) { events.append(ReportedEvent(line: line, json: json)) }

  // MARK: Contexts

  func define(_ name: String, parent: String?) throws {
    let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    if let parent {
      context.parent = try self.context(parent)
    } else {
      context.persistentStoreCoordinator = coordinator
    }
    context.name = name
    context.undoManager = usesUndo ? UndoManager() : nil
    context.undoManager?.groupsByEvent = false
    contexts[name] = context
    contextNames.append(name)
    saves[name] = LastSave(of: context)
  }

  func context(_ name: String?) throws -> NSManagedObjectContext {
    guard let context = contexts[name ?? "main"] else {
      throw KitError("there is no context '\(name ?? "main")'")
    }
    return context
  }

  /// Returns the context for a change, and opens the turn's undo group.
  func changing(_ name: String?) throws -> NSManagedObjectContext {
    let context = try context(name)
    if usesUndo, undoGroups.insert(name ?? "main").inserted {
      context.undoManager?.beginUndoGrouping()
    }
    return context
  }

  /// Ends the turn of some contexts: processes their changes, and those that result from them.
  func process(_ names: [String]) throws {
    for _ in 0..<10 {
      let reported = events.count
      for name in names { try context(name).processPendingChanges() }
      #if canImport(ObjectiveC)
      // Saves of other contexts are merged during a pass of the run loop.
      RunLoop.current.run(mode: .default, before: Date())
      #endif
      if events.count == reported { break }
    }
    for name in names { try closeUndoGroup(name) }
  }

  func closeUndoGroup(_ name: String) throws {
    guard undoGroups.remove(name) != nil else { return }
    let context = try context(name)
    context.processPendingChanges()
    context.undoManager?.endUndoGrouping()
  }

  func save(_ name: String, mayFail: Bool) throws {
    let context = try context(name)
    do {
      try names.keeping(context.insertedObjects) { try context.save() }
    } catch let error as NSError {
      guard mayFail else { throw error }
      report(
        JSONText.object([("event", JSONText.string("error")), ("code", String(error.code))]))
    }
  }

  func merge(_ saver: String, into target: String) throws {
    guard let save = saves[saver]?.notification else {
      throw KitError("'\(saver)' has not saved")
    }
    try context(target).mergeChanges(fromContextDidSave: save)
  }

  func reset(_ name: String) throws {
    inserted[name] = nil
    try context(name).reset()
  }

  /// Starts or stops reporting the notifications of a context.
  func observe(_ name: String, isOn: Bool) throws {
    if isOn, observers[name] != nil { return }
    for observer in observers.removeValue(forKey: name) ?? [] {
      NotificationCenter.default.removeObserver(observer)
    }
    guard isOn else { return }
    #if !canImport(ObjectiveC)
    try context(name).beginNotifications()
    #endif
    let reporter = NotificationReporter(name, names: names) { [unowned self] in report($0) }
    observers[name] = reporter.observers(of: try context(name))
  }

  // MARK: Objects

  func insert(_ name: String, entity: String, in place: String?) throws -> NSManagedObject {
    let context = try changing(place)
    let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
    names.add(name, of: object)
    inserted[place ?? "main", default: [:]][name] = object
    return object
  }

  func object(_ name: String, in place: String?) throws -> NSManagedObject {
    if let object = inserted[place ?? "main"]?[name], object.managedObjectContext != nil {
      return object
    }
    guard let id = names.identity(of: name) else { throw KitError("there is no object '\(name)'") }
    return try context(place).object(with: id)
  }

  /// Returns a value for Core Data.
  ///
  /// - Parameter key: The property for the value; nil for none.
  func foundation(
    _ value: Value, for key: String?, of object: NSManagedObject? = nil, in place: String?
  ) throws -> Any? {
    let found = try value.foundation { try self.object($0, in: place) }
    guard let key, let relationship = object?.entity.relationshipsByName[key],
      relationship.isToMany
    else { return found }
    let members = found as? [Any] ?? []
    return relationship.isOrdered ? NSOrderedSet(array: members) : NSSet(array: members)
  }

  // MARK: Controllers

  func define(_ name: String, _ controller: ControllerRecorder.Controller) {
    controllers[name] = controller
    recorders[name] = nil
  }

  func controller(_ name: String) throws -> ControllerRecorder.Controller {
    guard let controller = controllers[name] else {
      throw KitError("there is no controller '\(name)'")
    }
    return controller
  }

  func setDelegate(of name: String, methods: [String]?, countsOnly: Bool) throws {
    recorders[name] = methods.map { methods in
      ControllerRecorder(name, methods: methods, countsOnly: countsOnly, names: names) {
        [unowned self] in report($0)
      }
    }
    try controller(name).delegate = recorders[name]
  }
}
