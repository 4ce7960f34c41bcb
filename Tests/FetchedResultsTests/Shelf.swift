import EngineWorlds
import FetchedResults

/// A store in memory, a context, and an entity that is enough for most rules.
struct Shelf {
  let coordinator: PersistentStoreCoordinator
  let context: ManagedObjectContext
  let book: EntityDescription

  init() throws {
    book = try EntityDescription(
      name: "Book",
      attributes: [
        .init("title", .string), .optional("publisher", .string),
        .optional("pages", .integer64, default: 0), .optional("price", .double),
        .optional("isAvailable", .boolean), .optional("published", .date),
      ], displayAttribute: "title")
    coordinator = PersistentStoreCoordinator(
      managedObjectModel: try ManagedObjectModel(entities: [book]))
    context = ManagedObjectContext(coordinator: coordinator)
  }

  /// Inserts a book, without processing the change.
  @discardableResult
  func insert(
    _ title: String, _ publisher: PropertyValue = nil, pages: PropertyValue = 0,
    in other: ManagedObjectContext? = nil
  ) -> ManagedObject {
    let object = (other ?? context).insert(book)
    object["title"] = .string(title)
    object["publisher"] = publisher
    object["pages"] = pages
    return object
  }

  /// Inserts a book, and ends the turn.
  func insertInTurn(
    _ title: String, _ publisher: PropertyValue = nil, pages: PropertyValue = 0
  ) {
    insert(title, publisher, pages: pages)
    context.processPendingChanges()
  }

  /// Creates a request.
  ///
  /// A key with a minus before it sorts in descending order.
  func request(sort keys: String...) -> FetchRequest { request(sort: keys) }

  func request(sort keys: [String]) -> FetchRequest {
    FetchRequest(entity: book, sortDescriptors: keys.map(FetchSortDescriptor.init(_:)))
  }

  /// Creates a controller without results and without a delegate.
  func controller(
    sort keys: String..., section: String? = nil, cache: String? = nil
  ) throws -> FetchedResultsController {
    try FetchedResultsController(
      fetchRequest: request(sort: keys), managedObjectContext: context,
      sectionNameKeyPath: section, cacheName: cache)
  }

  /// Creates a controller that has fetched and has a recording delegate.
  func tracked(
    sort keys: String..., section: String? = nil
  ) throws -> (controller: FetchedResultsController, delegate: RecordingDelegate) {
    try tracked(in: context, sort: keys, section: section)
  }

  func tracked(
    in context: ManagedObjectContext, sort keys: [String], section: String? = nil,
    where format: String? = nil
  ) throws -> (controller: FetchedResultsController, delegate: RecordingDelegate) {
    var request = request(sort: keys)
    request.predicate = try format.map { try FetchPredicate(format: $0) }
    let controller = try FetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: section)
    return (controller, try RecordingDelegate(fetching: controller))
  }
}

extension ManagedObjectContext {
  /// Creates a context of a new store in memory, of a model with these entities.
  convenience init(of entities: [EntityDescription]) throws {
    self.init(
      coordinator: PersistentStoreCoordinator(
        managedObjectModel: try ManagedObjectModel(entities: entities)))
  }
}

extension FetchedResultsController {
  /// The sections and their objects as text: `red: Ann, Bea`.
  var shown: [String] {
    (sections.map(Array.init) ?? []).map { section in
      section.name + ": " + section.objects.map(\.label).joined(separator: ", ")
    }
  }
}
