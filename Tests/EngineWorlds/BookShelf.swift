package import Basics
package import FetchedResults

/// Books in sections by genre, for random changes.
package final class BookShelf {
  package let context: ManagedObjectContext
  package let book: EntityDescription

  package init() throws {
    let model = try Self.model()
    context = ManagedObjectContext(
      coordinator: PersistentStoreCoordinator(managedObjectModel: model))
    book = try Self.book(of: model)
  }

  package static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(entities: [
      EntityDescription(
        name: "Book",
        attributes: [
          .optional("title", .string), .optional("genre", .string),
          .init("pages", .integer64, default: 0),
        ])
    ])
  }

  package static func book(of model: ManagedObjectModel) throws -> EntityDescription {
    guard let book = model.entitiesByName["Book"] else {
      throw ModelError.unknownSuperentity("Book", entity: "Book")
    }
    return book
  }

  package func controller() throws -> FetchedResultsController {
    try Self.controller(in: context, of: book)
  }

  package static func controller(
    in context: ManagedObjectContext, of book: EntityDescription
  ) throws -> FetchedResultsController {
    try FetchedResultsController(
      fetchRequest: FetchRequest(
        entity: book, predicate: try FetchPredicate(format: "pages < 90"),
        sortDescriptors: [FetchSortDescriptor(key: "genre"), FetchSortDescriptor(key: "title")]),
      managedObjectContext: context, sectionNameKeyPath: "genre")
  }

  @discardableResult
  package func add(_ title: String, genre: String) -> ManagedObject {
    let object = context.insert(book)
    object["title"] = .string(title)
    object["genre"] = .string(genre)
    return object
  }

  package func changeAtRandom(using random: inout SeededGenerator) throws {
    try Self.change(in: context, of: book, using: &random)
  }

  /// With more books than this, more are deleted, so that long runs stay fast.
  private static let mostBooks = 150

  /// Inserts, changes and deletes some books.
  package static func change(
    in context: ManagedObjectContext, of book: EntityDescription,
    using random: inout SeededGenerator
  ) throws {
    let books = try context.fetch(FetchRequest(entity: book))
    for object in books.dropFirst(mostBooks) { context.delete(object) }
    for _ in 0..<Int.random(in: 1...5, using: &random) {
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<4:
        let object = context.insert(book)
        object["title"] = .string(String(Int.random(in: 0..<1000, using: &random)))
        object["genre"] = .string(["a", "b", "c", "d"].randomElement(using: &random) ?? "a")
      case 4..<6: books.randomElement(using: &random).map(context.delete)
      case 6..<8:
        books.randomElement(using: &random)?["genre"] = .string(
          ["a", "b", "c", "d"].randomElement(using: &random) ?? "a")
      default:
        books.randomElement(using: &random)?["pages"] = .int(
          Int64.random(in: 0..<100, using: &random))
      }
    }
  }
}

extension FetchedResultsController {
  /// The sections in the form that differences use.
  package var sectionIDs: [FetchedResultsSnapshot.Section] {
    var sections: [FetchedResultsSnapshot.Section] = []
    let observation = observe { sections = $0.replacement ?? sections }
    observation.cancel()
    return sections
  }
}
