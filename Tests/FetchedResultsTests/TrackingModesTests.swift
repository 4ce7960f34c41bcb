import FetchedResults
import NaiveModel
import Testing

@Suite("when a controller tracks")
struct TrackingModesTests {
  let shelf: Shelf
  let a: ManagedObject

  init() throws {
    shelf = try Shelf()
    a = shelf.insert("A", pages: 1)
  }

  /// Inserts a book before A, with a delegate that has these methods.
  private func received(_ methods: FetchedResultsDelegateMethods) throws -> (
    history: [String], shown: [String]
  ) {
    let controller = try shelf.controller(sort: "pages")
    let delegate = RecordingDelegate(methods)
    controller.delegate = delegate
    try controller.performFetch()
    shelf.insertInTurn("X", pages: 0)
    return (delegate.history, controller.shown)
  }

  @Test("without a delegate the contents stay as they were fetched")
  func noDelegate() throws {
    let controller = try shelf.controller(sort: "pages")
    try controller.performFetch()

    shelf.insert("X", pages: 0)
    a["pages"] = 7
    shelf.context.processPendingChanges()

    #expect(controller.shown == [": A"])
  }

  @Test("without a delegate a deleted object stays in the contents, saved or not")
  func noDelegateDeleted() throws {
    try shelf.context.save()
    let controller = try shelf.controller(sort: "pages")
    try controller.performFetch()

    shelf.context.delete(a)
    shelf.context.processPendingChanges()
    #expect(controller.shown == [": A"])

    try shelf.context.save()
    #expect(controller.shown == [": A"])
    #expect(try controller.object(at: ResultsIndexPath(section: 0, row: 0)) === a)
  }

  @Test("an empty didChangeContent is enough to track")
  func didChangeAlone() throws {
    let result = try received(.didChangeContent)

    #expect(result.history == ["did"])
    #expect(result.shown == [": X, A"])
  }

  @Test(
    "a delegate hears only what it implements, and any of the four makes the controller track",
    arguments: [
      (.willChangeContent, ["will"]),
      (.didChangeObject, ["insert X -> [0, 0]"]),
      (.didChangeSection, []),
      ([.willChangeContent, .didChangeContent], ["will", "did"]),
    ] as [(FetchedResultsDelegateMethods, [String])])
  func someMethods(methods: FetchedResultsDelegateMethods, history: [String]) throws {
    let result = try received(methods)

    #expect(result.history == history)
    #expect(result.shown == [": X, A"])
  }

  @Test("sectionIndexTitleForSectionName alone does not make a controller track")
  func indexTitleAlone() throws {
    let result = try received(.sectionIndexTitle)

    #expect(result.history == [])
    #expect(result.shown == [": A"])
  }

  @Test("a delegate set late tracks from then on, over the contents as they were fetched")
  func lateDelegate() throws {
    let b = shelf.insert("B", pages: 2)
    let c = shelf.insert("C", pages: 3)
    let controller = try shelf.controller(sort: "pages")
    try controller.performFetch()
    shelf.context.delete(b)
    a["pages"] = 9
    shelf.insert("unseen", pages: 0)
    try shelf.context.save()

    let delegate = RecordingDelegate()
    controller.delegate = delegate
    #expect(controller.shown == [": A, B, C"])
    c["title"] = "C2"
    shelf.insertInTurn("X", pages: 2)

    // A is still at its fetched place, and X is inserted before C.
    #expect(
      delegate.takeHistory() == [
        "will", "insert X -> [0, 2]", "update C2 [0, 2] -> [0, 3]", "did",
      ])
    #expect(controller.shown == [": A, B, X, C2"])

    a["title"] = "A2"
    shelf.context.processPendingChanges()
    #expect(delegate.history == ["will", "move A2 [0, 0] -> [0, 3]", "did"])
    #expect(controller.shown == [": B, X, C2, A2"])
  }

  @Test("an object that came unseen and changes under a late delegate is an insert")
  func unseenObject() throws {
    let controller = try shelf.controller(sort: "pages")
    try controller.performFetch()
    let unseen = shelf.insert("U", pages: 0)
    shelf.context.processPendingChanges()
    let delegate = RecordingDelegate()
    controller.delegate = delegate

    unseen["title"] = "U2"
    shelf.context.processPendingChanges()

    #expect(delegate.history == ["will", "insert U2 -> [0, 0]", "did"])
  }

  @Test("a delegate taken away stops the tracking; given back it goes on")
  func delegateTakenAway() throws {
    let (controller, delegate) = try shelf.tracked(sort: "pages")

    controller.delegate = nil
    shelf.insert("X", pages: 0)
    a["pages"] = 5
    shelf.context.processPendingChanges()
    controller.delegate = delegate
    shelf.insert("Y", pages: 3)
    #expect(delegate.received() == ["will", "insert Y -> [0, 1]", "did"])
    #expect(controller.shown == [": A, Y"])
  }
}
