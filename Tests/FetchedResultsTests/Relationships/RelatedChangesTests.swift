import EngineWorlds
import FetchedResults
import NaiveModel
import Testing

@Suite("changes of related objects")
struct RelatedChangesTests {
  let bookcase: Bookcase

  init() throws { bookcase = try Bookcase() }

  @Test func `BNR-update-relationship`() throws {
    for title in ["1984", "Naked Lunch", "Native Son", "Watchmen"] { bookcase.insertBook(title) }
    let (_, delegate) = try bookcase.tracked(sort: "title", section: "initial")
    let author = bookcase.insertAuthor("a")
    let book = try #require(bookcase.context.object(entity: bookcase.book, number: 1))
    book["author"] = .object(author.objectID)
    #expect(delegate.received() == ["will", "update 1984 [0, 0] -> [0, 0]", "did"])
  }

  @Test func `RELATED-ATTR`() throws {
    let author = bookcase.insertAuthor("a")
    bookcase.insertBook("c", by: author)
    let (_, delegate) = try bookcase.tracked(sort: "title")
    author["name"] = "x"
    #expect(delegate.received() == [])
  }

  @Test("a key that crosses a relationship goes stale until the object itself changes")
  func staleKeys() throws {
    let lem = bookcase.insertAuthor("Lem")
    let herbert = bookcase.insertAuthor("Herbert")
    let solaris = bookcase.insertBook("Solaris", by: lem)
    bookcase.insertBook("Dune", by: herbert)
    let (controller, delegate) = try bookcase.tracked(sort: "author.name", "title")
    lem["name"] = "Aaron"
    bookcase.context.processPendingChanges()
    bookcase.insertBook("Ubik", by: bookcase.insertAuthor("Dick"))
    #expect(delegate.received() == ["will", "insert Ubik -> [0, 0]", "did"])
    solaris["title"] = "Solaris"
    #expect(delegate.received() == ["will", "move Solaris [0, 2] -> [0, 0]", "did"])
    #expect(controller.shown == [": Solaris, Ubik, Dune"])
  }

  @Test("a membership that crosses a relationship is found when the object changes")
  func staleMembership() throws {
    let lem = bookcase.insertAuthor("Lem")
    let book = bookcase.insertBook("Solaris", by: lem)
    let (_, delegate) = try bookcase.tracked(sort: "title", where: "author.name == 'Lem'")
    lem["name"] = "Stanislaw"
    #expect(delegate.received() == [])
    book["title"] = "Solaris"
    bookcase.context.processPendingChanges()
    #expect(delegate.history == ["will", "delete Solaris [0, 0]", "did"])
  }

  @Test("a controller hears of the objects of sub-entities, unless they are left out")
  func subentities() throws {
    let (_, delegate) = try bookcase.tracked(sort: "title")
    let exact = try bookcase.tracked(sort: "title").controller
    exact.fetchRequest.includesSubentities = false
    let silent = try RecordingDelegate(fetching: exact)
    bookcase.context.insert(bookcase.manga)["title"] = "Akira"
    #expect(delegate.received() == ["will", "insert Akira -> [0, 0]", "did"])
    #expect(silent.history == [])
    #expect(try bookcase.titles(where: "author == nil") == ["Akira"])
  }

  @Test("keys that crossed relationships are those of each batch, also in nested ones")
  func nestedBatches() throws {
    let a = bookcase.insertAuthor("A")
    let z = bookcase.insertAuthor("Z")
    let first = bookcase.insertBook("first", by: a)
    bookcase.insertBook("second", by: a)
    let (controller, delegate) = try bookcase.tracked(sort: "author.name", "title")
    var isDone = false
    delegate.reaction = { [bookcase] callback, _ in
      guard callback == .didChange, !isDone else { return }
      isDone = true
      first["author"] = .object(a.objectID)
      _ = try? bookcase.context.count(for: FetchRequest(entity: bookcase.book))
    }
    first["author"] = .object(z.objectID)
    #expect(
      delegate.received() == [
        "will", "move first [0, 0] -> [0, 1]", "did", "will", "move first [0, 1] -> [0, 0]", "did",
      ])
    #expect(controller.shown == [": first, second"])
  }

  @Test("what a sort or a section cannot cross is refused with Core Data's text")
  func refused() throws {
    func refusal(_ key: String) throws -> String? {
      #expect(throws: FetchError.self) {
        try bookcase.context.fetch(
          FetchRequest(entity: bookcase.book, sortDescriptors: [FetchSortDescriptor(key)]))
      }?.description
    }
    let ofTransient = "keypath initial not found in entity Book, "
    #expect(
      try refusal("initial")
        == ofTransient + "reason: 'initial' is transient, and a store does not have it")
    #expect(try refusal("author.age") == "keypath author.age not found in entity Book")
    #expect(try refusal("shelves") == "to-many key not allowed here")
    #expect(
      try refusal("shelves.@count")
        == "Keypath containing KVC aggregate where there shouldn't be one; "
        + "failed to handle shelves.@count")
  }

  @Test("unsaved and saved objects are sorted together by a key of another object")
  func mixed() throws {
    let b = bookcase.insertAuthor("B")
    let a = bookcase.insertAuthor("A")
    bookcase.insertBook("one", by: b)
    try bookcase.context.save()
    bookcase.insertBook("two", by: a)
    bookcase.insertBook("three")
    let found = try bookcase.context.fetch(
      FetchRequest(entity: bookcase.book, sortDescriptors: [FetchSortDescriptor("author.name")]))
    #expect(found.map(\.label) == ["three", "two", "one"])
  }
}
