import FetchedResultsMacros
import Foundation
import Testing

/// The text in the format language for some predicates.
@Suite("Predicates in the format language")
struct PredicateFormatTests {
  /// A predicate and its text.
  struct Case: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let predicate: Predicate<Book>

    init(_ format: String, _ predicate: Predicate<Book>) {
      testDescription = format
      self.predicate = predicate
    }
  }

  static let cases: [Case] = [
    Case("pages > 100 AND isRead == 1", #Predicate { $0.pages > 100 && $0.isRead }),
    Case("NOT isRead == 1", #Predicate { !$0.isRead }),
    Case(#"author.name == "x""#, #Predicate { $0.author?.name == "x" }),
    Case(#"title == """#, #Predicate { $0.title.isEmpty }),
    Case(
      #"title CONTAINS[cd] "dune""#, #Predicate { $0.title.localizedStandardContains("dune") }),
    Case(
      #"(NOT author == nil) AND author.name BEGINSWITH "a""#,
      #Predicate { $0.author?.name.starts(with: "a") == true }),
    Case("pages IN {1, 2}", #Predicate { [1, 2].contains($0.pages) }),
    Case("TERNARY(rating == nil, 0.0, rating) > 2.0", #Predicate { ($0.rating ?? 0) > 2 }),
  ]

  @Test("are short", arguments: Self.cases)
  func formats(_ test: Case) throws {
    #expect(try FetchPredicate(test.predicate).predicateFormat == test.testDescription)
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

  @Test("captured objects are compared by their identities")
  func captured() throws {
    let library = try Library(.memory)
    let author = Author(name: "A", in: library.context)
    let other = Author(name: "B", in: library.context)
    let book = Book(title: "T", author: author, in: library.context)
    let anonymous = Book(title: "U", in: library.context)
    let (maybe, nobody): (Author?, Author?) = (author, nil)
    func titles(_ predicate: Predicate<Book>) throws -> [String] {
      let request = try FetchRequest<Book>(predicate: predicate, sortBy: [.init(\.title)])
      return try library.context.fetch(request).map(\.title)
    }

    #expect(try titles(#Predicate { $0.author == author }) == ["T"])
    #expect(try titles(#Predicate { $0.author == other }) == [])
    #expect(try titles(#Predicate { $0.author != author }) == ["U"])
    #expect(try titles(#Predicate { $0.author == maybe }) == ["T"])
    #expect(try titles(#Predicate { $0.author == nobody }) == ["U"])
    #expect(try titles(#Predicate { $0 == book || $0 == anonymous }) == ["T", "U"])
    #expect(try titles(#Predicate { $0.author != nobody && $0 != anonymous }) == ["T"])
    let writer = try FetchRequest<Author>(
      predicate: #Predicate { $0.books.contains { $0 == book } })
    #expect(try library.context.fetch(writer) == [author])
  }

  @Test("a predicate with a captured object is evaluated by fetches only")
  func evaluated() throws {
    let library = try Library(.memory)
    let author = Author(name: "A", in: library.context)
    let book = Book(title: "T", author: author, in: library.context)
    let predicate = #Predicate<Book> { $0.author == author }
    #expect(throws: PredicateTranslationError.self) { try predicate.evaluate(book) }
  }

  @Test("an identity is read again by the model")
  func coding() throws {
    let library = try Library(.memory)
    let author = Author(name: "A", in: library.context)
    let data = try JSONEncoder().encode(author.id)
    let decoder = JSONDecoder()
    #expect(throws: DecodingError.self) { try decoder.decode(ObjectID.self, from: data) }
    decoder.userInfo[.managedObjectModel] = library.model
    #expect(try decoder.decode(ObjectID.self, from: data) == author.id)
  }
}
