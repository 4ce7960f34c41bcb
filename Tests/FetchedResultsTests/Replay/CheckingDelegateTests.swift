import FetchedResults
import NaiveModel
import Testing

@Suite("a checker of what a delegate is told")
struct CheckingDelegateTests {
  private let shelf: Shelf
  private let controller: FetchedResultsController

  init() throws {
    shelf = try Shelf()
    shelf.insert("Dune", "Ace")
    shelf.insert("Emma", "Penguin")
    controller = try shelf.controller(sort: "publisher", section: "publisher")
    try controller.performFetch()
  }

  @Test(
    "the delegate behind it hears what it implements, and nothing else",
    arguments: [
      FetchedResultsDelegateMethods.changes, .didChangeContent, .didChangeObject,
      .willChangeContent, .didChangeSection, .sectionIndexTitle,
    ])
  func passesOn(methods: FetchedResultsDelegateMethods) throws {
    let plain = RecordingDelegate(methods)
    let watched = RecordingDelegate(methods)
    let other = try shelf.controller(sort: "publisher", section: "publisher")
    try other.performFetch()
    let checker = CheckingDelegate(of: watched) { Issue.record("\($0)") }
    other.delegate = plain
    controller.delegate = checker

    shelf.insertInTurn("Ubik", "Bantam")
    checker.checkSections(of: controller)

    #expect(watched.history == plain.history)
    #expect(watched.history.isEmpty == (methods == .sectionIndexTitle))
  }

  @Test("what is told in the midst of a batch is a batch of its own")
  func nested() throws {
    let delegate = RecordingDelegate()
    let checker = CheckingDelegate(of: delegate) { Issue.record("\($0)") }
    controller.delegate = checker
    var isFirst = true
    delegate.reaction = { [shelf] callback, _ in
      guard case .object = callback, isFirst else { return }
      isFirst = false
      shelf.insertInTurn("Emil", "Ace")
    }

    shelf.insert("Solaris", "Penguin")
    shelf.insertInTurn("Ubik", "Bantam")
    checker.checkSections(of: controller)

    #expect(delegate.history.filter { $0 == "will" }.count == 2)
  }

  @Test("a change that is told in another way than it happened is a breach")
  func lies() throws {
    var breaches: [String] = []
    let checker = CheckingDelegate(of: RecordingDelegate()) { breaches.append("\($0)") }
    let dune = try controller.object(at: ResultsIndexPath(section: 0, row: 0))

    checker.controllerWillChangeContent(controller)
    checker.controller(
      controller, didChange: dune, at: ResultsIndexPath(section: 1, row: 0), for: .delete,
      newIndexPath: nil)
    checker.controllerDidChangeContent(controller)
    checker.controllerWillChangeContent(controller)
    checker.checkSections(of: controller)
    checker.controllerDidChangeContent(controller)

    #expect(
      breaches == [
        "Book/1 was not at [1, 0], where Book/2 was",
        "didChangeContent is missing after willChangeContent",
        "a change was reported outside willChangeContent and didChangeContent",
      ])
  }

  @Test("a change that is told to nobody is a breach, a fetch is none")
  func untold() throws {
    var breaches: [String] = []
    let checker = CheckingDelegate(of: RecordingDelegate()) { breaches.append("\($0)") }
    controller.delegate = checker
    checker.checkSections(of: controller)
    let other = RecordingDelegate()
    controller.delegate = other

    shelf.insertInTurn("Ubik", "Bantam")
    checker.checkSections(of: controller)
    #expect(
      breaches == [
        "section 1 should be 'Penguin' [Book/2] according to the callbacks, and is 'Bantam' [Book/3]"
      ])

    shelf.insert("Emil", "Ace")
    try controller.performFetch()
    checker.checkSections(of: controller)
    #expect(breaches.count == 1)
  }

  @Test("snapshots and differences are held to the results")
  func newer() throws {
    var breaches: [String] = []
    let methods: FetchedResultsDelegateMethods = [.difference, .changes]
    let checker = CheckingDelegate(of: RecordingDelegate(methods)) { breaches.append("\($0)") }
    let flat = try shelf.controller(sort: "publisher")
    try flat.performFetch()
    checker.checkSections(of: flat)
    let id = ObjectID(entity: shelf.book, number: 1)
    let removal = try #require(
      CollectionDifference([.remove(offset: 0, element: id, associatedWith: nil)]))
    let misplaced = try #require(
      CollectionDifference([.remove(offset: 7, element: id, associatedWith: nil)]))

    checker.controller(flat, didChangeContentWith: removal)
    checker.controller(flat, didChangeContentWith: misplaced)

    #expect(
      breaches == [
        "section 0 should be '' [Book/2] according to the callbacks, and is '' [Book/1, Book/2]",
        "the difference does not fit the rows before",
      ])
  }
}
