import PseudoTerminal
import Testing

/// Screens that are compared completely: predicted callbacks, long output, and a pane without
/// colours.
@Suite struct PromptWholeScreenTests {
  private static let setUp = [
    "entity Book { title: String }", "controller books = Book sort by title", "fetch books",
  ]

  private func session(
    columns: Int, rows: Int, environment: [String: String?] = [:]
  ) throws -> TerminalSession {
    let session = try TerminalSession(environment: environment, columns: columns, rows: rows)
    try session.enterEach(Self.setUp)
    try session.terminal.type(Key.control("L"), showing: ["frc>"])
    return session
  }

  @Test("the line of what would be sent breaks in the window, also with wide characters")
  func wouldLine() throws {
    let session = try session(columns: 60, rows: 10)

    try session.terminal.type("insert Book(title: \"砂の惑星 e\u{301}\")")
    let rows = [
      "frc> insert Book(title: \"砂の惑星 e\u{301}\")",
      "# would send: books didChange object insert Book/1",
      "#   \"砂の惑星 e\u{301}\" -> [0, 0]",
    ]
    try session.waitForTrial { $0.screen.rows == rows && $0.isRaw }
    try session.terminal.type(Key.enter)
    try session.terminal.wait(forRows: [
      "frc> insert Book(title: \"砂の惑星 e\u{301}\")", "books willChangeContent",
      "books didChange object insert Book/1 \"砂の惑星 e\u{301}\" -> [0, 0]",
      "books didChangeContent", "# Book/1", "frc>",
    ])
  }

  @Test("a window of one column shows what would be sent, and the session goes on")
  func wouldLineInOneColumn() throws {
    let session = try session(columns: 60, rows: 10)
    session.terminal.resize(columns: 1, rows: 60)

    try session.terminal.type("insert Book(title: \"x\")")
    try session.waitForTrial { $0.screen.rows.suffix(4) == ["#", "…", "…", "…"] && $0.isRaw }
    session.terminal.resize(columns: 60, rows: 10)
    try session.terminal.type(Key.enter, showing: "# Book/1")
  }

  @Test("a pane has an observer's rows after the save; :undo takes them back, :redo brings them")
  func observer() throws {
    let session = try TerminalSession(columns: 100, rows: 14)
    try session.enterEach(["entity Book { title: String }", "observer books = Book sort by title"])
    try session.terminal.type(":pane books" + Key.enter, showing: ":pane off hides them")
    try session.terminal.type(Key.control("L"))
    func beside(_ left: String, _ right: String) -> String {
      left + String(repeating: " ", count: 60 - left.count) + "│ " + right
    }
    let empty = [beside("frc>", "books: 0 rows in 1 section"), beside("", "  \"\" (0)")]
    let filled = [
      beside("frc>", "books: 1 row in 1 section"), beside("", "  \"\" (1)"),
      beside("", "+   Book/1 \"Dune\""),
    ]
    try session.terminal.wait(forRows: empty)

    try session.terminal.type("insert Book(title: \"Dune\")" + Key.enter)
    var rows = ["frc> insert Book(title: \"Dune\")", "# Book/1"]
    try session.terminal.wait(forRows: rows + empty)

    try session.terminal.type("save")
    let would = [
      beside("frc> save", "books: 0 rows in 1 section"),
      beside("# would send: books results 0 -> 1; insert Book/1", "  \"\" (0)"),
      "#   \"Dune\" -> [0, 0]",
    ]
    try session.waitForTrial { $0.screen.rows == rows + would && $0.isRaw }
    try session.terminal.type(Key.enter)
    rows += [
      "frc> save", "books results 0 -> 1", "  insert Book/1 \"Dune\" -> [0, 0]", "# saved 1 object",
    ]
    try session.terminal.wait(forRows: rows + filled)

    try session.terminal.type(Key.control("L") + ":undo" + Key.enter)
    rows = [
      "frc> :undo", "# at 3 of 4, after: insert Book(title: \"Dune\")",
      "#   books: - Book/1 \"Dune\"",
    ]
    try session.terminal.wait(forRows: rows + empty)
    try session.terminal.type(Key.control("L") + ":timeline" + Key.enter)
    rows = [
      "frc> :timeline", "  0  the beginning", "  1  entity Book { title: String }",
      "  2  observer books = Book sort by title", "> 3  insert Book(title: \"Dune\")",
      "  4  save  # undone",
    ]
    try session.terminal.wait(forRows: rows + empty)
    try session.terminal.type(Key.control("L") + ":redo" + Key.enter)
    rows = ["frc> :redo", "# at 4 of 4, after: save", "#   books: + Book/1 \"Dune\""]
    try session.terminal.wait(forRows: rows + filled)
  }

  @Test("long output of wide and combining characters is cut to the window, row by row")
  func longOutput() throws {
    let session = try session(columns: 34, rows: 12)
    try session.enterEach(["insert 40 Book(title: \"砂の惑星 e\u{301} \\(i)\")", ":mode table"])
    try session.terminal.type(Key.control("L"), showing: ["frc>"])
    try session.terminal.type("fetch Book" + Key.enter)

    try session.terminal.wait(for: "the prompt after the table") {
      $0.isRaw && $0.screen.rows.count > 8 && $0.screen.rows.last == "frc>"
    }
    #expect(
      session.terminal.screen.rows == [
        "frc> fetch Book", "Book    │ title", "────────┼──────────────",
        "Book/1  │ 砂の惑星 e\u{301} 1", "Book/2  │ 砂の惑星 e\u{301} 2",
        "Book/3  │ 砂の惑星 e\u{301} 3", "…",
        "Book/39 │ 砂の惑星 e\u{301} 39", "Book/40 │ 砂の惑星 e\u{301} 40",
        "# 35 of 40 rows hidden: :more, :pa", "ge or :all shows them", "frc>",
      ])
  }

  @Test("without colours, a pane and the line under it have the same words")
  func noColor() throws {
    let session = try session(columns: 100, rows: 8, environment: ["NO_COLOR": "1"])
    try session.terminal.type(":pane books" + Key.enter, showing: ":pane off hides them")
    try session.terminal.type(Key.control("L") + "insert Book(title: \"Dune\")")

    let left = "frc> insert Book(title: \"Dune\")"
    let would = "# would send: books didChange object insert Book/1"
    let rows = [
      left + String(repeating: " ", count: 60 - left.count) + "│ books: 0 rows in 1 section",
      would + String(repeating: " ", count: 60 - would.count) + "│   \"\" (0)",
      "#   \"Dune\" -> [0, 0]",
    ]
    try session.waitForTrial { $0.screen.rows == rows && $0.isRaw }
    let drawn = String(decoding: session.terminal.output, as: UTF8.self)
    #expect(
      !drawn.split(separator: "\u{1B}[").dropFirst().contains { part in
        part.first { !($0.isNumber || $0 == ";") } == "m"
      })
  }
}
