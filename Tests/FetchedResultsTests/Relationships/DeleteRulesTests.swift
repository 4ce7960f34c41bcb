import FetchedResults
import Testing

@Suite("delete rules")
struct DeleteRulesTests {
  @Test("nullify takes the deleted object out of the others")
  func nullify() throws {
    let library = try Library()
    let author = library.insertAuthor("a")
    let book = library.insertBook("b", by: author)
    library.context.delete(author)
    #expect(book["author"] == .object(author.objectID))
    library.context.processPendingChanges()
    #expect(book["author"] == .null)
  }

  @Test("a rollback brings both sides back")
  func rollback() throws {
    let library = try Library(booksRule: .cascade)
    let author = library.insertAuthor("a")
    let book = library.insertBook("b", by: author)
    try library.context.save()
    library.context.delete(author)
    library.context.processPendingChanges()
    #expect(book.isDeleted)
    library.context.rollback()
    library.context.processPendingChanges()
    #expect(!book.isDeleted)
    #expect(book["author"] == .object(author.objectID))
    #expect(author["books"] == .list([.object(book.objectID)]))
  }

  @Test("a rollback of an unsaved object deletes nothing that it led to")
  func rollbackOfInsertion() throws {
    let library = try Library(booksRule: .cascade)
    let book = library.insertBook("b")
    try library.context.save()
    let author = library.insertAuthor("a")
    book["author"] = .object(author.objectID)
    library.context.processPendingChanges()
    library.context.rollback()
    library.context.processPendingChanges()
    #expect(!book.isDeleted)
    #expect(book["author"] == .null)
  }

  @Test("deny refuses the save, with every failure, until nobody is left")
  func deny() throws {
    let library = try Library(booksRule: .deny)
    let author = library.insertAuthor("a")
    let book = library.insertBook("b", by: author)
    try library.context.save()
    library.context.delete(author)
    let error = #expect(throws: ValidationError.self) { try library.context.save() }
    #expect(
      error?.description
        == "cannot save: Author/1 'books' denies the deletion while it has [Book/1]")
    book["author"] = .object(library.insertAuthor("other").objectID)
    try library.context.save()
    #expect(library.context.object(with: author.objectID) == nil)
  }

  @Test("what has no inverse forgets a deleted object at the save")
  func withoutInverse() throws {
    let library = try Library()
    let author = library.insertAuthor("a")
    let book = library.insertBook("b")
    author["favourite"] = .object(book.objectID)
    try library.context.save()
    library.context.delete(book)
    try library.context.save()
    #expect(author["favourite"] == .null)
  }

  @Test("a cascade that runs in a circle ends")
  func circle() throws {
    let library = try Library()
    let shelf = library.context.insert(library.shelf)
    let books = ["a", "b"].map { library.insertBook($0) }
    books[0]["sequel"] = .object(books[1].objectID)
    books[1]["sequel"] = .object(books[0].objectID)
    shelf["books"] = .list(books.map { .object($0.objectID) })
    library.context.delete(shelf)
    library.context.processPendingChanges()
    #expect(books.map(\.isDeleted) == [true, true])
  }
}
