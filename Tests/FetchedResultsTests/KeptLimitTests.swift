import FetchedResults
import Testing

@Suite("a limit that is kept while changes are tracked")
struct KeptLimitTests {
  let shelf: Shelf

  init() throws {
    shelf = try Shelf()
    for index in 1...6 {
      shelf.insert("\(index)", index < 4 ? "Ace" : "Tor", pages: .int(Int64(index * 10)))
    }
    try shelf.context.save()
  }

  private func tracked(
    limit: Int = 0, offset: Int = 0, section: String? = nil, where format: String? = nil,
    cache: String? = nil
  ) throws -> (controller: FetchedResultsController, delegate: RecordingDelegate) {
    var request = shelf.request(sort: "pages")
    request.predicate = try format.map { try FetchPredicate(format: $0) }
    request.fetchLimit = limit
    request.fetchOffset = offset
    let controller = try FetchedResultsController(
      fetchRequest: request, managedObjectContext: shelf.context, sectionNameKeyPath: section,
      cacheName: cache)
    controller.keepsFetchLimit = true
    return (controller, try RecordingDelegate(fetching: controller))
  }

  private func book(_ number: Int64) throws -> ManagedObject {
    try #require(shelf.context.object(entity: shelf.book, number: number))
  }

  @Test("a row that leaves lets the next one in, and one that comes in lets the last one out")
  func oneForOne() throws {
    let (controller, delegate) = try tracked(limit: 3)

    shelf.context.delete(try book(2))
    #expect(delegate.received() == ["will", "delete 2 [0, 1]", "insert 4 -> [0, 2]", "did"])

    shelf.insert("0")
    #expect(delegate.received() == ["will", "delete 4 [0, 2]", "insert 0 -> [0, 0]", "did"])
    #expect(controller.shown == [": 0, 1, 3"])
    controller.checkInvariants()
  }

  @Test("a row that moves behind the limit leaves, and one that moves before it comes in")
  func moves() throws {
    let (controller, delegate) = try tracked(limit: 3)

    try book(1)["pages"] = 100
    #expect(delegate.received() == ["will", "delete 1 [0, 0]", "insert 4 -> [0, 2]", "did"])

    try book(6)["pages"] = 5
    #expect(delegate.received() == ["will", "delete 4 [0, 2]", "insert 6 -> [0, 0]", "did"])

    try book(5)["title"] = "five"
    #expect(delegate.received() == [])
    #expect(controller.shown == [": 6, 2, 3"])
  }

  @Test("an offset holds too: what comes in before it moves the rows on")
  func offset() throws {
    let (controller, delegate) = try tracked(limit: 2, offset: 2)
    #expect(controller.shown == [": 3, 4"])

    shelf.insert("0")
    #expect(delegate.received() == ["will", "delete 4 [0, 1]", "insert 2 -> [0, 0]", "did"])

    for number: Int64 in 1...3 { shelf.context.delete(try book(number)) }
    shelf.context.processPendingChanges()
    #expect(controller.shown == [": 5, 6"])

    let (rest, recorder) = try tracked(offset: 3)
    #expect(rest.shown == [": 6"])
    try book(6)["pages"] = 1
    #expect(recorder.received() == ["will", "delete 6 [0, 0]", "insert 5 -> [0, 0]", "did"])
  }

  @Test("sections are those of the rows that are left, and come and go with them")
  func sections() throws {
    let (controller, delegate) = try tracked(limit: 3, section: "publisher")
    #expect(controller.shown == ["Ace: 1, 2, 3"])

    shelf.context.delete(try book(1))
    #expect(
      delegate.received() == [
        "will", "delete 1 [0, 0]", "insert section 1 'Tor'", "insert 4 -> [1, 0]", "did",
      ])
    #expect(controller.shown == ["Ace: 2, 3", "Tor: 4"])
  }

  @Test("rows whose sections come back behind the limit can be fetched, and no cache is written")
  func sectionBehindTheLimit() throws {
    try book(6)["publisher"] = "Ace"
    try shelf.context.save()

    #expect(
      try tracked(limit: 5, section: "publisher", cache: "Shelf").controller.shown
        == ["Ace: 1, 2, 3", "Tor: 4, 5"])
    #expect(throws: FetchedResultsError.outOfOrderSection(index: 5, previousName: "Tor")) {
      try tracked(limit: 6, section: "publisher", cache: "Shelf")
    }
    #expect(shelf.coordinator.sectionCaches.names == [])
  }

  @Test("a cache holds all rows that match, so that what is behind the limit is known")
  func cache() throws {
    for _ in 0..<2 {
      let (controller, delegate) = try tracked(limit: 2, section: "publisher", cache: "Shelf")
      shelf.context.delete(try book(1))
      #expect(
        delegate.received() == ["will", "delete 1 [0, 0]", "insert 3 -> [0, 1]", "did"])
      #expect(controller.shown == ["Ace: 2, 3"])
      shelf.context.rollback()
      shelf.context.processPendingChanges()
      #expect(controller.shown == ["Ace: 1, 2"])
    }
    let (again, _) = try tracked(limit: 4, section: "publisher", cache: "Shelf")
    #expect(again.cacheFinding?.state == .used)
    #expect(again.shown == ["Ace: 1, 2, 3", "Tor: 4"])
  }

  @Test("unsaved changes count in the fetch, unlike those of a limit that is not kept")
  func unsaved() throws {
    shelf.context.delete(try book(1))
    shelf.insert("7", pages: 70)

    #expect(try tracked(limit: 3).controller.shown == [": 2, 3, 4"])
    #expect(try tracked(limit: 3, offset: 3).controller.shown == [": 5, 6, 7"])
  }

  @Test("the option counts from the next fetch on, and does nothing without a limit")
  func nextFetch() throws {
    let (controller, delegate) = try tracked(limit: 2)
    controller.keepsFetchLimit = false
    shelf.context.delete(try book(1))
    #expect(delegate.received() == ["will", "delete 1 [0, 0]", "insert 3 -> [0, 1]", "did"])

    try controller.performFetch()
    shelf.context.delete(try book(2))
    #expect(delegate.received() == ["will", "delete 2 [0, 0]", "did"])
    #expect(try !tracked().controller.keepsLimitNow)
  }

  @Test("a row that stops matching makes room; all in one turn, and back by an undo")
  func undo() throws {
    let (controller, delegate) = try tracked(limit: 3, where: "pages < 60")
    shelf.context.undoManager = UndoHistory()
    for number: Int64 in 1...4 { try book(number)["pages"] = 99 }
    #expect(
      delegate.received() == [
        "will", "delete 1 [0, 0]", "delete 2 [0, 1]", "delete 3 [0, 2]", "insert 5 -> [0, 0]",
        "did",
      ])
    shelf.context.undo()
    shelf.context.processPendingChanges()
    #expect(controller.shown == [": 1, 2, 3"])
  }

  @Test("snapshots and differences hold the rows that are left")
  func snapshot() throws {
    let (controller, _) = try tracked(limit: 2)
    let delegate = SnapshotDelegate()
    controller.delegate = delegate
    shelf.context.delete(try book(1))
    shelf.context.processPendingChanges()
    #expect(delegate.items.map { $0.map(\.number) } == [[2, 3]])
  }
}

private final class SnapshotDelegate: FetchedResultsControllerDelegate {
  let implementedMethods = FetchedResultsDelegateMethods.snapshot
  private(set) var items: [[ObjectID]] = []

  func controller(
    _ controller: FetchedResultsController, didChangeContentWith snapshot: FetchedResultsSnapshot
  ) {
    items.append(snapshot.itemIdentifiers)
  }
}
