import FetchedResults
import NaiveModel

/// Two contexts with one store, and a child of the first.
struct SeveralContexts {
  let shelf: Shelf
  let main, background, edit: ManagedObjectContext

  init() throws {
    shelf = try Shelf()
    main = shelf.context
    background = ManagedObjectContext(coordinator: shelf.coordinator)
    edit = ManagedObjectContext(parent: main)
  }

  /// Inserts a book into a context, without processing the change.
  @discardableResult
  func insert(
    _ title: String, _ publisher: PropertyValue = nil, pages: PropertyValue = 0,
    in context: ManagedObjectContext
  ) -> ManagedObject {
    let object = context.insert(shelf.book)
    object["title"] = .string(title)
    object["publisher"] = publisher
    object["pages"] = pages
    return object
  }

  /// Creates a controller for a context that has fetched and has a recording delegate.
  func tracked(
    in context: ManagedObjectContext, sort keys: String..., section: String? = nil,
    where format: String? = nil
  ) throws -> (controller: FetchedResultsController, delegate: RecordingDelegate) {
    var request = shelf.request(sort: keys)
    request.predicate = try format.map { try FetchPredicate(format: $0) }
    let controller = try FetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: section)
    let delegate = try RecordingDelegate(fetching: controller)
    return (controller, delegate)
  }

  /// Merges a context's last save into another one, which then processes it.
  func merge(_ source: ManagedObjectContext, into target: ManagedObjectContext) throws {
    if let save = source.lastSave { target.mergeChanges(fromContextDidSave: save) }
    target.processPendingChanges()
  }
}

extension ManagedObject {
  /// Returns the same object in another context.
  func seen(in context: ManagedObjectContext) -> ManagedObject? {
    context.findObject(with: objectID)
  }
}
