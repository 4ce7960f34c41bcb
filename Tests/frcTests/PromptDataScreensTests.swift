import PseudoTerminal
import Testing

/// Whole screens of completions from the data, and of the prompt's editor.
@Suite struct PromptDataScreensTests {
  private func library(
    _ environment: [String: String?] = [:], home: TemporaryHome? = nil, columns: Int = 80
  ) throws -> TerminalSession {
    let session = try TerminalSession(home: home, environment: environment, columns: columns)
    try session.enterEach([
      "entity Book { title: String, genre: String? }",
      "insert 3 Book(title: \"Dune \\(i)\", genre: \"SF\")",
      "insert Book(title: \"日本の本\", genre: \"小説\")",
      "insert Book(title: \"Cafe\u{301}\", genre: \"Cafe\u{301}\")",
    ])
    try session.terminal.type(Key.control("L"), showing: ["frc>"])
    return session
  }

  @Test("values of the data are listed with their counts, wide and combining ones among them")
  func values() throws {
    let session = try library()

    try session.terminal.type("fetch Book where genre == \"" + Key.tab)
    try session.terminal.wait(forRows: [
      "frc> fetch Book where genre == \"", "  SF\"    (3)", "  Cafe\u{301}\"  (1)",
      "  小説\"  (1)",
    ])
    try session.terminal.type(Key.tab + Key.tab + Key.tab)
    try session.terminal.wait(forRows: [
      "frc> fetch Book where genre == \"小説\"", "  SF\"    (3)", "  Cafe\u{301}\"  (1)",
      "> 小説\"  (1)",
    ])
    #expect(session.terminal.screen.cursor == (row: 0, column: 37))
    try session.type(Key.enter + Key.enter, untilPrompt: "frc> ")
    #expect(session.rows(below: "frc> fetch").contains { $0.contains("日本の本") })
  }

  @Test("objects are listed by what they are shown as, in a narrow window too")
  func objects() throws {
    let session = try library(columns: 24)

    try session.terminal.type("delete Book/" + Key.tab)
    try session.terminal.wait(forRows: [
      "frc> delete Book/", "  1  \"Dune 1\"", "  2  \"Dune 2\"", "  3  \"Dune 3\"",
      "  4  \"日本の本\"", "  5  \"Cafe\u{301}\"",
    ])
    try session.terminal.type("caf" + Key.tab, showing: ["frc> delete Book/5"])
  }

  @Test("an empty Tab offers what makes sense next, and then the statements")
  func next() throws {
    let session = try TerminalSession()
    try session.terminal.type(Key.control("L"), showing: ["frc>"])

    try session.terminal.type(Key.tab)
    try session.terminal.wait(for: "the list") {
      $0.screen.rows.dropFirst().first?.hasPrefix("  entity Book { title: String }  defines")
        == true
    }
    try session.terminal.type(Key.tab + Key.enter + Key.enter)
    // The list is drawn in several pieces, between which the cursor is after the prompt.
    try session.terminal.wait(forText: "frc> entity Book { title: String }")
    try session.waitForPrompt()
  }

  @Test("the sign of vi's command mode, and its k in an entry of two lines")
  func viSign() throws {
    let home = try TemporaryHome()
    try home.write("frc:bind -v\n", to: ".editrc")
    let session = try library(home: home)

    try session.terminal.type("perform {" + Key.enter + "save" + Key.escape)
    try session.terminal.wait(forRows: ["[N] frc> perform {", "    ...> save"])
    try session.terminal.type("kx")
    try session.terminal.wait(for: "a letter less") {
      $0.screen.rows[0] == "[N] frc> perorm {"
    }
    try session.terminal.type("u", showing: ["[N] frc> perform {", "    ...> save"])
  }

  @Test("Ctrl-X Ctrl-E opens the entry in $EDITOR; one that fails leaves it as it was")
  func editor() throws {
    let home = try TemporaryHome()
    try home.write("#!/bin/sh\nsed -i s/one/two/ \"$1\"\n", to: "edit.sh")
    let session = try TerminalSession(
      home: home, environment: ["EDITOR": "/bin/sh \(home.path)/edit.sh"])
    try session.terminal.type(Key.control("L"), showing: ["frc>"])

    try session.terminal.type("print \"one\"" + Key.control("X") + Key.control("E"))
    try session.terminal.wait(forRows: ["frc> print \"two\""])
    try session.type(Key.enter, untilPrompt: "frc> ")
    #expect(session.rows(below: "frc> print") == ["two"])

    let failing = try TerminalSession(environment: ["EDITOR": "false"])
    try failing.terminal.type("print 1" + Key.control("X") + Key.control("E"))
    try failing.terminal.wait(for: "the reason and the entry") {
      $0.screen.rows.contains { $0.hasPrefix("'false' exited with an error") }
        && $0.screen.cursorRow == "frc> print 1"
    }
  }

  @Test("a terminal that knows only text shows nothing but text", arguments: ["dumb", "emacs"])
  func dumb(_ kind: String) throws {
    let terminal = try PseudoTerminal(
      PseudoTerminal.builtProgram("frc"),
      environment: ["TERM": kind, "FRC_HISTORY": "", "NO_COLOR": "1"])
    try terminal.wait(for: "the prompt") { $0.screen.cursorRow == "frc>" }
    let banner = terminal.screen.rows.dropLast()

    try terminal.type("print \"日本 e\u{301}\"" + Key.enter)
    try terminal.wait(for: "the screen") {
      $0.screen.rows
        == banner + ["frc> print \"日本 e\u{301}\"", "日本 e\u{301}", "frc>"]
    }
    #expect(try terminal.exit(afterTyping: Key.control("D")) == .code(0))
    #expect(!terminal.output.contains(0x1B))
  }
}
