import FetchedResults
import FetchedResultsSQLite
import Foundation

/// Saved books in a store, a context, and a controller of them.
final class World {
  /// Where the store keeps its rows.
  enum Kind: String, CaseIterable, Sendable {
    case memory = "in memory"
    case file = "in a file"
  }

  let count: Int
  let book: EntityDescription
  let context: ManagedObjectContext
  private(set) var controller: FetchedResultsController
  private let folder: URL
  private let delegate = Listener()
  private var observed: ObservedResults?
  private var state: UInt64 = 1
  private var last: Int64

  /// Receives what it is asked to, and does nothing.
  private final class Listener: FetchedResultsControllerDelegate {
    var implementedMethods = FetchedResultsDelegateMethods.changes
  }

  init(_ kind: Kind, count: Int) throws {
    self.count = count
    last = Int64(count)
    book = try EntityDescription(
      name: "Book",
      attributes: [
        AttributeDescription(name: "number", type: .integer64, defaultValue: 0),
        AttributeDescription(name: "title", type: .string),
        AttributeDescription(name: "genre", type: .string),
        AttributeDescription(name: "pages", type: .integer64, defaultValue: 0),
      ], indexes: [FetchIndexDescription(attribute: "number")])
    let model = try ManagedObjectModel(entities: [book])
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("frc-operations-\(UUID().uuidString)")
    let coordinator: PersistentStoreCoordinator
    switch kind {
    case .memory: coordinator = PersistentStoreCoordinator(managedObjectModel: model)
    case .file:
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      coordinator = try PersistentStoreCoordinator(
        managedObjectModel: model, sqliteStoreAt: folder.appendingPathComponent("books.sqlite"),
        durability: .normal)
    }
    let writer = ManagedObjectContext(coordinator: coordinator)
    for number in 0..<count { Self.fill(writer.insert(book), Int64(number)) }
    try writer.save()
    context = ManagedObjectContext(coordinator: coordinator)
    controller = try Self.controller(of: book, in: context, isSectioned: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private static func fill(_ object: ManagedObject, _ number: Int64) {
    let mixed = (number &* 2_654_435_761) & 0xffff_ffff
    object["number"] = .int(number)
    object["title"] = .string("title " + String(0x1_0000_0000 + mixed, radix: 16).dropFirst())
    object["genre"] = .string("genre \(100 + mixed % 100)")
    object["pages"] = .int(mixed % 1000)
  }

  private static func controller(
    of book: EntityDescription, in context: ManagedObjectContext, isSectioned: Bool
  ) throws -> FetchedResultsController {
    try FetchedResultsController(
      fetchRequest: FetchRequest(
        entity: book,
        sortDescriptors: [FetchSortDescriptor(key: "genre"), FetchSortDescriptor(key: "title")]),
      managedObjectContext: context, sectionNameKeyPath: isSectioned ? "genre" : nil)
  }
}

// MARK: - Preparing

extension World {
  /// What happens before an operation is measured.
  enum Preparation: Sendable {
    case none
    /// All objects are in the context.
    case read
    /// The controller has fetched.
    case fetched
    /// The controller tracks all objects.
    case tracked
    case trackedByDifferences
    case trackedBySnapshots
    /// The controller tracks all objects, and all have unsaved changes.
    case changed
    /// The controller tracks all objects, and changes can be undone.
    case undoable
    /// Observed results follow all objects.
    case observed
    /// The store has a history.
    case recorded
  }

  func prepare(_ preparation: Preparation) throws {
    switch preparation {
    case .none: break
    case .read: _ = try allObjects()
    case .fetched: try controller.performFetch()
    case .tracked: try track(.changes)
    case .trackedByDifferences: try track([.difference, .changes], isSectioned: false)
    case .trackedBySnapshots: try track(.snapshot)
    case .changed:
      try track(.changes)
      for object in try allObjects() { object["pages"] = 1 }
      context.processPendingChanges()
    case .undoable:
      try track(.changes)
      context.undoManager = UndoHistory()
    case .observed:
      _ = try allObjects()
      let observed = try ObservedResults(
        fetchRequest: request(), sectionNameKeyPath: "genre", managedObjectContext: context,
        isolation: nil)
      observed.observe { _ in }
      self.observed = observed
    case .recorded: try context.persistentStoreCoordinator.trackPersistentHistory()
    }
  }

  private func track(
    _ methods: FetchedResultsDelegateMethods, isSectioned: Bool = true
  ) throws {
    controller = try Self.controller(of: book, in: context, isSectioned: isSectioned)
    delegate.implementedMethods = methods
    controller.delegate = delegate
    _ = try allObjects()
    try controller.performFetch()
  }

  func otherContext() -> ManagedObjectContext {
    ManagedObjectContext(coordinator: context.persistentStoreCoordinator)
  }
}

// MARK: - Using

extension World {
  func random(below count: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(state >> 33) % count
  }

  func allObjects() throws -> [ManagedObject] { try context.fetch(FetchRequest(entity: book)) }

  func request(number: Int? = nil) throws -> FetchRequest {
    FetchRequest(
      entity: book,
      predicate: try number.map { try FetchPredicate(format: "number == \($0)") },
      sortDescriptors: [FetchSortDescriptor(key: "genre"), FetchSortDescriptor(key: "title")])
  }

  func randomID() throws -> ObjectID { try randomObject().objectID }

  /// An object that exists.
  func randomObject() throws -> ManagedObject {
    while true {
      let number = Int64(random(below: Int(last))) + 1
      if let object = context.object(entity: book, number: number), !object.isDeleted {
        return object
      }
    }
  }

  func randomPath() -> ResultsIndexPath {
    let section = random(below: controller.sections?.count ?? 1)
    let rows = controller.sections?[section].numberOfObjects ?? 1
    return ResultsIndexPath(section: section, row: random(below: rows))
  }

  func move() throws {
    let object = try randomObject()
    object["genre"] = .string("genre \(100 + random(below: 100))")
    object["title"] = .string("title \(random(below: 1_000_000))")
  }

  @discardableResult
  func insert() -> ManagedObject {
    last += 1
    let object = context.insert(book)
    Self.fill(object, last)
    return object
  }
}
