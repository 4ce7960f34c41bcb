import FetchedResults
import Testing

@Suite("sections that change their order among themselves")
struct SectionReorderingTests {
  let shelf: Shelf

  init() throws { shelf = try Shelf() }

  @Test("the section that came earlier stays, the other is deleted and inserted")
  func swap() throws {
    let a = shelf.insert("a", "A", pages: 1)
    shelf.insert("b", "B", pages: 2)
    let (controller, delegate) = try shelf.tracked(sort: "pages", section: "publisher")

    a["pages"] = 3
    #expect(
      delegate.received() == [
        "will", "delete b [1, 0]", "delete section 1 'B'", "insert section 0 'B'",
        "insert b -> [0, 0]", "update a [0, 0] -> [1, 0]", "did",
      ])
    #expect(controller.shown == ["B: b", "A: a"])
  }

  @Test("most sections stay: the one that passed two others is replaced")
  func oneAgainstTwo() throws {
    let a = shelf.insert("a", "A", pages: 1)
    shelf.insert("b", "B", pages: 2)
    shelf.insert("c", "C", pages: 3)
    let (controller, delegate) = try shelf.tracked(sort: "pages", section: "publisher")

    a["pages"] = 4
    #expect(
      delegate.received() == [
        "will", "delete a [0, 0]", "delete section 0 'A'", "insert section 2 'A'",
        "insert a -> [2, 0]", "did",
      ])
    #expect(controller.shown == ["B: b", "C: c", "A: a"])
  }

  @Test("an unchanged row of a replaced section is a delete and an insert too")
  func unchangedRows() throws {
    let a = shelf.insert("a", "A", pages: 1)
    let b = shelf.insert("b1", "B", pages: 2)
    shelf.insert("b2", "B", pages: 3)
    let (controller, delegate) = try shelf.tracked(sort: "pages", section: "publisher")

    a["pages"] = 4
    b["title"] = "b1"
    #expect(
      delegate.received() == [
        "will", "delete b1 [1, 0]", "delete b2 [1, 1]", "delete section 1 'B'",
        "insert section 0 'B'", "insert b1 -> [0, 0]", "insert b2 -> [0, 1]",
        "update a [0, 0] -> [1, 0]", "did",
      ])
    #expect(controller.shown == ["B: b1, b2", "A: a"])
  }

  @Test("a row that enters a replaced section is a delete and an insert, not a move")
  func moveIntoReplaced() throws {
    let a = shelf.insert("a", "A", pages: 1)
    shelf.insert("b", "B", pages: 2)
    shelf.insert("c1", "C", pages: 3)
    let c2 = shelf.insert("c2", "C", pages: 4)
    let (controller, delegate) = try shelf.tracked(sort: "pages", section: "publisher")

    a["pages"] = 9
    c2["publisher"] = "A"
    #expect(
      delegate.received() == [
        "will", "delete a [0, 0]", "delete c2 [2, 1]", "delete section 0 'A'",
        "insert section 2 'A'", "insert c2 -> [2, 0]", "insert a -> [2, 1]", "did",
      ])
    #expect(controller.shown == ["B: b", "C: c1", "A: c2, a"])
  }
}
