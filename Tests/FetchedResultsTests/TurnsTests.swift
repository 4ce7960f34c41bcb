import Basics
import FetchedResults
import NaiveModel
import Testing

@Suite("what several changes of one turn come to")
struct TurnsTests {
  let shelf: Shelf
  let a: ManagedObject
  let controller: FetchedResultsController
  let delegate: RecordingDelegate

  init() throws {
    shelf = try Shelf()
    a = shelf.insert("A", pages: 10)
    (controller, delegate) = try shelf.tracked(sort: "pages")
  }

  @Test("turns that change thousands of rows leave what a fetch finds")
  func many() throws {
    let shelf = try Shelf()
    let (controller, delegate) = try shelf.tracked(sort: "pages", "title", section: "pages")
    var random = SeededGenerator(seed: 7)
    var books: [ManagedObject] = []
    for turn in 0..<8 {
      books.removeAll { book in
        guard turn > 0, Int.random(in: 0..<8, using: &random) < turn else { return false }
        shelf.context.delete(book)
        return true
      }
      for book in books where Int.random(in: 0..<4, using: &random) > 0 {
        book["pages"] = .int(Int64.random(in: 0..<40, using: &random))
      }
      books += (0..<1500).map { number in
        shelf.insert("\(turn) \(number)", pages: .int(Int64.random(in: 0..<40, using: &random)))
      }
      shelf.context.processPendingChanges()
      let fetched = try shelf.controller(sort: "pages", "title", section: "pages")
      try fetched.performFetch()

      #expect(controller.shown == fetched.shown, "turn \(turn)")
      controller.checkInvariants()
    }
    #expect(delegate.takeHistory().count > 10_000)
  }

  @Test("inserted then deleted: nothing")
  func insertedThenDeleted() {
    shelf.context.delete(shelf.insert("X"))

    #expect(delegate.received() == [])
    #expect(shelf.context.insertedObjects.map(\.label) == ["A"])
  }

  @Test("inserted then changed: one insert, with the last values")
  func insertedThenChanged() {
    shelf.insert("X", pages: 1)["pages"] = 20

    #expect(delegate.received() == ["will", "insert X -> [0, 1]", "did"])
  }

  @Test("inserted in an earlier turn, then changed: an update, though nothing was saved")
  func insertedEarlier() {
    let x = shelf.insert("X", pages: 20)
    #expect(delegate.received() == ["will", "insert X -> [0, 1]", "did"])

    x["pages"] = 25

    #expect(delegate.received() == ["will", "update X [0, 1] -> [0, 1]", "did"])
  }

  @Test("changed then deleted: one delete")
  func changedThenDeleted() {
    a["pages"] = 99
    shelf.context.delete(a)

    #expect(delegate.received() == ["will", "delete A [0, 0]", "did"])
  }

  @Test("changed twice: one update")
  func changedTwice() {
    a["pages"] = 99
    a["title"] = "A2"

    #expect(delegate.received() == ["will", "update A2 [0, 0] -> [0, 0]", "did"])
  }

  @Test("changed there and back: an update")
  func changedBack() {
    a["pages"] = 99
    a["pages"] = 10

    #expect(delegate.received() == ["will", "update A [0, 0] -> [0, 0]", "did"])
  }

  @Test("deleted twice: one delete, also where the deleted object takes a value")
  func deletedTwice() throws {
    shelf.context.delete(a)
    shelf.context.delete(a)

    try a.setValue(1, forKey: "pages")
    #expect(delegate.received() == ["will", "delete A [0, 0]", "did"])

    try a.setValue(2, forKey: "pages")
    #expect(delegate.received() == [])

    try shelf.context.save()
    #expect(throws: ObjectError.deleted(a.objectID)) { try a.setValue(3, forKey: "pages") }
  }

  @Test("a save processes first, and is not reported by itself")
  func save() throws {
    shelf.insert("X", pages: 20)

    try shelf.context.save()
    #expect(delegate.takeHistory() == ["will", "insert X -> [0, 1]", "did"])

    try shelf.context.save()
    #expect(delegate.received() == [])
  }

  @Test("a fetch and a count process first", arguments: [true, false])
  func fetch(isCount: Bool) throws {
    shelf.insert("X", pages: 20)

    if isCount {
      #expect(try shelf.context.count(for: shelf.request(sort: "title")) == 2)
    } else {
      #expect(try shelf.context.fetch(shelf.request(sort: "-pages")).map(\.label) == ["X", "A"])
    }

    #expect(delegate.history == ["will", "insert X -> [0, 1]", "did"])
  }

  @Test("an object deleted after a save is a delete, and is gone after the next save")
  func deletedAfterSave() throws {
    try shelf.context.save()

    shelf.context.delete(a)
    try shelf.context.save()

    #expect(delegate.history == ["will", "delete A [0, 0]", "did"])
    #expect(shelf.context.findObject(with: a.objectID) == nil)
  }

  @Test("another context's changes are not seen")
  func otherContext() throws {
    let other = ManagedObjectContext(coordinator: shelf.coordinator)
    other.insert(shelf.book)["title"] = "X"

    try other.save()

    #expect(delegate.received() == [])
  }
}
