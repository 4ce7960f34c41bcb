import Glibc
import PseudoTerminal
import Testing

/// What the prompt shows of statements that take long.
@Suite struct PromptProgressTests {
  @Test("a long statement shows how far it is and how long it takes, and Ctrl-C leaves nothing")
  func progress() throws {
    let session = try TerminalSession(entering: ["entity Book { title: String }"])

    try session.terminal.type(
      "for i in 1...20000000 { insert Book(title: \"A\") }" + Key.enter)
    try session.terminal.wait(for: "the progress") {
      $0.screen.rows.last?.hasPrefix("for, ") == true
        && $0.screen.rows.last?.contains(" of 20,000,000, ") == true
        && $0.screen.rows.last?.hasSuffix(" left; Ctrl-C stops it") == true
    }
    try session.type(Key.control("C"), untilPrompt: "frc> ")

    let rows = session.terminal.screen.rows.suffix(2)
    #expect(
      rows.first?.wholeMatch(
        of: /# interrupted; the session is as before, without [0-9,]+ insertions/) != nil)
    #expect(rows.last == "frc>")
    // It says so before it undoes them.
    let output = String(decoding: session.terminal.output, as: UTF8.self)
    #expect(output.contains(/interrupted; undoing [0-9,]+ insertions …/))
    #expect(try session.answer(to: "count Book") == ["0"])
  }

  @Test(
    "a second Ctrl-C within a second ends the prompt",
    arguments: [
      // The first one stops a loop at once. Going back cannot be stopped.
      (["entity Book { title: String }"], "repeat 9223372036854775807 { let a = 1 }"),
      (["entity Book { title: String }", "insert 200000 Book(title: \"A\")"], "rollback"),
    ])
  func secondInterrupt(before: [String], statement: String) throws {
    let home = try TemporaryHome()
    let session = try TerminalSession(
      arguments: ["--store", home.path + "/books.sqlite"], home: home)
    try session.enterEach(before)

    try session.terminal.type(statement + Key.enter)
    try session.terminal.wait(for: "the statement") { !$0.isRaw }
    try session.terminal.type(Key.control("C"))
    // Of two signals that come before the program runs again, the system makes one.
    try session.terminal.wait(for: "an answer to the first one") {
      $0.isRaw || $0.screen.cursorRow.contains("…")
    }
    #expect(try session.terminal.exit(afterTyping: Key.control("C")) == .code(130))
    #expect(!session.terminal.isRaw)
    #expect(
      session.terminal.screen.rows.last == "# ended by a second Ctrl-C; what was not saved is lost")
  }

  @Test("Ctrl-C says at once that a turn which can no longer be undone ends first")
  func unstoppable() throws {
    for pause: UInt32 in [0, 20, 50, 100, 200] {
      let output = try outputOfRefresh(stoppedAfter: pause)
      if output.contains("stopping after this turn, which can no longer be undone …") { return }
      // Just after the statement began, it can still be undone.
      #expect(output.contains("# interrupted; what it did before stays"))
    }
    Issue.record("no turn ended first")
  }

  /// Types Ctrl-C some milliseconds after a statement that refreshes 100,000 objects began.
  private func outputOfRefresh(stoppedAfter pause: UInt32) throws -> String {
    let home = try TemporaryHome()
    let session = try TerminalSession(
      arguments: ["--store", home.path + "/books.sqlite"], home: home)
    try session.enterEach([
      "entity Book { title: String }", "insert 100000 Book(title: \"A\")", "save",
    ])

    try session.terminal.type("refresh all" + Key.enter)
    try session.terminal.wait(for: "the statement") { !$0.isRaw }
    usleep(pause * 1000)
    try session.type(Key.control("C"), untilPrompt: "frc> ")
    return String(decoding: session.terminal.output, as: UTF8.self)
  }

  @Test("a second Ctrl-C after more than a second only drops the entry")
  func laterInterrupt() throws {
    let session = try TerminalSession()

    try session.terminal.type("repeat 9223372036854775807 { let a = 1 }" + Key.enter)
    try session.terminal.wait(for: "the progress") {
      !$0.isRaw && $0.screen.rows.last?.hasSuffix("; Ctrl-C stops it") == true
    }
    try session.type(Key.control("C"), untilPrompt: "frc> ")
    // It has changed nothing that could be counted.
    let output = String(decoding: session.terminal.output, as: UTF8.self)
    #expect(output.contains(/interrupted; undoing 'repeat' at [0-9,]+ of [0-9,]+ …/))
    usleep(1_100_000)
    for _ in 0..<2 {
      try session.terminal.type("print")
      try session.terminal.wait(for: "the entry") { $0.screen.cursorRow == "frc> print" }
      try session.type(Key.control("C"), untilPrompt: "frc> ")
    }

    #expect(try session.answer(to: "print 1 + 1") == ["2"])
  }
}
