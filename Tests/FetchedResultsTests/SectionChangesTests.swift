import FetchedResults
import Testing

@Suite("sections that come, go and stay")
struct SectionChangesTests {
  let shelf: Shelf
  let a1, a2, c1: ManagedObject

  init() throws {
    shelf = try Shelf()
    a1 = shelf.insert("a1", "A", pages: 1)
    a2 = shelf.insert("a2", "A", pages: 2)
    c1 = shelf.insert("c1", "C", pages: 1)
  }

  private func tracked() throws -> (
    controller: FetchedResultsController, delegate: RecordingDelegate
  ) {
    try shelf.tracked(sort: "publisher", "pages", section: "publisher")
  }

  @Test("a row of a new name brings its section before itself")
  func insertedSection() throws {
    let (controller, delegate) = try tracked()

    shelf.insert("b1", "B", pages: 1)
    #expect(delegate.received() == ["will", "insert section 1 'B'", "insert b1 -> [1, 0]", "did"])
    #expect(controller.shown == ["A: a1, a2", "B: b1", "C: c1"])
  }

  @Test("a section's last row is deleted before the section is")
  func deletedSection() throws {
    let (controller, delegate) = try tracked()

    shelf.context.delete(a2)
    shelf.context.delete(a1)
    #expect(
      delegate.received() == [
        "will", "delete a1 [0, 0]", "delete a2 [0, 1]", "delete section 0 'A'", "did",
      ])
    #expect(controller.shown == ["C: c1"])
  }

  @Test("a change of section is a move, even with equal paths")
  func moveToNewSection() throws {
    let (controller, delegate) = try tracked()

    a1["publisher"] = "0"
    #expect(
      delegate.received() == ["will", "insert section 0 '0'", "move a1 [0, 0] -> [0, 0]", "did"])
    #expect(controller.shown == ["0: a1", "A: a2", "C: c1"])
  }

  @Test("the last row of a section moves, and its section is deleted")
  func moveOutOfLastRow() throws {
    let (controller, delegate) = try tracked()

    c1["publisher"] = "A"
    #expect(
      delegate.received() == ["will", "delete section 1 'C'", "move c1 [1, 0] -> [0, 1]", "did"])
    #expect(controller.shown == ["A: a1, c1, a2"])
  }

  @Test("the only row of a section that takes a new name: one section goes, one comes")
  func renamedSection() throws {
    let (controller, delegate) = try tracked()

    c1["publisher"] = "D"
    #expect(
      delegate.received() == [
        "will", "delete section 1 'C'", "insert section 1 'D'", "move c1 [1, 0] -> [1, 0]", "did",
      ])
    #expect(controller.shown == ["A: a1, a2", "D: c1"])
  }

  @Test("a section emptied and filled again in one batch is neither deleted nor inserted")
  func refilledSection() throws {
    let (controller, delegate) = try tracked()

    shelf.context.delete(c1)
    shelf.insert("c2", "C", pages: 9)
    #expect(delegate.received() == ["will", "delete c1 [1, 0]", "insert c2 -> [1, 0]", "did"])
    #expect(controller.shown == ["A: a1, a2", "C: c2"])
  }

  @Test("two sections that exchange all of their rows stay")
  func exchangedRows() throws {
    let (controller, delegate) = try tracked()

    a1["publisher"] = "C"
    a2["publisher"] = "C"
    c1["publisher"] = "A"
    #expect(
      delegate.received() == [
        "will", "move a1 [0, 0] -> [1, 0]", "move a2 [0, 1] -> [1, 1]", "move c1 [1, 0] -> [0, 0]",
        "did",
      ])
    #expect(controller.shown == ["A: c1", "C: a1, a2"])
  }

  @Test("every row deleted: every section goes")
  func everythingDeleted() throws {
    let (controller, delegate) = try tracked()

    for object in [c1, a1, a2] { shelf.context.delete(object) }
    #expect(
      delegate.received() == [
        "will", "delete a1 [0, 0]", "delete a2 [0, 1]", "delete c1 [1, 0]",
        "delete section 0 'A'", "delete section 1 'C'", "did",
      ])
    #expect(controller.shown == [])
  }

  @Test("without a section key path the one section stays at 0 rows")
  func oneSectionStays() throws {
    let (controller, delegate) = try shelf.tracked(sort: "title")

    for object in [a1, a2, c1] { shelf.context.delete(object) }
    #expect(
      delegate.received() == [
        "will", "delete a1 [0, 0]", "delete a2 [0, 1]", "delete c1 [0, 2]", "did",
      ])
    #expect(controller.shown == [": "])
  }
}
