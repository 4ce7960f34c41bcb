import FetchedResults
import NaiveModel
import Testing

@Suite("faults")
struct FaultTests {
  let library: SeveralContexts
  let main, background: ManagedObjectContext
  let a, b: ManagedObject

  init() throws {
    library = try SeveralContexts()
    main = library.main
    background = library.background
    a = library.insert("A", pages: 10, in: main)
    b = library.insert("B", pages: 20, in: main)
    try main.save()
  }

  private func saveElsewhere(_ change: (ManagedObjectContext) throws -> Void) throws {
    try change(background)
    try background.save()
  }

  @Test("refreshing makes faults of unchanged objects, and a look or an assignment fires them")
  func refreshed() throws {
    a["title"] = "A2"
    main.refreshAllObjects()
    #expect(!a.isFault && b.isFault)
    #expect(a["title"] == "A2" && b["title"] == "B")
    #expect(!b.isFault)

    main.refresh(a, mergeChanges: true)
    #expect(!a.isFault)
    main.refresh(a, mergeChanges: false)
    #expect(a.isFault)
    a["pages"] = 11
    #expect(!a.isFault && a["title"] == "A")
  }

  @Test("a fault has the newest values, and its row stays until the object changes")
  func newest() throws {
    let (controller, delegate) = try library.tracked(in: main, sort: "pages")
    main.refresh(a, mergeChanges: false)
    main.processPendingChanges()
    // The delegate has accessed the object, so it receives a refresh that changes nothing.
    #expect(delegate.takeHistory() == ["will", "update A [0, 0] -> [0, 0]", "did"])
    #expect(!a.isFault)
    controller.delegate = nil
    main.refresh(a, mergeChanges: false)
    main.processPendingChanges()
    controller.delegate = delegate

    try saveElsewhere { a.seen(in: $0)?["pages"] = 30 }
    #expect(delegate.received() == [])
    #expect(a["pages"] == 30)
    #expect(controller.shown == [": A, B"])
    a["title"] = "A2"
    #expect(delegate.received() == ["will", "move A2 [0, 0] -> [0, 1]", "did"])
    #expect(controller.shown == [": B, A2"])
    try main.save()
  }

  @Test("a child context reads a fault of its parent with the newest values")
  func child() throws {
    main.refresh(a, mergeChanges: false)
    try saveElsewhere { a.seen(in: $0)?["title"] = "A3" }

    #expect(a.seen(in: library.edit)?["title"] == "A3")
  }

  @Test("a fault whose row is gone is a deleted object without values, until the next save")
  func inaccessible() throws {
    let (controller, delegate) = try library.tracked(in: main, sort: "pages")
    var console: [String] = []
    main.console = { console.append($0) }
    main.refresh(a, mergeChanges: false)
    main.processPendingChanges()
    // The delegate has accessed the object.
    main.refresh(a, mergeChanges: false)
    try saveElsewhere { $0.delete(try #require(a.seen(in: $0))) }

    #expect(!a.isDeleted)
    #expect(a["title"] == .null && a["pages"] == .null)
    #expect(a.isDeleted && main.deletedObjects.map(\.objectID) == [a.objectID])
    #expect(console.count == 1)
    delegate.forget()
    main.processPendingChanges()
    #expect(delegate.takeHistory().first == "will")
    #expect(controller.shown == [": B"])
    try main.save()
    #expect(main.findObject(with: a.objectID) == nil)
    #expect(!main.hasChanges)
  }

  @Test("the save brings relationships in step with a fault whose row is gone")
  func related() throws {
    let world = try Bookcase()
    let context = world.context
    let writer = world.insertAuthor("W")
    let book = world.insertBook("T", by: writer)
    try context.save()
    let other = ManagedObjectContext(coordinator: world.coordinator)
    context.refresh(book, mergeChanges: false)
    other.delete(try #require(book.seen(in: other)))
    try other.save()

    #expect(book["title"] == .null)
    try context.save()
    #expect(writer["books"] == .list([]))
  }
}
