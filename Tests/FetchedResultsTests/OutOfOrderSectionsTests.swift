import FetchedResults
import NaiveModel
import Testing

@Suite("a section name that comes back after another one")
struct OutOfOrderSectionsTests {
  let shelf: Shelf
  private let console: Console

  init() throws {
    let shelf = try Shelf()
    let console = Console()
    shelf.context.console = { console.lines.append($0) }
    self.shelf = shelf
    self.console = console
  }

  private final class Console {
    var lines: [String] = []
  }

  @Test("performFetch fails, with the offending object's index and the name before it")
  func performFetch() throws {
    shelf.insert("1", "Test Assignment Group", pages: 1)
    shelf.insert("2", "Middle Group", pages: 2)
    shelf.insert("3", "Test Assignment Group", pages: 3)
    let controller = try shelf.controller(sort: "pages", section: "publisher")

    let error = #expect(throws: FetchedResultsError.self) { try controller.performFetch() }

    #expect(error == .outOfOrderSection(index: 2, previousName: "Middle Group"))
    #expect(error?.name == "NSCocoaErrorDomain 134060")
    #expect(
      error?.reason
        == "The fetched object at index 2 has an out of order section name 'Middle Group. "
        + "Objects must be sorted by section name'")
    #expect(controller.fetchedObjects == nil)
    #expect(
      console.lines == [
        "CoreData: error: (NSFetchedResultsController) The fetched object at index 2 has an out of "
          + "order section name 'Middle Group. Objects must be sorted by section name'"
      ])
  }

  @Test("while tracking, a row belongs to the section of its name; performFetch fails")
  func tracking() throws {
    let a = shelf.insert("a", "A", pages: 1)
    shelf.insert("b", "B", pages: 2)
    let (controller, delegate) = try shelf.tracked(sort: "pages", section: "publisher")

    let a2 = shelf.insert("a2", "A", pages: 3)
    #expect(delegate.received() == ["will", "insert a2 -> [0, 1]", "did"])
    #expect(controller.shown == ["A: a, a2", "B: b"])
    #expect(controller.fetchedObjects?.map { $0["title"] } == ["a", "a2", "b"])
    #expect(controller.indexPath(forObject: a2) == ResultsIndexPath(section: 0, row: 1))
    #expect(console.lines == [])

    // The rest of A now begins after B.
    shelf.context.delete(a)
    try shelf.context.save()
    #expect(
      delegate.takeHistory() == [
        "will", "delete a [0, 0]", "delete b [1, 0]", "delete section 1 'B'",
        "insert section 0 'B'", "insert b -> [0, 0]", "did",
      ])
    #expect(controller.shown == ["B: b", "A: a2"])
    #expect(controller.trackingError == nil)
  }

  @Test("a fetch fails where tracking goes on, and tracks again once sections are in order")
  func fetchingAgain() throws {
    shelf.insert("a", "A", pages: 1)
    shelf.insert("b", "B", pages: 2)
    let (controller, delegate) = try shelf.tracked(sort: "pages", section: "publisher")
    let a2 = shelf.insert("a2", "A", pages: 3)
    shelf.context.processPendingChanges()
    _ = delegate.takeHistory()

    #expect(throws: FetchedResultsError.outOfOrderSection(index: 2, previousName: "B")) {
      try controller.performFetch()
    }
    #expect(controller.fetchedObjects == nil)
    a2["publisher"] = "B"
    try controller.performFetch()
    a2["title"] = "b2"
    #expect(delegate.received() == ["will", "update b2 [1, 1] -> [1, 1]", "did"])
  }

  @Test(
    "wherever its sort key puts it",
    arguments: [
      // A new name is inserted between two rows of a section.
      ("X", 15, ["A: 1, 2", "X: x", "B: 3, 4"], ["insert section 1 'X'", "insert x -> [1, 0]"]),
      ("X", 35, ["A: 1, 2", "B: 3, 4", "X: x"], ["insert section 2 'X'", "insert x -> [2, 0]"]),
      // A known name is inserted there, at the edge of another section, or after the last one.
      ("A", 35, ["A: 1, 2, x", "B: 3, 4"], ["insert x -> [0, 2]"]),
      ("A", 99, ["A: 1, 2, x", "B: 3, 4"], ["insert x -> [0, 2]"]),
      ("B", 25, ["A: 1, 2", "B: x, 3, 4"], ["insert x -> [1, 0]"]),
      ("B", 15, ["A: 1, 2", "B: x, 3, 4"], ["insert x -> [1, 0]"]),
      (
        "B", 5, ["B: x, 3, 4", "A: 1, 2"],
        [
          "delete 3 [1, 0]", "delete 4 [1, 1]", "delete section 1 'B'", "insert section 0 'B'",
          "insert x -> [0, 0]", "insert 3 -> [0, 1]", "insert 4 -> [0, 2]",
        ]
      ),
    ] as [(String, Int64, [String], [String])])
  func places(name: String, pages: Int64, shown: [String], received: [String]) throws {
    shelf.insert("1", "A", pages: 10)
    shelf.insert("2", "A", pages: 20)
    shelf.insert("3", "B", pages: 30)
    shelf.insert("4", "B", pages: 40)
    let (controller, delegate) = try shelf.tracked(sort: "pages", section: "publisher")

    shelf.insertInTurn("x", .string(name), pages: .int(pages))

    #expect(controller.shown == shown)
    #expect(delegate.history == ["will"] + received + ["did"])
    controller.checkInvariants()
  }

  @Test("a new section stands by its first row, though many sections overlap there")
  func newAmongOverlapping() throws {
    let (controller, delegate) = try shelf.tracked(sort: "pages", section: "publisher")
    for (index, name) in "ABCDEFGH".enumerated() {
      shelf.insert("\(name)1", .string("\(name)"), pages: .int(Int64(index * 10)))
      shelf.insert("\(name)2", .string("\(name)"), pages: .int(Int64(1000 - index * 10)))
    }
    shelf.context.processPendingChanges()
    _ = delegate.takeHistory()

    for pages: Int64 in [45, 500, 72, 975, -1] {
      let object = shelf.insert("x", "X", pages: .int(pages))
      shelf.context.processPendingChanges()
      let index = pages < 0 ? 0 : min(8, Int(pages / 10) + 1)
      #expect(delegate.takeHistory().contains("insert section \(index) 'X'"))
      controller.checkInvariants()
      shelf.context.delete(object)
      shelf.context.processPendingChanges()
      _ = delegate.takeHistory()
    }
  }
}
