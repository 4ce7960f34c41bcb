import PseudoTerminal
import Testing

@Suite struct PromptHistoryTests {
  private func leave(_ session: TerminalSession) throws {
    #expect(try session.terminal.exit(afterTyping: Key.control("D")) == .code(0))
  }

  @Test("what was typed is there in the next session, and can be searched")
  func twoSessions() throws {
    let home = try TemporaryHome()
    let first = try TerminalSession(home: home, isFirstStart: true)
    try first.enterEach(["print \"一\"", "print 22", "print 3"])
    try leave(first)

    let second = try TerminalSession(home: home)
    #expect(second.terminal.screen.rows.first == "# frc 0.1.0  :help for help")
    try second.terminal.type(Key.up + Key.up)
    try second.terminal.wait(for: "the entry") { $0.screen.cursorRow == "frc> print 22" }
    try second.terminal.type(Key.control("U") + Key.control("R") + "一")
    try second.terminal.wait(for: "the match") { $0.screen.cursorRow.contains("print \"一\"") }
    try second.type(Key.enter, untilPrompt: "frc> ")
    #expect(second.rows(below: "frc> print").first == "一")
  }

  @Test("a block is kept as a whole")
  func blocks() throws {
    let home = try TemporaryHome()
    let first = try TerminalSession(home: home)
    try first.enter("perform {", "print 7", "}")
    try leave(first)

    let second = try TerminalSession(home: home)
    try second.terminal.type(Key.up)
    try second.terminal.wait(for: "the block") {
      $0.screen.rows.suffix(3) == ["frc> perform {", "...>   print 7", "...> }"]
    }
    try second.terminal.type(Key.enter, showing: "\n7")
  }

  @Test(":rerun runs the entry that :history listed with the number, whatever was typed since")
  func numbers() throws {
    let session = try TerminalSession()
    try session.enterEach([
      "print 1", "print 2", "print 3", "print 4", ":rerun 4", "print 1", "print 2",
    ])

    #expect(
      try session.answer(to: ":history") == [
        " 1  print 3", " 2  print 4", " 3  :rerun 4", " 4  print 1", " 5  print 2",
      ])
    #expect(try session.answer(to: ":rerun 4") == ["frc> print 1", "1"])
    try session.enter("print 3")
    #expect(try session.answer(to: ":rerun 1-2") == ["frc> print 3", "3", "frc> print 4", "4"])
    #expect(try session.answer(to: ":rerun 7") == ["frc> print 3", "3"])
  }

  @Test(
    "where no line is edited, what was typed is kept too", arguments: [["--plain"], []])
  func unedited(_ arguments: [String]) throws {
    let home = try TemporaryHome()
    let session = try TerminalSession(
      arguments: arguments, home: home,
      environment: ["TERM": "dumb", "EDITOR": "sed -i s/1/2/", "VISUAL": ""], isEditing: false)
    try session.enterEach(["print 1", ":edit", ":rerun"])
    #expect(session.rows(below: "frc> :rerun") == ["frc> print 2", "2"])
    try leave(session)

    #expect(home.read(".local/state/frc/history") == "print 1\n:edit\nprint 2\n:rerun\n")
  }

  @Test("the history stands where FRC_HISTORY says, else under XDG_STATE_HOME")
  func places() throws {
    let home = try TemporaryHome()
    let named = try TerminalSession(
      home: home,
      environment: ["FRC_HISTORY": home.path + "/mine", "XDG_STATE_HOME": home.path + "/state"])
    try named.enter("print 1")
    try leave(named)
    #expect(home.read("mine") == "print 1\n")

    let standard = try TerminalSession(
      home: home, environment: ["XDG_STATE_HOME": home.path + "/state"])
    try standard.enter("print 2")
    try leave(standard)
    #expect(home.read("state/frc/history") == "print 2\n")
    #expect(home.read(".local/state/frc/history") == "")
  }

  @Test("an empty FRC_HISTORY keeps nothing, and says nothing")
  func none() throws {
    let home = try TemporaryHome()
    let session = try TerminalSession(home: home, environment: ["FRC_HISTORY": ""])
    try session.enter("print 1")
    try session.terminal.type(Key.up)
    try session.terminal.wait(for: "the entry") { $0.screen.cursorRow == "frc> print 1" }
    try session.terminal.type(Key.control("U"))
    try leave(session)

    #expect(home.read(".local/state/frc/history") == "")
  }

  @Test("a place that cannot be written is told once, and the session goes on")
  func unusable() throws {
    let session = try TerminalSession(environment: ["FRC_HISTORY": "/proc/frc/history"])

    #expect(
      try session.answer(to: "print 1")
        == ["1", "# history is not kept in '/proc/frc/history': No such file or directory"])
    #expect(try session.answer(to: "print 2") == ["2"])
  }
}
