import Foundation
import LogReplay
import RepositoryFiles
import ScriptWorlds
import Testing

/// Crash texts where a script was expected.
@Suite("Answers to crash texts")
struct CrashAnswerTests {
  @Test("A crash text gets three lines, a script and a lesson")
  func answer() throws {
    let answer = try #require(
      CrashAnswer(
        "attempt to delete row 3 from section 0 which only contains 3 rows before the update"))
    #expect(answer.lines.count == 3)
    #expect(answer.lines[0].hasPrefix("UITableView raised: attempt to delete row 3"))
    #expect(answer.lesson == CourseTitle.table)
    let world = try ScriptWorld(try #require(answer.script))
    #expect(world.lines.contains { $0.contains("attempt to delete row 3 from section 0") })
  }

  @Test(
    "A text of several lines and a log are answered",
    arguments: [
      "Fatal Exception: AppException\nsomething",
      "controllerWillChangeContent\ndidChange: insert [0, 1]\ncontrollerDidChangeContent",
    ])
  func texts(_ text: String) { #expect(CrashAnswer(text) != nil) }

  @Test(
    "A copied text is answered like one with plain quotation marks",
    arguments: [
      "reason: 'attempt to delete row 3 from section 0 which only contains 3 rows before the update'",
      "*** Terminating app due to uncaught exception 'NSFooException', reason: 'a foo\nis no bar'",
      "Thread 1: \"no section at index 3\"",
    ])
  func marks(_ text: String) throws {
    let answer = try #require(CrashAnswer(text))
    #expect(!answer.lines[0].contains { "'\"".contains($0) })
    var isOpen = false
    let curly = text.map { mark in
      guard mark == "'" || mark == "\"" else { return String(mark) }
      isOpen.toggle()
      return mark == "'" ? (isOpen ? "‘" : "’") : (isOpen ? "“" : "”")
    }
    let escaped = text.replacing("'", with: "&#39;").replacing("\"", with: "&quot;")
    for copy in [curly.joined(), escaped] { #expect(CrashAnswer(copy)?.lines == answer.lines) }
  }

  @Test(
    "Frames of a report in a table go on with it",
    arguments: ["9 | UIKitCore | -[UITableView endUpdates]", "0   App   0x1234567 main + 1", ")"])
  func frames(_ line: String) {
    let text =
      "Fatal Exception: NSRangeException\nindex 3 beyond bounds [0 .. 2]\n0 | Foundation | x"
    #expect(CrashAnswer.continues(text, with: line))
    #expect(!CrashAnswer.continues("index 3 beyond bounds [0 .. 2]", with: "insret Book"))
  }

  @Test(
    "Other text is not answered",
    arguments: [
      "", "inser Book(title: \"a\")", "insert [0, 3]", "runn script.frc", "what is an Exception?",
      "fetch books where title == \"Invalid update: x\"", "print \"NSRangeException: x\"",
      "section 1 inserted", "book.title = 3",
    ])
  func others(_ text: String) { #expect(CrashAnswer(text) == nil) }

  @Test("The lessons exist")
  func lessons() throws {
    let folder = RepositoryFiles.url("Examples/Lessons")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    let titles = try Set(
      files.filter { $0.hasSuffix(".frc") }.compactMap { name in
        let text = try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
        return text.split(separator: "\n").first?.split(separator: " ", maxSplits: 3).last
          .map(String.init)
      })
    #expect(Set(CourseTitle.all).isSubset(of: titles))
  }
}
