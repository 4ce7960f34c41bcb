import PseudoTerminal
import Testing

@Suite struct PromptSteppingTests {
  private static let statements = [
    "entity Book { title: String }", "controller books = Book sort by title", "fetch books",
    "table view = books",
  ]
  private static let stepping = "perform stepping { insert Book(title: \"Dune\") }"

  /// Starts a turn and waits until its first step is shown.
  private func session(columns: Int = 80) throws -> TerminalSession {
    let session = try TerminalSession(columns: columns, entering: Self.statements)
    try session.terminal.type(Self.stepping + Key.enter)
    try session.terminal.wait(for: "the question") {
      $0.screen.rows.suffix(3).joined()
        .hasSuffix("# step 1: any key for the next callback, q for the rest")
    }
    return session
  }

  @Test("one key a step", arguments: [80, 40])
  func keys(_ columns: Int) throws {
    let session = try session(columns: columns)
    #expect(session.terminal.screen.text.contains("books willChangeContent"))
    #expect(!session.terminal.screen.text.contains("didChange object"))

    try session.terminal.type(" ", showing: "# step 2")
    #expect(session.terminal.screen.text.contains("didChange object insert Book/1"))
    #expect(!session.terminal.screen.text.contains("books didChangeContent"))

    try session.type("x", untilPrompt: "frc> ")
    #expect(session.terminal.screen.text.contains("books didChangeContent"))
    #expect(!session.terminal.screen.text.contains("# step"))
    #expect(!session.terminal.screen.text.contains("rest"))
  }

  @Test("q runs the rest")
  func rest() throws {
    let session = try session()

    try session.type("q", untilPrompt: "frc> ")

    #expect(session.terminal.screen.text.contains("│ +  [0, 0] Book/1 \"Dune\""))
  }

  @Test("Ctrl-C ends the waiting, and takes the turn back")
  func interrupted() throws {
    let session = try session()

    try session.type(Key.control("C"), untilPrompt: "frc> ")
    #expect(!session.terminal.screen.text.contains("books didChangeContent"))
    try session.enter("count Book")

    #expect(session.rows(below: "frc> count Book") == ["0"])
  }

  @Test("Ctrl-Z gives the terminal back as it was, and fg asks again")
  func stopped() throws {
    let home = try TemporaryHome()
    try home.makeHistory()
    let program = PseudoTerminal.builtProgram("frc")
    // A shell that does not change the terminal.
    let terminal = try PseudoTerminal(
      "/bin/sh",
      arguments: [
        "-c", "set -m; \(program); echo; stty -a | grep -o -E -e '-?(icanon|echo)\\b'; read x; fg",
      ],
      environment: ["HOME": home.path])
    for statement in Self.statements + [Self.stepping] {
      try terminal.wait(forPrompt: "frc> ")
      try terminal.type(statement + Key.enter)
    }
    try terminal.wait(forText: "# step 1")

    try terminal.type(Key.control("Z"))
    try terminal.wait(for: "the terminal's mode") {
      $0.screen.rows.suffix(2).elementsEqual(["icanon", "echo"])
    }
    try terminal.type(Key.enter)
    try terminal.wait(for: "the question again") {
      $0.screen.cursorRow.hasPrefix("# step 1") && $0.isRaw
    }
    try terminal.type(" ", showing: "# step 2")
    try terminal.type("q", untilPrompt: "frc> ")

    #expect(terminal.screen.text.contains("books didChangeContent"))
  }
}
