import FetchedResults
import Testing

@Suite("refreshing and invalidating")
struct RefreshingTests {
  let library: SeveralContexts
  let main, background: ManagedObjectContext
  let a, b: ManagedObject
  let controller: FetchedResultsController
  let delegate: RecordingDelegate

  init() throws {
    library = try SeveralContexts()
    main = library.main
    background = library.background
    a = library.insert("A", pages: 10, in: main)
    b = library.insert("B", pages: 20, in: main)
    try main.save()
    (controller, delegate) = try library.tracked(in: main, sort: "pages", where: "pages < 100")
  }

  private func change(_ object: ManagedObject, pages: PropertyValue) throws {
    object.seen(in: background)?["pages"] = pages
    try background.save()
  }

  @Test("all objects are refreshed in the order in which their entities were first used")
  func order() throws {
    let entities = try (1...20).map { try EntityDescription(name: "E\($0)", attributes: []) }
    let context = try ManagedObjectContext(of: entities)
    for entity in entities { context.insert(entity) }
    try context.save()
    var received: [String] = []
    context.onProcessing = { batch, _ in received += batch.objects.map(\.entity.name) }

    context.refreshAllObjects()
    context.processPendingChanges()

    #expect(received == entities.map(\.name))
  }

  @Test("without merging, an object gets the store's values and loses its unsaved ones")
  func replacing() throws {
    a["title"] = "mine"
    a["pages"] = 15
    #expect(delegate.received() == ["will", "update mine [0, 0] -> [0, 0]", "did"])
    try change(a, pages: 30)

    main.refresh(a, mergeChanges: false)

    #expect(delegate.received() == ["will", "move A [0, 0] -> [0, 1]", "did"])
    #expect(a["title"] == "A")
    #expect(!main.hasChanges)
    try main.save()
  }

  @Test("merging, unsaved attributes stay and the others come in")
  func merging() throws {
    a["title"] = "mine"
    try change(a, pages: 30)

    main.refresh(a, mergeChanges: true)

    #expect(delegate.received() == ["will", "move mine [0, 0] -> [0, 1]", "did"])
    #expect(a["pages"] == 30)
    #expect(main.hasChanges)
    try main.save()
    #expect(try library.shelf.coordinator.row(of: a)?["title"] == "mine")
  }

  @Test("a refresh that finds nothing new is an update all the same")
  func nothingNew() {
    main.refresh(a, mergeChanges: true)
    #expect(delegate.received() == ["will", "update A [0, 0] -> [0, 0]", "did"])
    #expect(!main.hasChanges)
  }

  @Test("refreshed objects come and go where the predicate says so now")
  func predicate() throws {
    try change(a, pages: 500)
    main.refresh(a, mergeChanges: true)
    #expect(delegate.received() == ["will", "delete A [0, 0]", "did"])
    try change(a, pages: 50)
    main.refresh(a, mergeChanges: true)
    #expect(delegate.received() == ["will", "insert A -> [0, 1]", "did"])
  }

  @Test("an object that the store has no more goes")
  func gone() throws {
    background.delete(try #require(a.seen(in: background)))
    try background.save()
    main.refresh(a, mergeChanges: false)
    #expect(delegate.received() == ["will", "delete A [0, 0]", "did"])
    #expect(a.isDeleted)
  }

  @Test("an inserted object, and one marked for deletion, is left alone")
  func unsaved() {
    let c = library.insert("C", pages: 5, in: main)
    main.delete(b)
    #expect(delegate.received() == ["will", "delete B [0, 1]", "insert C -> [0, 0]", "did"])

    main.refresh(c, mergeChanges: false)
    main.refresh(b, mergeChanges: false)

    #expect(delegate.received() == [])
    #expect(c.isInserted)
    #expect(b.isDeleted)
  }

  @Test("CDP-refresh-all: every result an update or a move, none an insert or a delete")
  func all() throws {
    try change(a, pages: 30)
    b["title"] = "mine"
    main.refreshAllObjects()

    #expect(
      delegate.received() == [
        "will", "update A [0, 0] -> [0, 1]", "move mine [0, 1] -> [0, 0]", "did",
      ])
    #expect(controller.shown == [": mine, A"])
  }

  @Test("refreshing all reaches results that nobody has looked at")
  func untouched() throws {
    let context = ManagedObjectContext(coordinator: library.shelf.coordinator)
    let (_, delegate) = try library.tracked(in: context, sort: "title")

    context.refreshAllObjects()
    context.processPendingChanges()

    #expect(
      delegate.history == ["will", "update A [0, 0] -> [0, 0]", "update B [0, 1] -> [0, 1]", "did"])
  }

  @Test("INVALIDATE-ONE: an object invalidated by itself counts as deleted")
  func invalidated() throws {
    a["pages"] = 15
    #expect(delegate.received() == ["will", "update A [0, 0] -> [0, 0]", "did"])

    main.invalidate([a])

    #expect(delegate.received() == ["will", "delete A [0, 0]", "did"])
    #expect(try main.fetch(library.shelf.request(sort: "pages")).map(\.label) == ["A", "B"])
    #expect(a.seen(in: main)?["pages"] == 10)
    #expect(a.seen(in: main) !== a)
  }
}
