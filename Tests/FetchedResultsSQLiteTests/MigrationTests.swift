import FetchedResults
import FetchedResultsSQLite
import Foundation
import Testing

@Suite("A file of an older model")
struct MigrationTests {
  private let folder: StoreFolder

  init() throws { folder = try StoreFolder() }

  @Test("gets columns, and keeps its rows")
  func addedColumns() throws {
    try make(try Version.one())
    var reports: [MigrationReport] = []
    var migration = StoreMigration.inferred()
    migration.didMigrate = { reports.append($0) }
    let coordinator = try open(try Version.two(), migration)
    let context = ManagedObjectContext(coordinator: coordinator)
    let books = try fetch("Book", in: context)
    #expect(books.map { $0["title"] } == [.string("Dune"), .string("Emma")])
    #expect(books.map { $0["pages"] } == [.int(412), .int(474)])
    #expect(books.map { $0["rating"] } == [.int(3), .int(3)])
    #expect(books.map { $0["note"] } == [.null, .null])
    #expect(
      reports.map { $0.changes.map(\.description) } == [
        ["Book.note added", "Book.rating added", "Book.title renamed from name"]
      ])
    #expect(reports.map(\.dropped) == [[]])
    #expect(try open(try Version.two(), .none).managedObjectModel.entities.count == 1)
  }

  private func make(_ model: ManagedObjectModel) throws {
    let context = ManagedObjectContext(coordinator: try open(model, .none))
    let entity = try #require(model["Book"])
    for (name, pages) in [("Dune", 412), ("Emma", 474)] {
      let book = context.insert(entity)
      try book.setValue(.string(name), forKey: "name")
      try book.setValue(.int(Int64(pages)), forKey: "pages")
    }
    try context.save()
  }

  private func open(
    _ model: ManagedObjectModel, _ migration: StoreMigration
  ) throws -> PersistentStoreCoordinator {
    try PersistentStoreCoordinator(
      managedObjectModel: model, sqliteStoreAt: folder.file(), migration: migration)
  }

  private func fetch(_ name: String, in context: ManagedObjectContext) throws -> [ManagedObject] {
    let entity = try #require(context.coordinator.managedObjectModel[name])
    return try context.fetch(FetchRequest(entity: entity))
  }
}

private enum Version {
  static func one() throws -> ManagedObjectModel {
    try ManagedObjectModel(entities: [
      EntityDescription(
        name: "Book",
        attributes: [
          AttributeDescription(name: "name", type: .string),
          AttributeDescription(name: "pages", type: .integer16, isOptional: true),
        ])
    ])
  }

  static func two() throws -> ManagedObjectModel {
    try ManagedObjectModel(entities: [
      EntityDescription(
        name: "Book",
        attributes: [
          AttributeDescription(name: "note", type: .string, isOptional: true),
          AttributeDescription(name: "rating", type: .integer16, defaultValue: .int(3)),
          AttributeDescription(name: "title", type: .string, renamingIdentifier: "name"),
          AttributeDescription(name: "pages", type: .integer16, isOptional: true),
        ])
    ])
  }
}
