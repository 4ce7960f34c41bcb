import Basics
import LogReplay
import RandomLaws
import Testing

/// Logs that are hostile in size or shape.
///
/// Each would take minutes if the time grew with the square of the size.
@Suite("Hostile logs", .timeLimit(.minutes(1)))
struct HostileLogTests {
  private func diagnose(_ text: String) {
    guard let log = try? LogReader.read(Array(text.utf8), named: "log") else { return }
    let diagnosis = Diagnosis(log)
    #expect(!diagnosis.lines.isEmpty)
    _ = try? ReproducingScript(diagnosis)
  }

  private func lines(_ count: Int, _ line: (Int) -> String) -> String {
    (0..<count).map { line($0) + "\n" }.joined()
  }

  @Test("Nested batches")
  func nested() {
    diagnose(lines(20_000) { _ in "books willChangeContent" })
    diagnose(
      lines(5_000) { _ in "books willChangeContent" }
        + lines(5_000) { _ in "books didChangeContent" }
        + #"{"event":"returned","controller":"books"}"# + "\n"
        + lines(5_000) { _ in "books willChangeContent" })
  }

  @Test("Sections and objects in one batch")
  func sections() {
    diagnose(
      "books willChangeContent\n"
        + lines(4_000) { "books didChange section insert \($0) \"\($0)\"" }
        + lines(4_000) { "books didChange object insert Book/\($0) -> [0, \($0)]" }
        + "books didChangeContent\n"
        + "attempt to delete row 3 from section 0 which only contains 3 rows before the update\n")
  }

  @Test("Operations that do not carry out the callbacks")
  func operations() {
    diagnose(
      "books willChangeContent\nbooks beginUpdates\n"
        + lines(3_000) { "books didChange object move Book/\($0) [0, \($0)] -> [1, \($0)]" }
        + lines(3_000) { _ in "books reloadRows [0, 0]" }
        + "books didChangeContent\nbooks endUpdates\n")
  }

  @Test("Many controllers, exceptions and lines that are not understood")
  func many() {
    diagnose(lines(4_000) { "c\($0) willChangeContent\nview insertRows [0, 0]" })
    diagnose(lines(4_000) { "[C\($0)] controllerWillChangeContent\n[C\($0)] insert [0, 0]" })
    diagnose(
      "controllerWillChangeContent\n"
        + lines(2_000) { "Invalid update: invalid number of rows in section \($0)\n[0, \($0)]" })
    diagnose(
      lines(500) { _ in
        "books willChangeContent\nbooks didChange object insert A/1 -> [0, 0]\nbooks didChangeContent\n"
          + "attempt to delete row 3 from section 9999 which only contains 3 rows before the update"
      })
  }

  @Test(
    "Long lines",
    arguments: [
      "controllerWillChangeContent ", "insert [", "<a ", "'a ", "\"\\", "{(", "[0, 3] ",
      "Exception: ",
      "Invalid update: ", "path = ", "0x", "(entity: ", "didChange: ",
      "Terminating app due to uncaught exception 'a', reason: '",
    ])
  func longLines(_ piece: String) {
    let line = String(repeating: piece, count: 60_000 / piece.count)
    diagnose(line + "\nbooks willChangeContent\n")
    diagnose("controllerWillChangeContent\n" + lines(20) { _ in line.prefix(8_000).description })
  }

  @Test("Random lines of the grammar's own words")
  func random() {
    let pieces = [
      "controllerWillChangeContent", "controllerDidChangeContent", "didChange:", "insert", "delete",
      "move", "[0, 1]", "[999999999, 999999999]", "->", "\n", "\n", "\n", " ", "section", "9",
      "Fatal Exception: X", "reason: '", "'", "{", "}", "\"", "<", ">", "0x1 0x2", "Updates = [",
      "Invalid batch updates detected", "before updates = { 1 section with row counts: [3] }",
      "after updates = { 9 sections with row counts: [999999999] }", "books insertRows [7, 7]",
      "books beginUpdates", "sections: [3, 2]", "\r", "\u{1B}[3", "=", ":", "type: 3", "nil",
    ]
    for seed in LawSeeds(seconds: 0.3, atLeast: 20) {
      var random = SeededGenerator(seed: seed)
      diagnose(
        (0..<random.number(1...60)).map { _ in random.one(of: pieces) ?? "" }.joined(separator: " ")
      )
    }
  }
}
