import FetchedResults
import Testing

@Suite("which of several changed rows move")
struct MinimalMovesTests {
  let shelf: Shelf
  let books: [ManagedObject]

  init() throws {
    let shelf = try Shelf()
    self.shelf = shelf
    books = (0..<5).map { shelf.insert("\($0)", pages: .int(Int64($0 * 10))) }
  }

  /// Gives the books with these titles new keys, and returns the callbacks.
  private func received(_ keys: [Int: Int64]) throws -> [String] {
    let (_, delegate) = try shelf.tracked(sort: "pages")
    for (index, key) in keys.sorted(by: { $0.key < $1.key }) { books[index]["pages"] = .int(key) }
    shelf.context.processPendingChanges()
    return Array(delegate.history.dropFirst().dropLast())
  }

  @Test("two rows that swap: the earlier stays as an update, the later moves")
  func swap() throws {
    #expect(
      try received([0: 10, 1: 0]) == ["update 0 [0, 0] -> [0, 1]", "move 1 [0, 1] -> [0, 0]"])
  }

  @Test("two changed rows that swap across an unchanged one both move")
  func swapAcrossUnchanged() throws {
    #expect(
      try received([0: 20, 2: 0]) == ["move 0 [0, 0] -> [0, 2]", "move 2 [0, 2] -> [0, 0]"])
  }

  @Test("of a rotation to the front only the last row moves")
  func rotation() throws {
    #expect(
      try received([0: 10, 1: 20, 2: 0]) == [
        "update 0 [0, 0] -> [0, 1]", "update 1 [0, 1] -> [0, 2]", "move 2 [0, 2] -> [0, 0]",
      ])
  }

  @Test("of a rotation to the back only the first row moves")
  func rotationBack() throws {
    #expect(
      try received([0: 20, 1: 0, 2: 10]) == [
        "move 0 [0, 0] -> [0, 2]", "update 1 [0, 1] -> [0, 0]", "update 2 [0, 2] -> [0, 1]",
      ])
  }

  @Test("a reversal keeps the first row")
  func reversal() throws {
    #expect(
      try received([0: 40, 1: 30, 2: 20, 3: 10, 4: 0]) == [
        "update 0 [0, 0] -> [0, 4]", "move 1 [0, 1] -> [0, 3]", "move 2 [0, 2] -> [0, 2]",
        "move 3 [0, 3] -> [0, 1]", "move 4 [0, 4] -> [0, 0]",
      ])
  }

  @Test("among kept sets of one size the first in dictionary order wins")
  func dictionaryOrder() throws {
    // The new order is 1 0 3 2 4. The kept rows may be {0,2,4}, {0,3,4}, {1,2,4} or {1,3,4}.
    #expect(
      try received([0: 10, 1: 0, 2: 30, 3: 20, 4: 40]) == [
        "update 0 [0, 0] -> [0, 1]", "move 1 [0, 1] -> [0, 0]", "update 2 [0, 2] -> [0, 3]",
        "move 3 [0, 3] -> [0, 2]", "update 4 [0, 4] -> [0, 4]",
      ])
  }

  @Test("a row passed by a changed one may move with its own keys as they were")
  func movesByRowsNotKeys() throws {
    // 1 and 2 are changed in place, and 0 moves after both. Keeping 1 and 2 keeps more rows.
    #expect(
      try received([0: 25, 1: 10, 2: 20]) == [
        "move 0 [0, 0] -> [0, 2]", "update 1 [0, 1] -> [0, 0]", "update 2 [0, 2] -> [0, 1]",
      ])
  }

  @Test("of two rows that pass each other the touched one may be the one that moves")
  func touchedRowMoves() throws {
    #expect(
      try received([0: 15, 1: 10]) == ["update 0 [0, 0] -> [0, 1]", "move 1 [0, 1] -> [0, 0]"])
  }

  @Test("equal keys order by object number")
  func equalKeys() throws {
    #expect(try received([4: 0]) == ["move 4 [0, 4] -> [0, 1]"])
  }
}
