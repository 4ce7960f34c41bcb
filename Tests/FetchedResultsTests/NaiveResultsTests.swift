import FetchedResults
import NaiveModel
import Testing

@Suite("the naive model, on examples worked out by hand")
struct NaiveResultsTests {
  /// Creates results from a text such as `A: 1 2`.
  private func results(_ sections: String..., isSectioned: Bool = true) -> NaiveResults {
    var rows: [NaiveResults.Row] = []
    for section in sections {
      let parts = section.split(separator: ":")
      for number in parts[1].split(separator: " ") {
        rows.append(NaiveResults.Row(number: Int64(number) ?? 0, section: String(parts[0])))
      }
    }
    return NaiveResults(rows: rows, isSectioned: isSectioned)
  }

  private func words(
    _ old: NaiveResults, _ new: NaiveResults, _ changed: Set<Int64>
  ) throws -> [String] {
    let callbacks = old.callbacks(new, changed: changed)
    #expect(try TableReplay.apply(callbacks, to: old.sections) == new.sections)
    return callbacks.map { callback in
      if case .object(_, let number, _, _) = callback { return callback.words("\(number)") }
      return callback.words("")
    }
  }

  @Test("a swap is one update and one move")
  func swap() throws {
    #expect(
      try words(results("A: 1 2"), results("A: 2 1"), [1, 2]) == [
        "will", "update 1 [0, 0] -> [0, 1]", "move 2 [0, 1] -> [0, 0]", "did",
      ])
  }

  @Test("of two sections that swap the later is replaced")
  func sections() throws {
    #expect(
      try words(results("A: 1", "B: 2 3"), results("B: 2 3", "A: 1"), [1]) == [
        "will", "delete 2 [1, 0]", "delete 3 [1, 1]", "delete section 1 'B'",
        "insert section 0 'B'", "insert 2 -> [0, 0]", "insert 3 -> [0, 1]",
        "update 1 [0, 0] -> [1, 0]", "did",
      ])
  }

  @Test("a row of a name that comes back belongs to the section of the name")
  func split() throws {
    let split = results("A: 1", "B: 2", "A: 3")
    #expect(split.outOfOrder == .init(index: 2, previousName: "B"))
    #expect(split.sections.map(\.name) == ["A", "B"])
    #expect(
      try words(results("A: 1", "B: 2"), split, [3]) == ["will", "insert 3 -> [0, 1]", "did"])
  }

  @Test("a section whose first row goes may pass another one")
  func firstRowGoes() throws {
    #expect(
      try words(results("A: 1", "B: 2", "A: 3"), results("B: 2", "A: 3"), [1]) == [
        "will", "delete 1 [0, 0]", "delete 2 [1, 0]", "delete section 1 'B'",
        "insert section 0 'B'", "insert 2 -> [0, 0]", "did",
      ])
  }

  @Test("a change of objects that are no rows is silent")
  func irrelevant() throws {
    #expect(try words(results("A: 1"), results("A: 1"), [7]) == [])
  }

  @Test("both ways of finding the kept set agree on every order of up to six things")
  func keptSets() {
    func orders(_ rest: [Int]) -> [[Int]] {
      guard !rest.isEmpty else { return [[]] }
      return rest.flatMap { first in orders(rest.filter { $0 != first }).map { [first] + $0 } }
    }
    for count in 0...6 {
      for order in orders(Array(0..<count)) {
        #expect(NaiveKeptSet.enumerated(order) == NaiveKeptSet.chained(order))
      }
    }
  }
}
