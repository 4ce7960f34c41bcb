import FetchedResults
import NaiveModel
import Testing

@Suite("what the controller shows while it reports")
struct StateDuringCallbacksTests {
  let shelf: Shelf
  let controller: FetchedResultsController
  let delegate: RecordingDelegate

  init() throws {
    shelf = try Shelf()
    shelf.insert("a1", "A", pages: 1)
    shelf.insert("b1", "B", pages: 1)
    (controller, delegate) = try shelf.tracked(sort: "publisher", "pages", section: "publisher")
  }

  @Test("willChange shows the old state, every later callback the new one")
  func oldThenNew() throws {
    let a1 = try controller.object(at: ResultsIndexPath(section: 0, row: 0))
    var seen: [[String]] = []
    delegate.reaction = { seen.append($1.shown) }

    shelf.context.delete(a1)
    shelf.insert("c1", "C", pages: 1)
    #expect(
      delegate.received() == [
        "will", "delete a1 [0, 0]", "delete section 0 'A'", "insert section 1 'C'",
        "insert c1 -> [1, 0]", "did",
      ])
    let new = ["B: b1", "C: c1"]
    #expect(seen == [["A: a1", "B: b1"], new, new, new, new, new])
  }

  @Test("in willChange an index path is the old one, and an inserted object has none")
  func indexPaths() throws {
    let b1 = try controller.object(at: ResultsIndexPath(section: 1, row: 0))
    let new = shelf.insert("a0", "B", pages: 0)
    var paths: [[ResultsIndexPath?]] = []
    delegate.reaction = { _, controller in
      paths.append([controller.indexPath(forObject: b1), controller.indexPath(forObject: new)])
    }

    shelf.context.processPendingChanges()

    let before = [ResultsIndexPath(section: 1, row: 0), nil]
    let after = [ResultsIndexPath(section: 1, row: 1), ResultsIndexPath(section: 1, row: 0)]
    #expect(paths == [before, after, after])
  }

  @Test("a deleted section's info keeps its name and has 0 objects")
  func deletedInfo() throws {
    let a1 = try controller.object(at: ResultsIndexPath(section: 0, row: 0))
    let kept = try #require(controller.sections?[0])
    var infos: [String] = []
    delegate.sectionReaction = {
      infos.append("\($0.name) \($0.numberOfObjects) \($0.objects.count)")
    }

    shelf.context.delete(a1)
    shelf.context.processPendingChanges()

    #expect(infos == ["A 0 0"])
    #expect(kept.name == "A")
    #expect(kept.numberOfObjects == 0)
  }

  @Test("a kept info has 0 objects once its section is gone, whatever comes after")
  func keptInfo() throws {
    let kept = try #require(controller.sections.map(Array.init))
    #expect(kept.map(\.numberOfObjects) == [1, 1])

    for object in controller.fetchedObjects.map(Array.init) ?? [] { shelf.context.delete(object) }
    shelf.context.processPendingChanges()
    shelf.insert("a2", "A", pages: 1)
    shelf.insertInTurn("c1", "C", pages: 1)

    #expect(kept.map(\.numberOfObjects) == [0, 0])
    #expect(kept.map(\.name) == ["A", "B"])
  }

  @Test("a kept info has 0 objects after the next performFetch")
  func infoOfEarlierResults() throws {
    let kept = try #require(controller.sections.map(Array.init))
    controller.fetchRequest.predicate = try FetchPredicate(format: "pages > 1000")
    try controller.performFetch()
    #expect(kept.map(\.numberOfObjects) == [0, 0])

    controller.fetchRequest.predicate = nil
    try controller.performFetch()
    #expect(kept.map(\.numberOfObjects) == [0, 0])
    #expect(controller.sections?.map(\.numberOfObjects) == [1, 1])
  }

  @Test("an inserted section's info shows its new objects")
  func insertedInfo() throws {
    var infos: [String] = []
    delegate.sectionReaction = { infos.append("\($0.name) \($0.numberOfObjects) \($0.indexTitle)") }

    shelf.insert("c1", "C", pages: 1)
    shelf.insertInTurn("c2", "C", pages: 2)

    #expect(infos == ["C 2 C"])
  }

  @Test("until changes are processed the controller shows the old state")
  func beforeProcessing() throws {
    let a1 = try controller.object(at: ResultsIndexPath(section: 0, row: 0))

    a1["publisher"] = "Z"

    #expect(controller.shown == ["A: a1", "B: b1"])
    #expect(controller.indexPath(forObject: a1) == ResultsIndexPath(section: 0, row: 0))
    #expect(delegate.history == [])
  }
}
