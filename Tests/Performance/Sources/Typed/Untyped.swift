import FetchedResults

/// The same work with the engine's own objects.
enum Untyped {
  static func pages(of objects: [ManagedObject]) -> Int {
    var sum = 0
    for object in objects { sum &+= Int(object["pages"].int ?? 0) }
    return sum
  }

  static func titles(of objects: [ManagedObject]) -> Int {
    var sum = 0
    for object in objects { sum &+= object["title"].string?.utf8.count ?? 0 }
    return sum
  }

  static func subtitles(of objects: [ManagedObject]) -> Int {
    var sum = 0
    for object in objects where object["subtitle"].isNull { sum &+= 1 }
    return sum
  }

  static func fetch(_ request: FetchRequest, in context: ManagedObjectContext) throws
    -> [ManagedObject]
  {
    try context.fetch(request)
  }

  /// A controller and its delegate, which counts changes.
  final class Tracking: FetchedResultsControllerDelegate {
    private let controller: FetchedResultsController
    private let context: ManagedObjectContext
    private var count = 0

    init(_ request: FetchRequest, _ context: ManagedObjectContext) throws {
      controller = try FetchedResultsController(
        fetchRequest: request, managedObjectContext: context)
      self.context = context
      try controller.performFetch()
    }

    var implementedMethods: FetchedResultsDelegateMethods { .changes }

    func start() { controller.delegate = self }

    func stop() { controller.delegate = nil }

    func controller(
      _ controller: FetchedResultsController, didChange object: ManagedObject,
      at indexPath: ResultsIndexPath?, for type: FetchedResultsChangeType,
      newIndexPath: ResultsIndexPath?
    ) {
      count += 1
    }

    func change(_ objects: [ManagedObject]) -> Int {
      count = 0
      for object in objects {
        object["pages"] = .int(((object["pages"].int ?? 0) + 500) % 1000)
        context.processPendingChanges()
      }
      return count
    }
  }
}
