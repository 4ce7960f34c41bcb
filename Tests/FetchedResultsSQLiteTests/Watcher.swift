import Basics
import FetchedResults

/// A controller and all its callbacks.
final class Watcher: FetchedResultsControllerDelegate {
  /// The configuration of a controller.
  struct Choice {
    let context: Int
    let entity: String
    let format: String?
    let keys: [(key: String, ascending: Bool)]
    let section: String?
    let batch: Int
    let limit: Int
    let keepsLimit: Bool
    let tracksRelated: Bool

    init(using random: inout SeededGenerator) {
      context = Int.random(in: 0..<2, using: &random)
      batch = [0, 1, 2, 3, 7].randomElement(using: &random) ?? 0
      limit = Int.random(in: 0..<3, using: &random) == 0 ? 3 : 0
      tracksRelated = Bool.random(using: &random)
      keepsLimit = limit > 0 && Int.random(in: 0..<3, using: &random) > 0
      let isAscending = Bool.random(using: &random)
      switch Int.random(in: 0..<6, using: &random) {
      case 0: (entity, keys, section) = ("Author", [("name", isAscending)], "name")
      case 1: (entity, keys, section) = ("Tag", [("name", isAscending)], nil)
      case 2:
        (entity, keys, section) = ("Book", [("pages", isAscending), ("title", true)], "pages")
      case 3: (entity, keys, section) = ("Book", [("author.name", isAscending)], nil)
      case 4: (entity, keys, section) = ("Book", [("price", isAscending)], "price")
      default: (entity, keys, section) = ("Book", [("title", isAscending), ("date", true)], nil)
      }
      let formats: [String?] =
        entity == "Book"
        ? [
          nil, nil, "pages > 0", "pages != 1 AND tags.@count < 2", "author != nil",
          "author.name > 'b'", "ANY tags.name != nil",
        ] : [nil]
      format = formats.randomElement(using: &random) ?? nil
    }
  }

  let choice: Choice
  let implementedMethods: FetchedResultsDelegateMethods = .changes
  private let controller: FetchedResultsController
  private var told: [String] = []

  init(_ choice: Choice, on context: ManagedObjectContext) throws {
    self.choice = choice
    guard
      let entity = context.persistentStoreCoordinator.managedObjectModel.entitiesByName[
        choice.entity]
    else {
      throw ModelError.unknownProperty(choice.entity, entity: "")
    }
    controller = try FetchedResultsController(
      fetchRequest: FetchRequest(
        entity: entity, predicate: try choice.format.map { try FetchPredicate(format: $0) },
        sortDescriptors: choice.keys.map {
          FetchSortDescriptor(key: $0.key, ascending: $0.ascending)
        }, fetchLimit: choice.limit, fetchBatchSize: choice.batch),
      managedObjectContext: context, sectionNameKeyPath: choice.section)
    controller.keepsFetchLimit = choice.keepsLimit
    controller.tracksRelatedObjects = choice.tracksRelated
    controller.delegate = self
    try fetch()
  }

  func fetch() throws { try controller.performFetch() }

  /// Returns the callbacks since the last call, and the results.
  ///
  /// - Parameters:
  ///   - isShown: Whether to read every object. Otherwise one is read.
  ///   - place: The index of that object.
  func take(isShown: Bool, place: Int) -> String {
    defer { told = [] }
    guard let objects = controller.fetchedObjects else { return told.joined(separator: "\n") }
    controller.checkInvariants()
    if !isShown {
      if place < objects.count { told.append(objects[place].line) }
    } else {
      for section in controller.sections.map(Array.init) ?? [] {
        told.append("section \(section.name): \(section.numberOfObjects)")
        told += section.objects.map(\.line)
      }
    }
    return told.joined(separator: "\n")
  }

  func controllerWillChangeContent(_ controller: FetchedResultsController) {
    told.append("will change")
  }

  func controller(
    _ controller: FetchedResultsController, didChange object: ManagedObject,
    at indexPath: ResultsIndexPath?, for type: FetchedResultsChangeType,
    newIndexPath: ResultsIndexPath?
  ) {
    let old = indexPath.map { "\($0)" } ?? "-"
    let new = newIndexPath.map { "\($0)" } ?? "-"
    told.append("\(type) \(object.objectID) \(old) \(new)")
  }

  func controller(
    _ controller: FetchedResultsController, didChange section: FetchedResultsSectionInfo,
    atSectionIndex sectionIndex: Int, for type: FetchedResultsChangeType
  ) {
    told.append("section \(type) \(sectionIndex) \(section.name)")
  }

  func controllerDidChangeContent(_ controller: FetchedResultsController) {
    told.append("did change")
  }
}
