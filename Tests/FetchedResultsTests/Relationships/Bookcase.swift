import EngineWorlds
import FetchedResults
import NaiveModel

/// A store in memory and a context, with entities that have all kinds of relationships.
struct Bookcase {
  let coordinator: PersistentStoreCoordinator
  let context: ManagedObjectContext
  let author: EntityDescription
  let book: EntityDescription
  let manga: EntityDescription
  let shelf: EntityDescription

  init(
    booksRule: RelationshipDescription.DeleteRule = .nullify, booksAreOrdered: Bool = false
  ) throws {
    author = try EntityDescription(
      name: "Author", attributes: [.optional("name", .string)],
      relationships: [
        .toMany(
          "books", "Book", inverse: "author", isOrdered: booksAreOrdered, deleteRule: booksRule),
        .toMany("friends", "Author", inverse: "friends"), .toOne("favourite", "Book"),
      ], displayAttribute: "name")
    book = try EntityDescription(
      name: "Book",
      attributes: [
        AttributeDescription(name: "title", type: .string, isOptional: true),
        AttributeDescription(
          name: "initial", type: .string, isOptional: true, isTransient: true,
          expression: AttributeExpression("initial") { values in
            values.value(forKey: "title")?.string.map { .string(String($0.prefix(1))) } ?? .null
          }),
      ],
      relationships: [
        RelationshipDescription(name: "author", destination: "Author", inverse: "books"),
        RelationshipDescription(
          name: "shelves", destination: "Shelf", inverse: "books", isToMany: true),
        RelationshipDescription(name: "sequel", destination: "Book", inverse: "prequel"),
        RelationshipDescription(name: "prequel", destination: "Book", inverse: "sequel"),
      ],
      displayAttribute: "title")
    manga = try EntityDescription(
      name: "Manga", superentity: book, attributes: [.optional("volume", .integer64)])
    shelf = try EntityDescription(
      name: "Shelf", attributes: [],
      relationships: [
        .toMany("books", "Book", inverse: "shelves", isOrdered: true, deleteRule: .cascade)
      ])
    coordinator = PersistentStoreCoordinator(
      managedObjectModel: try ManagedObjectModel(entities: [author, book, manga, shelf]))
    context = ManagedObjectContext(coordinator: coordinator)
  }

  @discardableResult
  func insertBook(_ title: String, by author: ManagedObject? = nil) -> ManagedObject {
    let object = context.insert(book)
    object["title"] = .string(title)
    object["author"] = author.map { .object($0.objectID) } ?? .null
    return object
  }

  @discardableResult
  func insertAuthor(_ name: String) -> ManagedObject {
    let object = context.insert(author)
    object["name"] = .string(name)
    return object
  }

  /// Creates a controller of books that has fetched and has a delegate.
  func tracked(
    sort keys: String..., section: String? = nil, where format: String? = nil
  ) throws -> (controller: FetchedResultsController, delegate: RecordingDelegate) {
    let controller = try context.controller(of: book, where: format, by: keys, sections: section)
    return (controller, try RecordingDelegate(fetching: controller))
  }

  /// Returns the titles of the matching books.
  func titles(where format: String, _ argument: (any PredicateArgument)? = nil) throws -> [String] {
    try context.fetch(
      FetchRequest(
        entity: book, predicate: try FetchPredicate(format: format, argument),
        sortDescriptors: [FetchSortDescriptor("title")])
    ).map(\.label)
  }
}
