import PseudoTerminal
import Testing

@Suite struct PromptSteppingTests {
  private static let statements = [
    "entity Book { title: String }", "controller books = Book sort by title", "fetch books",
    "table view = books",
  ]
  private static let stepping = "perform stepping { insert Book(title: \"Dune\") }"

  /// Starts a turn and waits until its first step is shown.
  private func session() throws -> TerminalSession {
    let session = try TerminalSession()
    try session.enterEach(Self.statements)
    try session.terminal.type(Self.stepping + Key.enter)
    try session.terminal.wait(
      forText: "# step 1: any key for the next callback, q for all the rest")
    return session
  }

  @Test("one key a step")
  func keys() throws {
    let session = try session()
    #expect(session.terminal.screen.text.contains("books willChangeContent"))
    #expect(!session.terminal.screen.text.contains("didChange object"))

    try session.terminal.type(" ")
    try session.terminal.wait(forText: "# step 2")
    #expect(session.terminal.screen.text.contains("didChange object insert Book/1"))
    #expect(!session.terminal.screen.text.contains("books didChangeContent"))

    try session.terminal.type("x")
    try session.waitForPrompt()
    #expect(session.terminal.screen.text.contains("books didChangeContent"))
    #expect(!session.terminal.screen.text.contains("# step"))
  }

  @Test("q runs the rest")
  func rest() throws {
    let session = try session()

    try session.terminal.type("q")
    try session.waitForPrompt()

    #expect(session.terminal.screen.text.contains("│ +  [0, 0] Book/1 \"Dune\""))
  }

  @Test("Ctrl-C ends the waiting, and the turn is whole")
  func interrupted() throws {
    let session = try session()

    try session.terminal.type(Key.control("C"))
    try session.waitForPrompt()
    try session.enter("count Book")

    #expect(session.rows(below: "frc> count Book") == ["1"])
  }
}
