import Basics
import FetchedResults
import LogReplay

/// Random callbacks of one batch, with titles that are made of the words and signs of logs.
struct RandomCallbacks {
  /// A callback with the text that an app shows for its object or section.
  struct Callback {
    let change: LogBatch.Callback.Change
    let title: String
  }

  private(set) var callbacks: [Callback] = []

  init(_ random: inout SeededGenerator) {
    for number in 0..<random.number(1...4) {
      callbacks.append(Self.callback(number, &random))
    }
  }

  private static func callback(_ number: Int, _ random: inout SeededGenerator) -> Callback {
    let title = title(&random)
    guard !random.chance(4) else {
      let type: FetchedResultsChangeType = random.chance(2) ? .insert : .delete
      let section = SectionChange(type: type, index: random.number(0...30), name: title)
      return Callback(change: .section(section), title: title)
    }
    let type =
      random.one(of: [FetchedResultsChangeType.insert, .delete, .move, .update]) ?? .insert
    let old = path(&random)
    let new = path(&random)
    let change = LogReplay.ObjectChange(
      type: type, object: "Book/p\(number + 1)", old: type == .insert ? nil : old,
      new: type == .delete ? nil : new)
    return Callback(change: .object(change), title: title)
  }

  private static func path(_ random: inout SeededGenerator) -> ResultsIndexPath {
    ResultsIndexPath(section: random.number(0...12), row: random.number(0...300))
  }

  /// A title without line ends, and without blanks at its ends.
  private static func title(_ random: inout SeededGenerator) -> String {
    // No piece begins or ends with a blank.
    let parts = (0..<random.number(1...6)).map { _ in random.one(of: pieces) ?? "" }
    return parts.joined(separator: random.chance(2) ? " " : "")
  }

  /// The grammar's own words and signs, and text in which a reader may see them.
  private static let pieces = [
    "insert", "Delete", "moved", "update:", "Insertion", "removed", "didChange", "didChangeObject",
    "controllerWillChangeContent", "controllerDidChangeContent:", "didChangeSection delete 1",
    "Exception", "Invalid update:", "must be equal to", "Serious application error",
    "NSInternalInconsistencyException", "NSRangeException: index 3 beyond bounds [0 .. 2]",
    "attempt to delete row 3 from section 0 which only contains 3 rows before the update",
    "*** Terminating app due to uncaught exception 'X', reason: 'y'", "Fatal error: x",
    "indexPath:", "newIndexPath =", "type: 3", "for: delete", "at", "->", "=>", "→", "<-", "nil",
    "(null)", "[1, 2]", "(0, 3)", "{length = 2, path = 0 - 3}", "path = 4 - 5", "section 1",
    "row 2", "[section: 1, row: 2]", "<NSIndexPath: 0x6000> {length = 2, path = 7 - 8}",
    "NSFetchedResultsChangeMove", "rawValue: 2", ".insert", "Book/9", "x-coredata://S/Book/p9",
    "<Book: 0x600>", "{", "}", "(", ")", "[", "]", "<", ">", "\"", "'", "“", "”", "«", "»", "\\",
    "\\\"", "don't", "5'10\"", ";", ",", "=", ":", "|", "-", "#1", "0x1234", "12:34", "2026-01-02",
    "{\"event\":\"willChangeContent\"}", "🔵", "👩‍👩‍👧", "é", "第 0 節 第 3 行", "[段: 0, 行: 3]",
    "[Abschnitt: 0, Zeile: 3]", "раздел 1 строка 2", "ligne 3", "セクション", "قسم", "削除 [0, 1]",
    "100 %", "books willChangeContent", "sections: [1, 2]", "0   App   0x1234567 main + 1",
    "DEBUG:", "[main]", "with userInfo (null)", "data: { title = insert; }", "Optional(", "nothing",
  ]
}
