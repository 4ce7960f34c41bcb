import FetchedResults

/// The controller of this project.
final class Controller: Contender, FetchedResultsControllerDelegate {
  static let name = "FetchedResultsController"

  let implementedMethods: FetchedResultsDelegateMethods = .changes
  private let context: ManagedObjectContext
  private let entity: EntityDescription
  private let controller: FetchedResultsController
  private var changes = 0

  init(rows: [Row]) throws {
    entity = try EntityDescription(
      name: "Row",
      attributes: [
        AttributeDescription(name: "section", type: .integer64),
        AttributeDescription(name: "key", type: .integer64),
      ])
    let coordinator = PersistentStoreCoordinator(
      managedObjectModel: try ManagedObjectModel(entities: [entity]))
    context = ManagedObjectContext(coordinator: coordinator)
    // Ids are given out in this order, so that every contender's agree.
    for row in rows.sorted(by: { $0.id < $1.id }) {
      let object = context.insert(entity)
      object["section"] = .int(Int64(row.section))
      object["key"] = .int(Int64(row.key))
    }
    try context.save()
    controller = try FetchedResultsController(
      fetchRequest: FetchRequest(
        entity: entity,
        sortDescriptors: [FetchSortDescriptor(key: "section"), FetchSortDescriptor(key: "key")]),
      managedObjectContext: context, sectionNameKeyPath: "section")
    try controller.performFetch()
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
        object["key"] = .int(Int64(key))
      case .insert(let section, let key):
        let object = context.insert(entity)
        object["section"] = .int(Int64(section))
        object["key"] = .int(Int64(key))
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
