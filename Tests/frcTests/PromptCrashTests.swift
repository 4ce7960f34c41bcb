import PseudoTerminal
import Testing

/// Crash texts that are pasted at the prompt.
@Suite struct PromptCrashTests {
  private static let sentence =
    "attempt to delete row 1 from section 0 which only contains 1 rows before the update"

  private static let text = """
    2026-01-02 10:00:00.1 App[1:2] *** Terminating app due to uncaught exception \
    'NSInternalInconsistencyException', reason: '\(sentence)'
    *** First throw call stack:
    (
    \t0   CoreFoundation                      0x000000010586ad4b __exceptionPreprocess + 171
    \t1   UIKitCore                           0x0000000185b63d38 -[UITableView _endCellAnimations] + 1
    )
    libc++abi: terminating with uncaught exception of type NSException
    """

  @Test("a pasted crash text is answered, and its script can be tried")
  func paste() throws {
    let session = try TerminalSession(columns: 150, rows: 60)

    try session.terminal.type(Key.paste(Self.text), showing: "of type NSException")
    try session.terminal.type(Key.enter, showing: "#   show results")
    try session.waitForPrompt()

    let text = session.terminal.screen.text
    #expect(text.contains("# UITableView raised: \(Self.sentence)"))
    #expect(text.contains("(A table follows)"))
    #expect(text.contains("# This script does it again; :try runs it:"))
    #expect(!text.contains("error:"))

    try session.enter(":try")
    #expect(session.terminal.screen.text.contains("view deleteRows [0, 1]"))
  }

  @Test("a crash text that comes line by line is answered once")
  func lines() throws {
    let session = try TerminalSession(columns: 150, rows: 80)

    try session.terminal.type(
      Self.text.replacing("\n(", with: "\n\n(").split(
        separator: "\n", omittingEmptySubsequences: false
      ).map { $0 + Key.enter }.joined())
    try session.terminal.wait(forText: "of type NSException")
    try session.waitForPrompt()

    let text = session.terminal.screen.text
    #expect(text.split(separator: "# UITableView raised").count == 2, "\(text)")
    #expect(!text.contains("error:"), "\(text)")
  }

  @Test("a crash text after another one and a statement is answered too")
  func second() throws {
    let session = try TerminalSession(columns: 150, rows: 120)
    try session.enter("no object at index 3 in section at index 0")
    try session.enter("print 12345")

    try session.enter(Self.sentence)

    let text = session.terminal.screen.text
    #expect(text.split(separator: "This script does it again").count == 3, "\(text)")
  }

  @Test("after a crash text without a script, :try runs no other one")
  func withoutScript() throws {
    let session = try TerminalSession(columns: 150, rows: 60)

    try session.enter(
      "request for number of items in section 0 when there are only 0 sections in the collection view"
    )
    try session.enter(":try")

    let text = session.terminal.screen.text
    #expect(text.contains("frc has no script for this text"), "\(text)")
    #expect(!text.contains("frc> entity"), "\(text)")
  }

  @Test("a wrong statement after a crash text keeps its error")
  func mistake() throws {
    let session = try TerminalSession(columns: 150, entering: [Self.sentence])
    #expect(try session.answer(to: "insret Book").contains { $0.contains("error:") })
  }

  @Test(":help finds crash texts")
  func help() throws {
    let session = try TerminalSession(columns: 150)

    let topic = try session.answer(to: ":help crash")
    #expect(topic.first?.hasPrefix("Paste a crash text") == true)
    #expect(try session.answer(to: ":help 'invalid number of rows'") == topic)
    #expect(
      try session.answer(to: ":help \(Self.sentence)").first
        == "# UITableView raised: \(Self.sentence)")
  }
}
