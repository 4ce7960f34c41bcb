import PseudoTerminal
import Testing

/// What the prompt shows of statements that take long.
@Suite struct PromptProgressTests {
  @Test("a long statement shows how far it is and how long it takes, and Ctrl-C leaves nothing")
  func progress() throws {
    let session = try TerminalSession()
    try session.enter("entity Book { title: String }")

    try session.terminal.type(
      "for i in 1...20000000 { insert Book(title: \"A\") }" + Key.enter)
    try session.terminal.wait(for: "the progress") {
      $0.screen.rows.last?.hasPrefix("for, ") == true
        && $0.screen.rows.last?.contains(" of 20,000,000, ") == true
        && $0.screen.rows.last?.hasSuffix(" left; Ctrl-C stops it") == true
    }
    try session.terminal.type(Key.control("C"))
    try session.waitForPrompt()

    let rows = session.terminal.screen.rows.suffix(2)
    #expect(
      rows.first?.wholeMatch(
        of: /# interrupted; the session is as before, without [0-9,]+ insertions/) != nil)
    #expect(rows.last == "frc>")
    #expect(try session.answer(to: "count Book") == ["0"])
  }
}
