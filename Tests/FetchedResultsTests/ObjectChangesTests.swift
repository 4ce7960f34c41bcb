import FetchedResults
import NaiveModel
import Testing

@Suite("what one changed object is reported as")
struct ObjectChangesTests {
  let shelf: Shelf
  let a, b, c: ManagedObject

  init() throws {
    shelf = try Shelf()
    a = shelf.insert("A", pages: 10)
    b = shelf.insert("B", pages: 20)
    c = shelf.insert("C", pages: 30)
  }

  @Test("an inserted object is one insert at its place, with no old path")
  func insert() throws {
    let (controller, delegate) = try shelf.tracked(sort: "pages")

    shelf.insert("X", pages: 15)
    #expect(delegate.received() == ["will", "insert X -> [0, 1]", "did"])
    #expect(controller.shown == [": A, X, B, C"])
  }

  @Test("a deleted object is one delete at its old path; the rows behind it are silent")
  func delete() throws {
    let (controller, delegate) = try shelf.tracked(sort: "pages")

    shelf.context.delete(a)
    #expect(delegate.received() == ["will", "delete A [0, 0]", "did"])
    #expect(controller.shown == [": B, C"])
  }

  @Test("a change that leaves the place alone is an update with both paths")
  func update() throws {
    let (_, delegate) = try shelf.tracked(sort: "pages")

    b["title"] = "B2"
    #expect(delegate.received() == ["will", "update B2 [0, 1] -> [0, 1]", "did"])
  }

  @Test("a sort key that changes and keeps the relative order is an update")
  func updateOfSortKey() throws {
    let (_, delegate) = try shelf.tracked(sort: "pages")

    b["pages"] = 29
    #expect(delegate.received() == ["will", "update B [0, 1] -> [0, 1]", "did"])
  }

  @Test("an equal value assigned is an update")
  func touch() throws {
    let (_, delegate) = try shelf.tracked(sort: "pages")

    b["pages"] = 20
    #expect(delegate.received() == ["will", "update B [0, 1] -> [0, 1]", "did"])
  }

  @Test("an object that passes another is one move, and no update is sent")
  func move() throws {
    let (controller, delegate) = try shelf.tracked(sort: "pages")

    a["pages"] = 25
    #expect(delegate.received() == ["will", "move A [0, 0] -> [0, 1]", "did"])
    #expect(controller.shown == [": B, A, C"])
  }

  @Test("an update behind a delete shows its old path and its new one")
  func shiftedUpdate() throws {
    let (_, delegate) = try shelf.tracked(sort: "pages")

    shelf.context.delete(a)
    c["title"] = "C2"
    #expect(
      delegate.received() == ["will", "delete A [0, 0]", "update C2 [0, 2] -> [0, 1]", "did"])
  }

  @Test("an object that passed an unchanged row moves even where both paths are equal")
  func samePathMove() throws {
    let (_, delegate) = try shelf.tracked(sort: "pages")

    a["pages"] = 25
    shelf.insert("X", pages: 5)
    shelf.context.delete(c)
    shelf.context.processPendingChanges()

    #expect(
      delegate.history == [
        "will", "delete C [0, 2]", "insert X -> [0, 0]", "move A [0, 0] -> [0, 2]", "did",
      ])

    delegate.forget()
    b["pages"] = 26
    shelf.insert("Y", pages: 1)
    #expect(
      delegate.received() == [
        "will", "insert Y -> [0, 0]", "move B [0, 1] -> [0, 3]", "did",
      ])
  }

  @Test("a move to the numerically equal path is still a move")
  func moveToEqualPath() throws {
    let (_, delegate) = try shelf.tracked(sort: "pages")

    shelf.context.delete(a)
    b["pages"] = 40
    shelf.insert("X", pages: 1)
    shelf.insert("Y", pages: 50)
    shelf.context.delete(c)
    let d = shelf.insert("D", pages: 35)
    #expect(
      delegate.received() == [
        "will", "delete A [0, 0]", "delete C [0, 2]", "insert X -> [0, 0]", "insert D -> [0, 1]",
        "insert Y -> [0, 3]", "update B [0, 1] -> [0, 2]", "did",
      ])

    // The order is X D B Y. D passes B, and X is deleted, so D keeps the index path 1.
    d["pages"] = 45
    let x = try #require(shelf.context.findObject(with: ObjectID(entity: shelf.book, number: 4)))
    shelf.context.delete(x)
    #expect(delegate.received() == ["will", "delete X [0, 0]", "move D [0, 1] -> [0, 1]", "did"])
  }

  @Test("nothing that concerns the results: no callback at all")
  func irrelevant() throws {
    let other = try EntityDescription(name: "Other", attributes: [])
    try shelf.coordinator.add(other)
    let (_, delegate) = try shelf.tracked(sort: "pages")

    shelf.context.insert(other)
    #expect(delegate.received() == [])
  }
}
