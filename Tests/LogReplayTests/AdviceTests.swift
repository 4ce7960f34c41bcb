import FetchedResults
import LogReplay
import ScriptWorlds
import TableViews
import Testing

/// What frc advises: it never leads to an exception.
///
/// The script of an exception runs as it is, and once more in an app that follows the advice.
@Suite("Advice")
struct AdviceTests {
  private static func lines(_ script: String) throws -> [String] {
    try ScriptWorld(script).lines.filter { $0.contains("Serious application error") }
  }

  private static func script(_ text: String) throws -> ReproducingScript {
    try ReproducingScript(Diagnosis(LogReader.read(Array(text.utf8), named: "log")))
  }

  private static func path(_ section: Int, _ row: Int) -> ResultsIndexPath {
    ResultsIndexPath(section: section, row: row)
  }

  private static func counts(
    _ before: Int, _ after: Int, _ inserted: Int, _ deleted: Int
  ) -> TableUpdateError.RowCounts {
    var counts = TableUpdateError.RowCounts(before: before, after: after)
    counts.inserted = inserted
    counts.deleted = deleted
    return counts
  }

  /// Exceptions of which each alone gives a script.
  private static let errors: [TableUpdateError] = [
    .numberOfRows(section: 0, counts(3, 4, 0, 0)), .numberOfRows(section: 0, counts(3, 2, 0, 0)),
    .numberOfRows(section: 0, counts(3, 3, 1, 0)), .numberOfRows(section: 0, counts(3, 3, 0, 1)),
    .numberOfRows(section: 1, counts(3, 5, 1, 1)), .numberOfRows(section: 1, counts(5, 3, 1, 1)),
    .numberOfSections(before: 1, after: 2, inserted: 0, deleted: 0),
    .numberOfSections(before: 2, after: 1, inserted: 0, deleted: 0),
    .numberOfSections(before: 1, after: 1, inserted: 1, deleted: 0),
    .deletedRowMissing(path(0, 3), rows: 3), .deletedRowMissing(path(0, 9), rows: 0),
    .deletedRowMissing(path(0, 7), rows: 3), .deletedRowMissing(path(1, 2), rows: 2),
    .insertedRowMissing(path(0, 2), rows: 2), .deletedSectionMissing(1, sections: 1),
    .insertedSectionMissing(1, sections: 1), .insertedRowWithoutSection(path(1, 0), sections: 1),
    .deletedRowWithoutSection(path(1, 0), sections: 1), .movedFromDeletedSection(0),
    .movedIntoInsertedSection(0), .movedFromDeletedSection(1), .movedIntoInsertedSection(1),
    .deletedAndReloaded(path(0, 1)), .deletedAndMoved(path(0, 1)), .insertedAndMoved(path(0, 1)),
  ]

  @Test(
    "The script of an exception raises it, and an app that follows the advice does not",
    arguments: errors)
  func exceptions(_ error: TableUpdateError) throws {
    let script = try Self.script("Fatal Exception: NSInternalInconsistencyException\n\(error)")
    #expect(try Self.lines(script.text).first?.contains("\(error)") == true, "\(script.text)")
    #expect(try Self.lines(script.mended).isEmpty, "\(script.mended)")
  }

  @Test(
    "An app that follows the advice about a log does not crash", arguments: PublicLogTests.names)
  func logs(_ name: String) throws {
    let log = try LogReader.read(PublicLogTests.bytes(of: name), named: name)
    guard let script = try? ReproducingScript(Diagnosis(log)) else { return }
    #expect(try Self.lines(script.mended).isEmpty, "\(script.mended)")
  }

  @Test("The operations of a collection view have its names")
  func items() throws {
    let text = """
      Invalid batch updates detected: the number of sections and/or items returned by the data \
      source before and/or after performing the batch updates are inconsistent with the updates. \
      Data source before updates = { 1 section with item counts: [4] } \
      Data source after updates = { 1 section with item counts: [5] } \
      Updates = [ Move item (0 - 1) to (0 - 2), Insert item (0 - 1), Insert item (0 - 3), \
      Delete item (0 - 0), Reload item (0 - 3) ]
      """
    let lines = try Diagnosis(LogReader.read(Array(text.utf8), named: "log")).lines
    let called = try #require(lines.first { $0.contains("The app called") })
    for name in ["moveItem", "insertItems", "deleteItems", "reloadItems"] {
      #expect(called.contains(name))
    }
    #expect(!called.contains("Row"))
  }

  /// A user comes online, so that a row goes from [0, 0] to [0, 0] in another section.
  private static func online(_ reactions: String, quirk: String = "") -> String {
    """
    entity User { name: String, avail: String }
    controller users = User sort by avail desc, name section by avail
    table view = users { \(reactions) }
    insert User(name: "u", avail: "offline")
    insert User(name: "v", avail: "offline")
    fetch users
    \(quirk)
    User/1.avail = "online"
    """
  }

  @Test("A move to the same index path must be carried out if the section changes")
  func samePath() throws {
    #expect(try !Self.lines(Self.online("move nothing")).isEmpty)
    for quirk in ["", "quirk updateAndMove on"] {
      // What is advised about an update and a move of one object.
      let advised = "update configureCellWithObject"
      #expect(try Self.lines(Self.online(advised, quirk: quirk)).isEmpty)
    }
    let text = "attempt to delete and reload the same index path (0 - 0)"
    let lines = try Diagnosis(LogReader.read(Array(text.utf8), named: "log")).lines
    #expect(
      lines.contains { $0.contains("Carry a move out even if both index paths are the same") })
    #expect(!lines.contains { $0.contains("Ignore a move") })
  }

  @Test(
    "Nothing is called too many that was not asked for",
    arguments: [
      (1, 0, 0, 0), (0, 0, 1, 0), (2, 1, 0, 0), (0, 0, 0, 3), (0, 2, 0, 1), (1, 1, 2, 0),
    ])
  func tooMany(_ inserted: Int, _ deleted: Int, _ movedIn: Int, _ movedOut: Int) throws {
    for after in 0...12 {
      var counts = Self.counts(6, after, inserted, deleted)
      counts.movedIn = movedIn
      counts.movedOut = movedOut
      let error = TableUpdateError.numberOfRows(section: 0, counts)
      let lines = try Diagnosis(LogReader.read(Array("\(error)".utf8), named: "log")).lines
      for (word, called) in [("insert", inserted), ("delete", deleted)] {
        let words = lines.joined(separator: " ").split(separator: " ").map(String.init)
        for (place, text) in words.enumerated() where text.hasPrefix(word) && place > 0 {
          guard words[(place + 1)...].prefix(3).joined(separator: " ").hasSuffix("too many."),
            let number = Int(words[place - 1])
          else { continue }
          #expect(number <= called, "\(error): \(lines)")
        }
      }
    }
  }
}
