import FetchedResultsMacros
import Foundation
import Testing

enum Genre: String, CaseIterable { case fiction, science }

@Managed final class Book {
  var title: String
  var pages = 0
  var subtitle: String?
  var genre: Genre = .fiction
  var mood: Genre?
  var created: Date = Date()
  @Attribute(.allowsExternalBinaryDataStorage) var cover: Data?
  @Transient var seen = false
  @Relationship(inverse: \Author.books, deleteRule: .nullify) var author: Author?
}

@Managed final class Author {
  var name = ""
  @Relationship(deleteRule: .cascade) var books: [Book]
  var friends: Set<Author>
}
@Test func works() throws {
  let model = try ManagedObjectModel(for: Book.self, Author.self)
  let context = ManagedObjectContext(
    coordinator: PersistentStoreCoordinator(managedObjectModel: model))
  let author = Author(name: "A", in: context)
  let book = Book(title: "T", author: author, in: context)
  #expect(book.title == "T")
  #expect(author.books == [book])
}
