import FetchedResults
import NaiveModel
import Testing

@Suite("rollback and reset")
struct RollbackTests {
  let shelf: Shelf
  let a, b: ManagedObject
  let controller: FetchedResultsController
  let delegate: RecordingDelegate

  init() throws {
    shelf = try Shelf()
    a = shelf.insert("A", pages: 10)
    b = shelf.insert("B", pages: 20)
    try shelf.context.save()
    (controller, delegate) = try shelf.tracked(sort: "pages")
  }

  @Test("rollback gives changed objects their saved values: a move back")
  func changed() {
    a["pages"] = 30
    #expect(delegate.received() == ["will", "move A [0, 0] -> [0, 1]", "did"])

    shelf.context.rollback()

    #expect(delegate.received() == ["will", "move A [0, 1] -> [0, 0]", "did"])
    #expect(a["pages"] == 10)
    #expect(!shelf.context.hasChanges)
  }

  @Test("rollback takes an inserted object away: a delete")
  func inserted() {
    let x = shelf.insert("X", pages: 5)
    #expect(delegate.received() == ["will", "insert X -> [0, 0]", "did"])

    shelf.context.rollback()

    #expect(delegate.received() == ["will", "delete X [0, 0]", "did"])
    #expect(x.isDeleted)
    #expect(shelf.context.findObject(with: x.objectID) == nil)
  }

  @Test("rollback brings a deleted object back: an insert")
  func deleted() {
    shelf.context.delete(a)
    #expect(delegate.received() == ["will", "delete A [0, 0]", "did"])

    shelf.context.rollback()

    #expect(delegate.received() == ["will", "insert A -> [0, 0]", "did"])
    #expect(!a.isDeleted)
  }

  @Test("an insert rolled back in its own turn: nothing")
  func insertedInTurn() {
    shelf.insert("X", pages: 5)
    shelf.context.rollback()

    #expect(delegate.received() == [])
  }

  @Test("a delete rolled back in its own turn leaves the row in place")
  func deletedInTurn() {
    shelf.context.delete(a)
    shelf.context.rollback()

    #expect(delegate.received() == ["will", "update A [0, 0] -> [0, 0]", "did"])
    #expect(controller.shown == [": A, B"])
  }

  @Test("a number is never used again, also after a rollback")
  func numbers() {
    let x = shelf.insert("X")
    shelf.context.rollback()
    #expect(shelf.insert("Y").objectID.number == x.objectID.number + 1)
  }

  @Test("reset reports nothing, and the controller has no results until it fetches again")
  func reset() throws {
    a["pages"] = 30
    shelf.context.reset()

    #expect(delegate.received() == [])
    #expect(controller.fetchedObjects == nil)
    #expect(throws: FetchedResultsError.notFetched) {
      try controller.object(at: ResultsIndexPath(section: 0, row: 0))
    }

    try controller.performFetch()
    #expect(controller.shown == [": A, B"])
    #expect(try controller.object(at: ResultsIndexPath(section: 0, row: 0)) !== a)
  }

  @Test("an object from before a reset belongs to no context, and changing it reaches nobody")
  func resetObjects() throws {
    a["pages"] = 30
    let clean = b
    shelf.context.reset()
    try controller.performFetch()

    a["pages"] = 31
    clean["pages"] = 1
    shelf.context.delete(clean)

    #expect(a.managedObjectContext == nil)
    #expect(!shelf.context.hasChanges)
    #expect(delegate.received() == [])
    #expect(controller.shown == [": A, B"])
  }

  @Test("an object loaded again after a reset in a callback stays the only one of its number")
  func resetWhileProcessing() throws {
    var again: ManagedObject?
    delegate.reaction = { [shelf, a] callback, _ in
      guard callback == .willChange else { return }
      shelf.context.reset()
      again = shelf.context.findObject(with: a.objectID)
    }

    shelf.context.delete(a)
    shelf.context.processPendingChanges()

    let now = try #require(again)
    #expect(shelf.context.findObject(with: a.objectID) === now)
  }
}
