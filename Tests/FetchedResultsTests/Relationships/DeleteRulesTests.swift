import FetchedResults
import NaiveModel
import Testing

@Suite("delete rules")
struct DeleteRulesTests {
  @Test("nullify takes the deleted object out of the others")
  func nullify() throws {
    let bookcase = try Bookcase()
    let author = bookcase.insertAuthor("a")
    let book = bookcase.insertBook("b", by: author)
    bookcase.context.delete(author)
    #expect(book["author"] == .object(author.objectID))
    bookcase.context.processPendingChanges()
    #expect(book["author"] == .null)
  }

  @Test("a rollback brings both sides back")
  func rollback() throws {
    let bookcase = try Bookcase(booksRule: .cascade)
    let author = bookcase.insertAuthor("a")
    let book = bookcase.insertBook("b", by: author)
    try bookcase.context.save()
    bookcase.context.delete(author)
    bookcase.context.processPendingChanges()
    #expect(book.isDeleted)
    bookcase.context.rollback()
    bookcase.context.processPendingChanges()
    #expect(!book.isDeleted)
    #expect(book["author"] == .object(author.objectID))
    #expect(author["books"] == .list([.object(book.objectID)]))
  }

  @Test("a rollback of an unsaved object deletes nothing that it led to")
  func rollbackOfInsertion() throws {
    let bookcase = try Bookcase(booksRule: .cascade)
    let book = bookcase.insertBook("b")
    try bookcase.context.save()
    let author = bookcase.insertAuthor("a")
    book["author"] = .object(author.objectID)
    bookcase.context.processPendingChanges()
    bookcase.context.rollback()
    bookcase.context.processPendingChanges()
    #expect(!book.isDeleted)
    #expect(book["author"] == .null)
  }

  @Test("deny refuses the save, with every failure, until nobody is left")
  func deny() throws {
    let bookcase = try Bookcase(booksRule: .deny)
    let author = bookcase.insertAuthor("a")
    let book = bookcase.insertBook("b", by: author)
    try bookcase.context.save()
    bookcase.context.delete(author)
    let error = #expect(throws: ObjectValidationError.self) {
      try bookcase.context.saveThrowingCause()
    }
    #expect(
      error?.description
        == "NSCocoaErrorDomain 1600: cannot save: Author/1 'books' denies the deletion while it has [Book/1]"
    )
    book["author"] = .object(bookcase.insertAuthor("other").objectID)
    try bookcase.context.save()
    #expect(bookcase.context.findObject(with: author.objectID) == nil)
  }

  @Test("what has no inverse forgets a deleted object at the save")
  func withoutInverse() throws {
    let bookcase = try Bookcase()
    let author = bookcase.insertAuthor("a")
    let book = bookcase.insertBook("b")
    author["favourite"] = .object(book.objectID)
    try bookcase.context.save()
    bookcase.context.delete(book)
    try bookcase.context.save()
    #expect(author["favourite"] == .null)
  }

  @Test("a cascade that runs in a circle ends")
  func circle() throws {
    let bookcase = try Bookcase()
    let shelf = bookcase.context.insert(bookcase.shelf)
    let books = ["a", "b"].map { bookcase.insertBook($0) }
    books[0]["sequel"] = .object(books[1].objectID)
    books[1]["sequel"] = .object(books[0].objectID)
    shelf["books"] = .list(books.map { .object($0.objectID) })
    bookcase.context.delete(shelf)
    bookcase.context.processPendingChanges()
    #expect(books.map(\.isDeleted) == [true, true])
  }
}
