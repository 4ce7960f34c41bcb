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
    shelf.insert(title, publisher, pages: pages, in: context)
  }

  /// Creates a controller for a context that has fetched and has a recording delegate.
  func tracked(
    in context: ManagedObjectContext, sort keys: String..., section: String? = nil,
    where format: String? = nil
  ) throws -> (controller: FetchedResultsController, delegate: RecordingDelegate) {
    try shelf.tracked(in: context, sort: keys, section: section, where: format)
  }

  /// Saves a context, and merges that into another one.
  func merge(saved source: ManagedObjectContext, into target: ManagedObjectContext) throws {
    try source.save()
    try merge(source, into: target)
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
