import EngineWorlds
import FetchedResults
import RandomLaws
import Testing

@Suite("adding to and removing from a to-many relationship")
struct AddingMembersTests {
  let author: EntityDescription
  let book: EntityDescription
  let context: ManagedObjectContext

  init() throws {
    author = try EntityDescription(
      name: "Author", attributes: [.optional("name", .string)],
      relationships: [
        .toMany("books", "Book", inverse: "author"),
        .toMany("shelf", "Book", inverse: "owner", isOrdered: true), .toOne("favourite", "Book"),
      ])
    book = try EntityDescription(
      name: "Book", attributes: [],
      relationships: [
        .toOne("author", "Author", inverse: "books"), .toOne("owner", "Author", inverse: "shelf"),
      ])
    context = try ManagedObjectContext(of: [author, book])
  }

  @Test("the other side follows, and leaves where it was before")
  func otherSide() throws {
    let (one, other) = (context.insert(author), context.insert(author))
    let books = (0..<3).map { _ in context.insert(book) }
    try one.add([books[2], books[0]], to: "books")
    try one.add(books[0], to: "books")
    #expect(one["books"] == .list([.object(books[0].objectID), .object(books[2].objectID)]))
    #expect(books[2]["author"] == .object(one.objectID))

    try other.add(books[2], to: "books")
    #expect(one["books"] == .list([.object(books[0].objectID)]))
    try one.remove(books[0], from: "books")
    try one.remove(books[1], from: "books")
    #expect(one["books"] == .list([]))
    #expect(books[0]["author"] == .null)

    try one.add([books[2], books[1]], to: "shelf")
    try one.add([books[0], books[2]], to: "shelf")
    #expect(one["shelf"] == .list([2, 1, 0].map { .object(books[$0].objectID) }))
    try one.remove([books[1], books[2]], from: "shelf")
    #expect(one["shelf"] == .list([.object(books[0].objectID)]))
  }

  @Test("what cannot be added is an error, and nothing is added")
  func errors() throws {
    let someone = context.insert(author)
    let something = context.insert(book)
    #expect(throws: ObjectError.unknownKey("boks", entity: "Author")) {
      try someone.add(something, to: "boks")
    }
    #expect(throws: ObjectError.notToMany("favourite", entity: "Author")) {
      try someone.add(something, to: "favourite")
    }
    #expect(throws: ObjectError.notToMany("name", entity: "Author")) {
      try someone.remove(something, from: "name")
    }
    #expect(throws: ObjectError.self) { try someone.add([something, someone], to: "books") }
    let gone = context.insert(book)
    context.delete(gone)
    #expect(throws: ObjectError.deleted(gone.objectID)) { try someone.add(gone, to: "books") }
    #expect(someone["books"] == .list([]))
  }

  @Test("many additions take time in proportion to their number", arguments: ["books", "shelf"])
  func cost(key: String) throws {
    func time(_ count: Int) throws -> Duration {
      let someone = context.insert(author)
      let books = (0..<count).map { _ in context.insert(book) }
      context.processPendingChanges()
      return try ThreadClock.measure {
        for book in books { try someone.add(book, to: key) }
      }
    }
    var ratio = 0.0
    // Several tries, because another program may take the processor's caches.
    for _ in 0..<5 {
      ratio = try time(4_000) / time(500)
      if ratio < 24 { return }
    }
    Issue.record("eight times as many additions take \(ratio) times as long")
  }
}
