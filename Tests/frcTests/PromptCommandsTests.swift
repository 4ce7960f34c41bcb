import FetchedResults
import Foundation
import PromptTools
import PseudoTerminal
import ScriptRuntime
import ScriptSyntax
import Testing

@testable import frc

/// The commands of the prompt, at a terminal.
@Suite struct PromptCommandsTests {
  @Test("an empty session, then :try, leads to a first callback in it")
  func tryStart() throws {
    let session = try TerminalSession(columns: 90)

    #expect(
      try session.answer(to: ":try").suffix(4) == [
        "books willChangeContent", "books didChange object insert Book/1 \"Dune\" -> [0, 0]",
        "books didChangeContent", "# Book/1",
      ])
    #expect(try session.answer(to: "count Book") == ["1"])
  }

  @Test(":try runs what was explained; what it needs comes before")
  func tryTopic() throws {
    let session = try TerminalSession(columns: 90, entering: [":help count"])
    let answer = try session.answer(to: ":try")
    #expect(answer.first == "# it continues the example of :help start")
    #expect(answer.contains("frc> count Book where pages > 100"))
    let again = try session.answer(to: ":try count")
    #expect(
      again == [
        "frc> count Book where pages > 100", "1", "frc> let long = count(Book where pages > 100)",
      ])
  }

  @Test("a block of an example is one entry")
  func tryBlock() throws {
    let session = try TerminalSession(columns: 90, entering: [":try start"])

    #expect(
      try session.answer(to: ":try reactions").prefix(4) == [
        "frc> table view = books {", "...>   update nothing", "...>   move deleteRows insertRows",
        "...> }",
      ])
    #expect(session.terminal.screen.text.contains("view reloadData"))
  }

  @Test("every example is made of whole entries", arguments: Help.topics)
  func entries(_ topic: HelpTopic) {
    let session = Session(environment: EvaluationEnvironment())

    for entry in ExampleRun(topic, in: session).entries {
      let script = ScriptParser.parse(SourceText(name: "", text: entry), as: .prompt)
      #expect(!script.hasErrors, "\(entry)")
    }
  }

  @Test("where the names mean something else, :try leaves the session alone")
  func tryApart() throws {
    let session = try TerminalSession(columns: 90, entering: ["entity Book { name: String }"])

    let answer = try session.answer(to: ":try start")
    #expect(answer.first == "# in a session of its own, since this one has entities already")
    #expect(answer.contains("books didChangeContent"))
    #expect(try session.answer(to: "count Book") == ["0"])
  }

  @Test(":history lists entries, by a pattern too")
  func history() throws {
    let session = try TerminalSession()
    try session.enter("perform {", "print 1", "}")
    try session.enter("print 2")

    #expect(
      try session.answer(to: ":history") == [
        " 1  perform {", "      print 1", "    }", " 2  print 2",
      ])
    #expect(
      try session.answer(to: ":history Print") == ["nothing holds 'Print'"])
  }

  @Test(":load runs a script's statements, each a point, up to one that fails")
  func load() throws {
    let home = try TemporaryHome()
    try home.write("print 1\ninclude \"b.frc\"\nprint x\nprint 3\n", to: "a.frc")
    try home.write("print 2\n", to: "b.frc")
    let session = try TerminalSession(home: home, columns: 150)

    let answer = try session.answer(to: ":load \(home.path)/a.frc")
    #expect(answer.prefix(2) == ["1", "2"])
    #expect(
      answer.contains("  error: unknown name 'x'") || answer.joined().contains("unknown name 'x'"))
    #expect(
      answer.last?.hasSuffix("/a.frc: 2 of 4 statements; it stops at the one that failed") == true)
    #expect(
      try session.answer(to: ":load ~/none.frc")
        == ["cannot read '~/none.frc': no such file"])
    // In the past, statements that only look are no points.
    try session.enterEach(["let a = 1", "let b = 2", ":undo"])
    #expect(
      try session.answer(to: ":load ~/b.frc") == ["2", "# ~/b.frc: 1 of 1 statements"])
  }

  @Test(":edit brings the last entry back as the editor left it")
  func edit() throws {
    let session = try TerminalSession(environment: ["EDITOR": "sed -i s/1/2/", "VISUAL": ""])
    try session.enter("print 1")

    try session.terminal.type(":edit" + Key.enter)
    try session.terminal.wait(for: "the draft") {
      $0.screen.cursorRow == "frc> print 2" && $0.isRaw
    }
    try session.type(Key.enter, untilPrompt: "frc> ")

    #expect(session.terminal.screen.rows.suffix(3) == ["frc> print 2", "2", "frc>"])
  }

  @Test(":edit keeps the text after a NUL that the editor left")
  func editNUL() throws {
    let session = try TerminalSession(
      environment: ["EDITOR": "printf 'print 1\\0 + 2' >", "VISUAL": ""])
    try session.enter("print 1")

    try session.terminal.type(":edit" + Key.enter)
    try session.terminal.wait(for: "the draft") {
      $0.screen.cursorRow == "frc> print 1 + 2" && $0.isRaw
    }
  }

  @Test("an editor that fails is told, and nothing is lost")
  func editFails() throws {
    let session = try TerminalSession(environment: ["EDITOR": "false", "VISUAL": nil])
    try session.enter("print 1")

    #expect(
      try session.answer(to: ":edit")
        == ["'false' exited with an error; set $VISUAL or $EDITOR to another editor"])
  }

  @Test(":mode shows rows as a table, aligned by what a terminal shows, or as JSON")
  func mode() throws {
    let session = try TerminalSession()
    try session.enterEach([
      "entity Book { title: String, pages: Int = 0 }", "insert Book(title: \"砂の惑星\", pages: 412)",
      "insert Book(title: \"Emma\", pages: 9)",
    ])

    #expect(
      try session.answer(to: ":mode table") == [
        "# statements print rows and sections as tables, all else as text"
      ])
    #expect(
      try session.answer(to: "fetch Book") == [
        "Book   │ title    │ pages", "───────┼──────────┼──────", "Book/1 │ 砂の惑星 │   412",
        "Book/2 │ Emma     │     9",
      ])
    try session.enter(":mode json")
    #expect(try session.answer(to: "print 1") == [#"{"event":"value","value":1}"#])
    try session.enter(":mode text")
    #expect(try session.answer(to: "print 1") == ["1"])
    let unknown = try session.answer(to: ":mode loud")
    #expect(unknown.first == "unknown format 'loud'")
    #expect(unknown.dropFirst().first?.hasPrefix(":mode FORMAT") == true)
  }

  @Test(":timer tells how long a statement took, :clear leaves nothing but the prompt")
  func timerAndClear() throws {
    let session = try TerminalSession()

    #expect(try session.answer(to: ":timer on") == ["# times are shown"])
    let answer = try session.answer(to: "print 1")
    #expect(answer.first == "1")
    #expect(answer.last?.hasPrefix("# ") == true && answer.last?.hasSuffix(" ms") == true)
    #expect(try session.answer(to: ":timer off") == ["# times are not shown"])
    #expect(try session.answer(to: "print 1") == ["1"])
    try session.terminal.type(":clear" + Key.enter, showing: ["frc>"])
  }

  @Test(
    "commands say what they take",
    arguments: [
      (":keys now", ":keys takes no argument, but got 'now'"),
      (":undo x", ":undo [N] takes a number from 1 on, not 'x'"),
      (":goto there", ":goto N takes a number of :timeline, not 'there'"),
      (":undo", "nothing to undo: this is the beginning"),
      (":redo", "nothing to redo: this is the last point"),
      (":goto 5", "there is no point 5; :timeline lists those from 0 to 0"),
    ])
  func wrong(_ command: String, _ answer: String) throws {
    let session = try TerminalSession()

    #expect(try session.answer(to: command) == [answer])
  }

  @Test(":keys lists the keys")
  func keys() throws {
    let session = try TerminalSession(columns: 120, rows: 60)

    let lines = try session.answer(to: ":keys")
    #expect(lines.contains { $0.contains("Ctrl-R") && $0.contains("searches the history") })
  }
}
