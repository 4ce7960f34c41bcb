import CMalloc
import FetchedResults

/// This project's controller, sorted by integers.
class Controller: Contender, FetchedResultsControllerDelegate {
  class var name: String { "FetchedResultsController" }
  class var keyType: AttributeType { .integer64 }
  class var selector: FetchSortDescriptor.Selector { .compare }

  /// How many bytes of the heap the results take, without objects.
  let resultsSize: Int
  let implementedMethods: FetchedResultsDelegateMethods = .changes
  private let context: ManagedObjectContext
  private let entity: EntityDescription
  private let controller: FetchedResultsController
  private var changes = 0

  class func value(ofKey key: Int) -> PropertyValue { .int(Int64(key)) }

  required init(rows: [Row]) throws {
    entity = try EntityDescription(
      name: "Row",
      attributes: [
        AttributeDescription(name: "section", type: .integer64),
        AttributeDescription(name: "key", type: Self.keyType),
      ])
    let coordinator = PersistentStoreCoordinator(
      managedObjectModel: try ManagedObjectModel(entities: [entity]))
    context = ManagedObjectContext(coordinator: coordinator)
    // The ids are given in this order, so that they are the same for every contender.
    for row in rows.sorted(by: { $0.id < $1.id }) {
      let object = context.insert(entity)
      object["section"] = .int(Int64(row.section))
      object["key"] = Self.value(ofKey: row.key)
    }
    try context.save()
    controller = try FetchedResultsController(
      fetchRequest: FetchRequest(
        entity: entity,
        sortDescriptors: [
          FetchSortDescriptor(key: "section"),
          FetchSortDescriptor(key: "key", selector: Self.selector),
        ]),
      managedObjectContext: context, sectionNameKeyPath: "section")
    let before = mallinfo2()
    try controller.performFetch()
    let after = mallinfo2()
    resultsSize = Int(after.uordblks + after.hblkhd) - Int(before.uordblks + before.hblkhd)
    controller.delegate = self
  }

  func perform(_ edits: [Edit]) throws -> Int {
    changes = 0
    for edit in edits {
      switch edit {
      case .update(let id):
        let object = object(id)
        object["key"] = object["key"]
      case .move(let id, let section, let key):
        let object = object(id)
        object["section"] = .int(Int64(section))
        object["key"] = Self.value(ofKey: key)
      case .insert(let section, let key):
        let object = context.insert(entity)
        object["section"] = .int(Int64(section))
        object["key"] = Self.value(ofKey: key)
      case .delete(let id): context.delete(object(id))
      }
    }
    context.processPendingChanges()
    return changes
  }

  private func object(_ id: Int) -> ManagedObject {
    guard let object = context.object(entity: entity, number: Int64(id)) else {
      preconditionFailure("there is no row \(id)")
    }
    return object
  }

  func controller(
    _ controller: FetchedResultsController, didChange object: ManagedObject,
    at indexPath: ResultsIndexPath?, for type: FetchedResultsChangeType,
    newIndexPath: ResultsIndexPath?
  ) {
    changes += 1
  }
}

/// This project's controller, sorted within its sections by the rules of a locale.
final class LocalizedController: Controller {
  override class var name: String { "FetchedResultsController, localized" }
  override class var keyType: AttributeType { .string }
  override class var selector: FetchSortDescriptor.Selector { .localizedStandardCompare }
  override class func value(ofKey key: Int) -> PropertyValue { .string("Kapitel \(key)") }
}
