import FetchedResults
import FetchedResultsSQLite
import Foundation

/// The import through a container, and the list with a controller's changes.
enum ControllerSide {
  @MainActor
  static func run(
    _ rows: [ImportedRow], perTransaction: Int, into file: URL
  ) async throws -> (Measurement, [Int64]) {
    let entity = try EntityDescription(
      name: "Book",
      attributes: [
        AttributeDescription(name: "section", type: .string),
        AttributeDescription(name: "title", type: .string),
      ])
    let container = try PersistentContainer(
      managedObjectModel: try ManagedObjectModel(entities: [entity]), sqliteStoreAt: file)
    let controller = try FetchedResultsController(
      fetchRequest: FetchRequest(
        entity: entity,
        sortDescriptors: [FetchSortDescriptor(key: "section"), FetchSortDescriptor(key: "title")]),
      managedObjectContext: try container.newContext(), sectionNameKeyPath: "section")
    try await controller.performFetch()
    let changes = controller.changes

    var measurement = Measurement()
    var sections: [FetchedResultsSnapshot.Section] = []
    let watch = MainWatch()
    async let written = importRows(rows, perTransaction, entity, container, watch)
    var count = 0
    for await difference in changes {
      try difference.apply(to: &sections)
      measurement.batches += 1
      count += difference.objects.count { $0.type == .insert }
      if count == rows.count { break }
    }
    measurement.delivered = watch.seconds
    watch.end(&measurement)
    measurement.written = try await written
    return (measurement, sections.flatMap { $0.itemIdentifiers.map(\.number) })
  }

  private static func importRows(
    _ rows: [ImportedRow], _ perTransaction: Int, _ entity: EntityDescription,
    _ container: PersistentContainer, _ watch: MainWatch
  ) async throws -> Double {
    try await container.performBackgroundTask { context in
      for (number, row) in rows.enumerated() {
        let book = context.insert(entity)
        book["section"] = .string(row.section)
        book["title"] = .string(row.title)
        if number % perTransaction == perTransaction - 1 { try context.save() }
      }
      try context.save()
    }
    return watch.seconds
  }
}
