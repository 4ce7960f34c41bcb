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

  @Test("while tracking: a console line, no callback, and the contents stay as they were")
  func tracking() throws {
    shelf.insert("a", "A", pages: 1)
    let b = shelf.insert("b", "B", pages: 2)
    let (controller, delegate) = try shelf.tracked(sort: "pages", section: "publisher")

    shelf.insert("a2", "A", pages: 3)
    shelf.context.processPendingChanges()

    #expect(delegate.history == [])
    #expect(controller.shown == ["A: a", "B: b"])
    #expect(
      console.lines == [
        "CoreData: error: (NSFetchedResultsController) The fetched object at index 2 has an out "
          + "of order section name 'B. Objects must be sorted by section name'"
      ])

    b["pages"] = 9
    shelf.context.delete(try controller.object(at: ResultsIndexPath(section: 0, row: 0)))
    try shelf.context.save()
    #expect(delegate.history == [])
    #expect(controller.shown == ["A: a", "B: b"])
    #expect(console.lines.count == 1)
  }

  @Test("performFetch takes the tracking up again")
  func trackingAgain() throws {
    shelf.insert("a", "A", pages: 1)
    shelf.insert("b", "B", pages: 2)
    let (controller, delegate) = try shelf.tracked(sort: "pages", section: "publisher")
    let a2 = shelf.insert("a2", "A", pages: 3)
    shelf.context.processPendingChanges()

    #expect(throws: FetchedResultsError.outOfOrderSection(index: 2, previousName: "B")) {
      try controller.performFetch()
    }
    a2["publisher"] = "B"
    try controller.performFetch()
    a2["title"] = "b2"
    shelf.context.processPendingChanges()

    #expect(delegate.history == ["will", "update b2 [1, 1] -> [1, 1]", "did"])
  }

  @Test(
    "the index and the name are those of the results after the batch",
    arguments: [
      // A name between two rows of one section.
      ("X", 15, .outOfOrderSection(index: 2, previousName: "X")),
      ("B", 15, .outOfOrderSection(index: 2, previousName: "B")),
      // At the edge of another section, or behind the last.
      ("A", 35, .outOfOrderSection(index: 3, previousName: "B")),
      ("B", 5, .outOfOrderSection(index: 3, previousName: "A")),
      ("A", 99, .outOfOrderSection(index: 4, previousName: "B")),
    ] as [(String, Int64, FetchedResultsError)])
  func places(name: String, pages: Int64, error: FetchedResultsError) throws {
    shelf.insert("1", "A", pages: 10)
    shelf.insert("2", "A", pages: 20)
    shelf.insert("3", "B", pages: 30)
    shelf.insert("4", "B", pages: 40)
    let (controller, delegate) = try shelf.tracked(sort: "pages", section: "publisher")

    shelf.insert("x", .string(name), pages: .int(pages))
    shelf.context.processPendingChanges()

    #expect(console.lines == ["CoreData: error: (NSFetchedResultsController) \(error.reason)"])
    #expect(controller.shown == ["A: 1, 2", "B: 3, 4"])
    #expect(delegate.history == [])
    let fresh = try shelf.controller(sort: "pages", section: "publisher")
    #expect(throws: error) { try fresh.performFetch() }
  }
}
