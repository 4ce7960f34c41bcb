import FetchedResultsMacros
import Foundation
import Testing

/// The words of the format language for some predicates.
@Suite("Predicates in the format language")
struct PredicateFormatTests {
  @Test(
    "are short",
    arguments: [
      (#Predicate<Book> { $0.pages > 100 && $0.isRead }, "pages > 100 AND isRead == 1"),
      (#Predicate<Book> { !$0.isRead }, "NOT isRead == 1"),
      (#Predicate<Book> { $0.author?.name == "x" }, #"author.name == "x""#),
      (#Predicate<Book> { $0.title.isEmpty }, #"title == """#),
      (
        #Predicate<Book> { $0.title.localizedStandardContains("dune") },
        #"title CONTAINS[cd] "dune""#
      ),
      (
        #Predicate<Book> { $0.author?.name.starts(with: "a") == true },
        #"(NOT author == nil) AND author.name BEGINSWITH "a""#
      ),
      (#Predicate<Book> { [1, 2].contains($0.pages) }, "pages IN {1, 2}"),
      (#Predicate<Book> { ($0.rating ?? 0) > 2 }, "TERNARY(rating == nil, 0.0, rating) > 2.0"),
    ])
  func formats(_ predicate: Predicate<Book>, _ format: String) throws {
    #expect(try FetchPredicate(predicate).predicateFormat == format)
  }

  @Test("objects are compared by their identities")
  func identities() throws {
    let library = try Library(.memory)
    let author = Author(name: "A", in: library.context)
    let other = Author(name: "B", in: library.context)
    let book = Book(title: "T", author: author, in: library.context)
    let (id, otherID) = (author.id, other.id)
    for (key, found) in [(id, [book]), (otherID, [])] {
      let request = try FetchRequest<Book>(predicate: #Predicate { $0.author?.id == key })
      #expect(try library.context.fetch(request) == found)
      let member = try FetchRequest<Author>(
        predicate: #Predicate { $0.books.contains { $0.author?.objectID == key } })
      #expect(try library.context.fetch(member) == (found.isEmpty ? [] : [author]))
    }
    let itself = try FetchRequest<Author>(predicate: #Predicate { $0.id == id })
    #expect(try library.context.fetch(itself) == [author])
  }

  @Test("an identity is read again by the model")
  func coding() throws {
    let library = try Library(.memory)
    let author = Author(name: "A", in: library.context)
    let data = try JSONEncoder().encode(author.id)
    let decoder = JSONDecoder()
    #expect(throws: DecodingError.self) { try decoder.decode(ObjectID.self, from: data) }
    decoder.userInfo[try #require(.managedObjectModel)] = library.model
    #expect(try decoder.decode(ObjectID.self, from: data) == author.id)
  }
}
