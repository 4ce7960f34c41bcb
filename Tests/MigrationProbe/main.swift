import FetchedResults
import FetchedResultsSQLite
import Foundation

// MigrationProbe FILE
//
// Migrates a file of books to a newer model. Tests kill it during the migration.

guard CommandLine.arguments.count == 2 else {
  print("usage: MigrationProbe FILE")
  exit(2)
}
do {
  _ = try PersistentStoreCoordinator(
    managedObjectModel: try newModel(),
    sqliteStoreAt: URL(fileURLWithPath: CommandLine.arguments[1]),
    migration: .inferred(allowsDataLoss: true))
} catch {
  print("\(error)")
  exit(1)
}

/// Returns a model in which titles were called names, with a rating, without pages, and with
/// several authors for each book.
func newModel() throws -> ManagedObjectModel {
  try ManagedObjectModel(entities: [
    EntityDescription(
      name: "Author", attributes: [AttributeDescription(name: "name", type: .string)],
      relationships: [
        RelationshipDescription(
          name: "books", destination: "Book", inverse: "authors", isToMany: true)
      ]),
    EntityDescription(
      name: "Book",
      attributes: [
        AttributeDescription(name: "title", type: .string, renamingIdentifier: "name"),
        AttributeDescription(name: "rating", type: .integer16, defaultValue: .int(3)),
      ],
      relationships: [
        RelationshipDescription(
          name: "authors", destination: "Author", inverse: "books", isToMany: true,
          renamingIdentifier: "author")
      ]),
  ])
}
