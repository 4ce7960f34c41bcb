import PseudoTerminal
import Testing

/// What the prompt shows of statements that take long.
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
}
