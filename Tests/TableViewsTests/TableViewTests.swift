import Basics
import FetchedResults
import TableViews
import Testing

@Suite("A table's batch updates")
struct TableViewTests {
  /// A data source with sections of words.
  final class Words: TableViewDataSource {
    var sections: [[String]]
    private(set) var asked: [String] = []

    init(_ sections: [[String]]) { self.sections = sections }

    func numberOfSections() -> Int { sections.count }
    func numberOfRows(inSection section: Int) -> Int { sections[section].count }
    func titleForHeader(inSection section: Int) -> String? { nil }
    func sectionIndexTitles() -> [String]? { nil }
    func cellForRow(at indexPath: ResultsIndexPath) -> String {
      let word = sections[indexPath.section][indexPath.row]
      asked.append(word)
      return word
    }

    func forgetAsked() { asked = [] }
  }

  private let source: Words
  private let table = TableView<String>()

  init() {
    source = Words([["a", "b", "c"], ["d"]])
    table.dataSource = source
    table.reloadData()
    source.forgetAsked()
  }

  private var shown: [[String]] { table.sections.map { $0.cells.map(\.content) } }

  private func path(_ section: Int, _ row: Int) -> ResultsIndexPath {
    ResultsIndexPath(section: section, row: row)
  }

  /// Performs operations as one batch.
  private func update(_ operations: [TableOperation]) throws(TableViewException) {
    table.beginUpdates()
    for operation in operations { table.record(operation) }
    try table.endUpdates()
  }

  /// Returns the exception that a batch raises; nil if there is none.
  private func raised(_ operations: TableOperation...) -> String? {
    do throws(TableViewException) {
      try update(operations)
      return nil
    } catch {
      #expect(error.name == "NSInternalInconsistencyException")
      return error.reason
    }
  }

  @Test("the order of the calls does not matter")
  func order() throws {
    let operations: [TableOperation] = [
      .insertRows(path(0, 0)), .deleteRows(path(0, 2)), .reloadRows(path(0, 1)),
      .moveRow(path(1, 0), to: path(0, 1)), .insertRows(path(1, 0)),
    ]
    for turn in operations.indices {
      source.sections = [["a", "b", "c"], ["d"]]
      table.reloadData()
      source.sections = [["new", "d2", "a", "b2"], ["e"]]

      try update(Array(operations[turn...] + operations[..<turn]))

      #expect(shown == [["new", "d", "a", "b2"], ["e"]])
    }
  }

  @Test("only what is new is asked for")
  func asked() throws {
    source.sections = [["a", "x", "c2"], ["d"]]

    try update([.deleteRows(path(0, 1)), .insertRows(path(0, 1)), .reloadRows(path(0, 2))])

    #expect(source.asked.sorted() == ["c2", "x"])
    #expect(table.sections[0].cells.map(\.mark) == [nil, .inserted, .updated])
    #expect(table.sections[0].deleted.map(\.content) == ["b"])
  }

  @Test("nested batches act as one")
  func nested() throws {
    source.sections = [["a", "c"], ["d", "e"]]
    table.beginUpdates()
    table.record(.deleteRows(path(0, 1)))
    table.beginUpdates()
    table.record(.insertRows(path(1, 1)))
    try table.endUpdates()
    #expect(shown == [["a", "b", "c"], ["d"]])

    try table.endUpdates()

    #expect(shown == [["a", "c"], ["d", "e"]])
  }

  @Test("a section that is deleted takes its rows along, one that is inserted brings them")
  func absorbed() throws {
    source.sections = [["d"], ["x", "y"]]

    try update([
      .deleteSections(0), .deleteRows(path(0, 0)), .insertSections(1), .insertRows(path(1, 1)),
    ])

    #expect(shown == [["d"], ["x", "y"]])
    #expect(table.deletedSections.map(\.nextSection) == [0])
    #expect(table.deletedSections[0].section.deleted.map(\.content) == ["a", "b", "c"])
  }

  @Test("a batch that raises leaves the table as it was, and the next is held against that")
  func broken() throws {
    source.sections = [["a", "b"], ["d"]]
    #expect(raised() != nil)
    #expect(shown == [["a", "b", "c"], ["d"]])
    #expect(table.isBroken)

    #expect(raised(.deleteRows(path(0, 2))) == nil)

    #expect(shown == [["a", "b"], ["d"]])
    table.reloadData()
    #expect(!table.isBroken)
  }

  @Test("rows that there are not, before or after")
  func missing() {
    #expect(
      raised(.moveRow(path(0, 0), to: path(0, 3)))
        == "attempt to move index path (0 - 0) to index path (0 - 3) that does not exist - there are "
        + "only 3 rows in section 0 after the update")
    #expect(
      raised(.moveRow(path(0, 0), to: path(2, 0)))
        == "attempt to move index path (0 - 0) to index path (2 - 0) that does not exist - there are "
        + "only 2 sections after the update")
    #expect(
      raised(.reloadRows(path(1, 1)))
        == "attempt to delete row 1 from section 1 which only contains 1 rows before the update")
  }

  @Test("two rows cannot move to one place")
  func movesToOnePlace() {
    #expect(
      raised(.moveRow(path(0, 0), to: path(1, 0)), .moveRow(path(0, 1), to: path(1, 0)))
        == "attempt to move both row at index path 0 - 0 and 0 - 1 to 1 - 0")
  }

  @Test("a section that stays is named by its index before the batch")
  func sectionOfTheCounts() {
    source.sections = [["d", "e"]]
    #expect(
      raised(.deleteSections(0))?.hasPrefix("Invalid update: invalid number of rows in section 1.")
        == true)
  }

  @Test("several batches of one turn keep what the first deleted")
  func marksOfATurn() throws {
    source.sections = [["a", "c"], ["d"]]
    try update([.deleteRows(path(0, 1))])
    source.sections = [["x", "a", "c"]]

    try update([.insertRows(path(0, 0)), .deleteSections(1)])

    #expect(table.sections[0].deleted.map(\.content) == ["b"])
    #expect(table.sections[0].deleted.map(\.nextRow) == [2])
    #expect(table.deletedSections.map(\.nextSection) == [1])
    table.forgetMarks()
    #expect(table.sections[0].deleted.isEmpty)
    #expect(table.deletedSections.isEmpty)
  }

  @Test("a long table follows small batches, and marks what they changed")
  func longTable() throws {
    var random = SeededGenerator(seed: 5)
    source.sections = [(0..<3000).map { "a\($0)" }, ["b"]]
    table.reloadData()
    for turn in 0..<400 {
      table.forgetMarks()
      var rows = source.sections[0]
      var operations: [TableOperation] = []
      let leaving = Set((0..<3).map { _ in Int.random(in: rows.indices, using: &random) })
      for row in leaving.sorted(by: >) {
        rows.remove(at: row)
        operations.append(.deleteRows(path(0, row)))
      }
      var entering: [Int] = []
      for number in 0..<Int.random(in: 0...5, using: &random) {
        let row = Int.random(in: (entering.last ?? -1) + 1...rows.count + number, using: &random)
        guard row <= rows.count else { break }
        rows.insert("n\(turn)-\(number)", at: row)
        entering.append(row)
        operations.append(.insertRows(path(0, row)))
      }
      source.sections[0] = rows
      try update(operations.shuffled(using: &random))
      #expect(shown == source.sections)
      let cells = table.sections[0].cells
      #expect(cells.indices.filter { cells[$0].mark != nil } == entering)
      let gone = table.sections[0].deleted
      #expect(gone.map(\.indexPath.row) == leaving.sorted())
    }
    #expect(table.numberOfRows == source.sections.joined().count)
  }

  @Test("deletes, inserts, moves and reloads in one small batch")
  func mixedBatch() throws {
    source.sections = [["x", "a", "c2", "d"], ["b"]]
    try update([
      .insertRows(path(0, 0)), .moveRow(path(1, 0), to: path(0, 3)),
      .moveRow(path(0, 1), to: path(1, 0)),
      .reloadRows(path(0, 2)),
    ])
    #expect(shown == [["x", "a", "c2", "d"], ["b"]])
    #expect(table.sections[0].cells.map(\.mark) == [.inserted, nil, .updated, .moved])
    #expect(table.sections[1].cells.map(\.mark) == [.moved])
  }
}
