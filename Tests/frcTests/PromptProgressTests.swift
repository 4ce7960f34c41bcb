import Foundation
import PseudoTerminal
import Testing

/// What the prompt shows of statements that take long, and what it keeps of them.
@Suite struct PromptProgressTests {
  @Test("a statement over a second shows how far it is, and Ctrl-C leaves nothing of that")
  func progress() throws {
    let session = try TerminalSession()
    try session.enter("entity Book { title: String }")

    try session.terminal.type(
      "for i in 1...1000000000 { insert Book(title: \"A\") }" + Key.enter)
    try session.terminal.wait(for: "the progress") {
      $0.screen.rows.last?.hasPrefix("for, ") == true
        && $0.screen.rows.last?.hasSuffix("; Ctrl-C stops it") == true
    }
    try session.terminal.type(Key.control("C"))
    try session.waitForPrompt()

    #expect(
      session.terminal.screen.rows.suffix(2) == ["# interrupted; the session is as before", "frc>"])
    #expect(try session.answer(to: "count Book") == ["0"])
  }

  @Test("the output of long lists is not kept, however often they are shown")
  func memory() throws {
    let session = try TerminalSession()
    try session.enterEach([
      "entity Book { title: String }", "insert 50000 Book(title: \"A title of a book \\(i)\")",
      "controller books = Book sort by title", "fetch books", "show books", "show books",
    ])

    let before = try residentKilobytes(of: session.terminal.process)
    for _ in 0..<8 { try session.enter("show books") }
    let after = try residentKilobytes(of: session.terminal.process)
    #expect(after - before < 8_000, "\(after - before) kB more")
  }

  private func residentKilobytes(of process: Int32) throws -> Int {
    let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
    return Int(line.filter(\.isNumber)) ?? 0
  }
}
