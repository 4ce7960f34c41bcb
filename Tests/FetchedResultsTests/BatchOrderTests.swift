import FetchedResults
import NaiveModel
import Testing

@Suite("the order of callbacks in a batch")
struct BatchOrderTests {
  /// Returns a batch with every kind of change: A: a1 a2 a3, B: b1, C: c1 c2.
  private func everything() throws -> RecordingDelegate {
    let shelf = try Shelf()
    let a = (1...3).map { shelf.insert("a\($0)", "A", pages: .int($0)) }
    let b1 = shelf.insert("b1", "B", pages: 1)
    let c = (1...2).map { shelf.insert("c\($0)", "C", pages: .int($0)) }
    let (_, delegate) = try shelf.tracked(sort: "publisher", "pages", section: "publisher")
    // The changes are made in another order than they are reported.
    c[1]["title"] = "c2"
    shelf.insert("e1", "E", pages: 1)
    a[1]["publisher"] = "D"
    shelf.context.delete(c[0])
    shelf.context.delete(b1)
    shelf.insert("a0", "A", pages: 0)
    a[2]["pages"] = 3
    shelf.context.processPendingChanges()
    return delegate
  }

  @Test(
    "will, object deletes, section deletes, section inserts, object inserts, moves with updates, did"
  )
  func groups() throws {
    #expect(
      try everything().history == [
        "will",
        "delete b1 [1, 0]", "delete c1 [2, 0]",
        "delete section 1 'B'",
        "insert section 2 'D'", "insert section 3 'E'",
        "insert a0 -> [0, 0]", "insert e1 -> [3, 0]",
        "move a2 [0, 1] -> [2, 0]", "update a3 [0, 2] -> [0, 2]", "update c2 [2, 1] -> [1, 0]",
        "did",
      ])
  }

  @Test("within a group the order is ascending, whatever was touched first")
  func ascending() throws {
    let shelf = try Shelf()
    let books = (0..<4).map { shelf.insert("\($0)", pages: .int($0 * 10)) }
    let (_, delegate) = try shelf.tracked(sort: "pages")

    for index in [3, 1, 2, 0] { books[index]["title"] = .string("t\(index)") }
    for key in [35, 5, 25] { shelf.insert("n\(key)", pages: .int(Int64(key))) }
    #expect(
      delegate.received() == [
        "will", "insert n5 -> [0, 1]", "insert n25 -> [0, 4]", "insert n35 -> [0, 6]",
        "update t0 [0, 0] -> [0, 0]", "update t1 [0, 1] -> [0, 2]", "update t2 [0, 2] -> [0, 3]",
        "update t3 [0, 3] -> [0, 5]", "did",
      ])
  }

  @Test("many rows whose texts begin alike find their places together", arguments: [10, 255, 600])
  func manyRows(count: Int) throws {
    let shelf = try Shelf()
    // Short and long texts, numbers, and rows that only their number places.
    func insert(_ number: Int) {
      shelf.insert(
        "A title that begins alike \(number * 7919 % 251)",
        number.isMultiple(of: 17) ? .null : .string("Publisher \(number % 7)"),
        pages: .int(Int64(number % 3)))
    }
    for number in 0..<700 { insert(number) }
    let keys = ["publisher", "title", "pages"]
    let (controller, delegate) = try shelf.tracked(
      sort: keys[0], keys[1], keys[2], section: keys[0])

    for number in 0..<count { insert(number + 350) }
    shelf.context.processPendingChanges()

    // "will", the rows and "did".
    #expect(delegate.history.count == count + 2)
    let fetched = try shelf.context.fetch(shelf.request(sort: keys)).map(\.objectID.number)
    #expect(try #require(controller.fetchedObjects).map(\.objectID.number) == fetched)
  }
}
