import Glibc
import PseudoTerminal
import Testing

/// Whole screens with a pane, a strip, the timeline and what a statement would send.
@Suite struct PromptPaneTests {
  init() {
    // The system determines the widths of characters.
    setlocale(LC_CTYPE, "C.UTF-8")
  }

  private static let setUp = [
    "entity Book { title: String, genre: String }",
    "controller books = Book sort by genre, title section by genre",
    "fetch books",
    "insert Book(title: \"Dune\", genre: \"SF\")",
    "insert Book(title: \"Emma\", genre: \"Classic\")",
  ]

  /// Returns a session with two books.
  ///
  /// Its screen has only the prompt and the rows around it.
  private func session(
    _ columns: Int, rows: Int = 16, environment: [String: String?] = [:], then: [String] = []
  ) throws -> TerminalSession {
    let session = try TerminalSession(environment: environment, columns: columns, rows: rows)
    try session.enterEach(Self.setUp)
    for statement in then { try type(statement, in: session) }
    try session.terminal.type(Key.control("L"))
    return session
  }

  /// Types a statement while a pane may be at the right of the prompt.
  private func type(_ statement: String, in session: TerminalSession) throws {
    try session.terminal.type(statement + Key.enter)
    try session.terminal.wait(for: "the prompt after \(statement)") {
      $0.isRaw && $0.hasAnswered && $0.screen.cursor.column == 5
        && $0.screen.cursorRow.hasPrefix("frc>")
    }
  }

  /// A row with a pane at its right.
  private func row(_ left: String, _ right: String, at column: Int) -> String {
    let blanks = String(repeating: " ", count: column - left.count)
    let text = left + blanks + "│ " + right
    return String(text.reversed().drop { $0 == " " }.reversed())
  }

  @Test("a pane shows the sections and what the last turn did", arguments: [100, 140])
  func pane(_ columns: Int) throws {
    let session = try session(
      columns, then: [":pane books", "insert Book(title: \"砂の惑星\", genre: \"SF\")"])
    let column = columns - min(60, columns * 2 / 5)

    try session.terminal.wait(forRows: [
      row("frc>", "books: 3 rows in 2 sections", at: column),
      row("", "  Classic (1)", at: column),
      row("", "    Book/2 \"Emma\"", at: column),
      row("", "  SF (2)", at: column),
      row("", "    Book/1 \"Dune\"", at: column),
      row("", "+   Book/3 \"砂の惑星\"", at: column),
    ])
    #expect(session.terminal.screen.cursor == (row: 0, column: 5))

    try type("Book/2.title = \"E\u{301}mma\"; delete Book/1", in: session)
    try session.terminal.type(Key.control("L"))
    try session.terminal.wait(forRows: [
      row("frc>", "books: 2 rows in 2 sections", at: column),
      row("", "  Classic (1)", at: column),
      row("", "    Book/2 \"E\u{301}mma\"", at: column),
      row("", "  SF (1)", at: column),
      row("", "-   [1, 0] Book/1 \"Dune\"", at: column),
      row("", "    Book/3 \"砂の惑星\"", at: column),
    ])
    try type(":pane off", in: session)
    try session.terminal.type(Key.control("L"), showing: ["frc>"])
  }

  @Test("a narrow window has a strip, and nothing remains after :pane off")
  func strip() throws {
    let session = try session(80, then: [":pane books"])

    try session.terminal.wait(forRows: ["frc>", "books  +1  │  Classic 1  SF 1"])
    try type(":pane off", in: session)
    try session.terminal.type(Key.control("L"), showing: ["frc>"])
  }

  @Test("a pane follows the width of the window")
  func resize() throws {
    let session = try session(120, then: [":pane books"])
    try session.terminal.wait(for: "the pane") { $0.screen.rows.count == 5 }

    session.terminal.resize(columns: 80, rows: 16)
    try session.terminal.wait(for: "the strip") {
      $0.screen.rows.last == "books  +1  │  Classic 1  SF 1"
    }
    session.terminal.resize(columns: 120, rows: 16)
    try session.terminal.wait(for: "the pane") {
      $0.screen.rows.contains { $0.hasSuffix("│ books: 2 rows in 2 sections") }
    }
  }

  @Test("what a statement would send is under it while it is typed")
  func would() throws {
    let session = try session(100)

    try session.terminal.type("delete Book/1")
    try session.waitForTrial {
      $0.screen.rows.count == 3 && $0.screen.rows[0] == "frc> delete Book/1"
        && $0.screen.rows[1].hasPrefix(
          "# would send: books didChange object delete Book/1 \"Dune\" [1, 0]; books didChange ")
    }
    try session.terminal.type(Key.control("U"), showing: ["frc>"])
    try session.terminal.type(":would delete Book/1" + Key.enter)
    try session.terminal.wait(forText: "#   books didChange object delete Book/1 \"Dune\" [1, 0]")
    try session.enter("count Book")
    #expect(session.terminal.screen.rows.suffix(2) == ["2", "frc>"])
  }

  @Test("of a statement that would fail nothing else is said")
  func wouldFail() throws {
    let session = try session(100)

    let answer = try session.answer(to: ":would Book/9.title = \"z\"").joined(separator: " ")
    #expect(answer.hasPrefix("# would fail: there is no Book/9"), "\(answer)")
    #expect(!answer.contains("send"))
    #expect(try session.answer(to: ":would print 1") == ["# would send nothing"])
  }

  @Test(":pane alone shows the only controller, and asks which one if there are more")
  func paneAlone() throws {
    let session = try TerminalSession(columns: 80)

    #expect(try session.answer(to: ":pane") == ["pane off; define a controller first"])
    try session.enterEach(Array(Self.setUp.prefix(3)))
    try session.enter(":pane")
    #expect(
      session.rows(below: "frc> :pane").first
        == "# the sections of books are beside the line; :pane off hides them")
    try session.enter(":pane on")
    #expect(session.rows(below: "frc> :pane on").first == "pane books")
    try session.enter(":pane off")
    try session.enter("controller titles = Book sort by title")
    #expect(
      try session.answer(to: ":pane on") == [
        "pane off; write ':pane books', or another of books, titles"
      ])
  }

  @Test("the timeline shows how the sections differ, and Enter goes there")
  func timeline() throws {
    let session = try session(120)

    try session.terminal.type("print 1" + Key.control("O") + Key.left)
    try session.terminal.wait(forRows: [
      row("frc> print 1", "point 4, compared with now", at: 72),
      row("  0  the beginning", "books", at: 72),
      row("  1  \(Self.setUp[0])", "  SF (1)", at: 72),
      row("  2  \(Self.setUp[1])", "    Book/1 \"Dune\"", at: 72),
      row("  3  fetch books", "- Classic (1)", at: 72),
      row("> 4  \(Self.setUp[3])", "-   Book/2 \"Emma\"", at: 72),
      "  5  \(Self.setUp[4])  (now)",
      "Left and Right move, Enter goes there, Esc leaves",
    ])
    try session.terminal.type(Key.escape, showing: ["frc> print 1"])
    try session.terminal.type(Key.control("O") + Key.left + Key.enter)
    try session.terminal.wait(forRows: [
      "frc> :goto 4", "# at 4 of 5, after: insert Book(title: \"Dune\", genre: \"SF\")",
      "#   books: - section Classic (1)", "#   books: - Book/2 \"Emma\"", "frc> print 1",
    ])
  }

  @Test("Alt-E unfolds the rule of each callback under the line")
  func explanation() throws {
    let session = try session(100, rows: 20)

    try session.terminal.type(Key.alt("e"))
    try session.terminal.wait(for: "the rules") {
      $0.screen.rows.contains { $0.hasPrefix("why, after: insert Book") }
        && $0.screen.rows.contains { $0.contains("  rule ") }
    }
    try session.terminal.type(Key.alt("e"), showing: ["frc>"])
  }

  @Test("an error offers its correction by a key")
  func correction() throws {
    let session = try session(100)

    try session.terminal.type("insert Bok(title: \"A\")" + Key.enter)
    try session.terminal.wait(forText: "# Alt-C writes: insert Book(title: \"A\")")
    try session.terminal.type(Key.alt("c"))
    try session.terminal.wait(for: "the correction") {
      $0.screen.cursorRow == "frc> insert Book(title: \"A\")"
    }
  }

  @Test("without colours the signs stay; a dumb terminal has no pane")
  func plain() throws {
    let session = try session(100, environment: ["NO_COLOR": "1"], then: [":pane books"])
    try session.terminal.wait(for: "the pane") { $0.screen.rows.count == 5 }
    #expect(session.terminal.screen.rows[1].hasSuffix("│ + Classic (1)"))
    let output = String(decoding: session.terminal.output, as: UTF8.self)
    #expect(!output.contains("\u{1B}[3") && !output.contains("\u{1B}[90m"))

    let dumb = try TerminalSession(environment: ["TERM": "dumb"], columns: 120)
    try dumb.enterEach(Self.setUp + [":pane books", "count Book"])
    #expect(!dumb.terminal.output.contains(0x1B))
    #expect(dumb.terminal.screen.text.contains("no pane here"))
  }
}
