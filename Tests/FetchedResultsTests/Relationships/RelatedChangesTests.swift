import FetchedResults
import Testing

@Suite("changes of related objects")
struct RelatedChangesTests {
  let library: Library

  init() throws { library = try Library() }

  @Test func `BNR-update-relationship`() throws {
    for title in ["1984", "Naked Lunch", "Native Son", "Watchmen"] { library.insertBook(title) }
    let (_, delegate) = try library.tracked(sort: "title", section: "initial")
    let author = library.insertAuthor("a")
    let book = try #require(library.context.object(entity: library.book, number: 1))
    book["author"] = .object(author.objectID)
    library.context.processPendingChanges()
    #expect(delegate.history == ["will", "update 1984 [0, 0] -> [0, 0]", "did"])
  }

  @Test func `RELATED-ATTR`() throws {
    let author = library.insertAuthor("a")
    library.insertBook("c", by: author)
    let (_, delegate) = try library.tracked(sort: "title")
    author["name"] = "x"
    library.context.processPendingChanges()
    #expect(delegate.history == [])
  }

  @Test("a key that crosses a relationship goes stale until the object itself changes")
  func staleKeys() throws {
    let lem = library.insertAuthor("Lem")
    let herbert = library.insertAuthor("Herbert")
    let solaris = library.insertBook("Solaris", by: lem)
    library.insertBook("Dune", by: herbert)
    let (controller, delegate) = try library.tracked(sort: "author.name", "title")
    lem["name"] = "Aaron"
    library.context.processPendingChanges()
    library.insertBook("Ubik", by: library.insertAuthor("Dick"))
    library.context.processPendingChanges()
    #expect(delegate.takeHistory() == ["will", "insert Ubik -> [0, 0]", "did"])
    solaris["title"] = "Solaris"
    library.context.processPendingChanges()
    #expect(delegate.history == ["will", "move Solaris [0, 2] -> [0, 0]", "did"])
    #expect(controller.shown == [": Solaris, Ubik, Dune"])
  }

  @Test("a membership that crosses a relationship is found when the object changes")
  func staleMembership() throws {
    let lem = library.insertAuthor("Lem")
    let book = library.insertBook("Solaris", by: lem)
    let (_, delegate) = try library.tracked(sort: "title", where: "author.name == 'Lem'")
    lem["name"] = "Stanislaw"
    library.context.processPendingChanges()
    #expect(delegate.takeHistory() == [])
    book["title"] = "Solaris"
    library.context.processPendingChanges()
    #expect(delegate.history == ["will", "delete Solaris [0, 0]", "did"])
  }

  @Test("a controller hears of the objects of sub-entities, unless they are left out")
  func subentities() throws {
    let (_, delegate) = try library.tracked(sort: "title")
    let exact = try library.tracked(sort: "title").controller
    exact.fetchRequest.includesSubentities = false
    let silent = RecordingDelegate()
    exact.delegate = silent
    try exact.performFetch()
    library.context.insert(library.manga)["title"] = "Akira"
    library.context.processPendingChanges()
    #expect(delegate.history == ["will", "insert Akira -> [0, 0]", "did"])
    #expect(silent.history == [])
    #expect(try library.titles(where: "author == nil") == ["Akira"])
  }

  @Test("keys that crossed relationships are those of each batch, also in nested ones")
  func nestedBatches() throws {
    let a = library.insertAuthor("A")
    let z = library.insertAuthor("Z")
    let first = library.insertBook("first", by: a)
    library.insertBook("second", by: a)
    let (controller, delegate) = try library.tracked(sort: "author.name", "title")
    var isDone = false
    delegate.reaction = { [library] callback, _ in
      guard callback == .didChange, !isDone else { return }
      isDone = true
      first["author"] = .object(a.objectID)
      _ = try? library.context.count(for: FetchRequest(entity: library.book))
    }
    first["author"] = .object(z.objectID)
    library.context.processPendingChanges()
    #expect(
      delegate.history == [
        "will", "move first [0, 0] -> [0, 1]", "did", "will", "move first [0, 1] -> [0, 0]", "did",
      ])
    #expect(controller.shown == [": first, second"])
  }

  @Test("what a sort or a section cannot cross is refused with Core Data's text")
  func refused() throws {
    func refusal(_ key: String) throws -> String? {
      #expect(throws: FetchError.self) {
        try library.context.fetch(
          FetchRequest(entity: library.book, sortDescriptors: [FetchSortDescriptor(key)]))
      }?.description
    }
    #expect(try refusal("initial") == "keypath initial not found in entity Book")
    #expect(try refusal("author.age") == "keypath author.age not found in entity Book")
    #expect(try refusal("shelves") == "to-many key not allowed here")
    #expect(
      try refusal("shelves.@count")
        == "Keypath containing KVC aggregate where there shouldn't be one; "
        + "failed to handle shelves.@count")
  }

  @Test("unsaved and saved objects are sorted together by a key of another object")
  func mixed() throws {
    let b = library.insertAuthor("B")
    let a = library.insertAuthor("A")
    library.insertBook("one", by: b)
    try library.context.save()
    library.insertBook("two", by: a)
    library.insertBook("three")
    let found = try library.context.fetch(
      FetchRequest(entity: library.book, sortDescriptors: [FetchSortDescriptor("author.name")]))
    #expect(found.map(\.label) == ["three", "two", "one"])
  }
}
