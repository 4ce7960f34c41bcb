import PseudoTerminal
import Testing

/// Whole screens of output that is too long or too wide for the window.
@Suite struct PromptLongOutputTests {
  private static let books = [
    "entity Book { title: String, pages: Int = 0 }",
    "insert 50 Book(title: \"Title \\(i)\", pages: i)",
  ]

  @Test("long output shows its first and last rows; :more, :all and :page show the others")
  func longOutput() throws {
    let session = try TerminalSession(
      environment: ["PAGER": "sed -n 21p"], columns: 40, rows: 13)
    try session.enterEach(Self.books)

    #expect(
      try session.answer(to: "fetch Book") == [
        "Book/1 title: \"Title 1\", pages: 1", "Book/2 title: \"Title 2\", pages: 2",
        "Book/3 title: \"Title 3\", pages: 3", "Book/4 title: \"Title 4\", pages: 4",
        "Book/5 title: \"Title 5\", pages: 5", "…", "Book/48 title: \"Title 48\", pages: 48",
        "Book/49 title: \"Title 49\", pages: 49", "Book/50 title: \"Title 50\", pages: 50",
        "# 42 of 50 lines hidden: :more, :page or", " :all shows them",
      ])
    let more = try session.answer(to: ":more")
    #expect(more.first == "Book/6 title: \"Title 6\", pages: 6")
    #expect(more.last == "# 36 left: :more, :page or :all")
    #expect(try session.answer(to: ":page") == ["Book/21 title: \"Title 21\", pages: 21"])
    #expect(
      try session.answer(to: ":all").suffix(2) == [
        "Book/49 title: \"Title 49\", pages: 49", "Book/50 title: \"Title 50\", pages: 50",
      ])
    #expect(
      try session.answer(to: "print 1").isEmpty == false)
    #expect(
      try session.answer(to: ":more")
        == ["nothing more to show: the last state", "ment's output is shown whole"]
        || session.terminal.screen.text.contains("nothing more to show"))
  }

  @Test("a pager's file ends with how many lines were not kept, and so does :more")
  func tooLongOutput() throws {
    let session = try TerminalSession(environment: ["PAGER": "tail -n 2"], columns: 120, rows: 13)

    #expect(
      try session.answer(to: "for i in 1...100050 { print i }").suffix(4) == [
        "…", "100049", "100050",
        "# 100,042 of 100,050 lines hidden: :more, :page or :all shows the first 100,000",
      ])
    #expect(
      try session.answer(to: ":page") == [
        "100000", "# the last 50 lines were not kept; run the statement after :all on",
      ])
  }

  @Test("a narrow window shows tables as records, and --color never or TERM=dumb changes no word")
  func records() throws {
    let session = try TerminalSession(environment: ["NO_COLOR": "1"], columns: 24, rows: 14)
    try session.enterEach([
      "entity Book { title: String, pages: Int = 0, publisher: String? }",
      "insert Book(title: \"砂の惑星\", pages: 9)", ":mode table",
    ])

    #expect(
      try session.answer(to: "fetch Book") == [
        "row 1", "  Book       Book/1", "  title      砂の惑星", "  pages      9",
        "  publisher  nil",
      ])
  }

  @Test("at a terminal that only knows text, long output is said in the same words")
  func dumb() throws {
    let session = try TerminalSession(environment: ["TERM": "dumb"], columns: 60, rows: 13)
    try session.enterEach(Self.books + ["fetch Book"])

    #expect(
      session.terminal.screen.text.contains(
        "# 42 of 50 lines hidden: :more, :page or :all shows them"))
    #expect(!String(decoding: session.terminal.output, as: UTF8.self).contains("\u{1B}["))
  }

  @Test(":all on shows everything from then on")
  func allOn() throws {
    let session = try TerminalSession(columns: 60, rows: 12)
    try session.enterEach(Self.books + [":all on", "fetch Book"])

    #expect(
      session.terminal.screen.rows.suffix(3) == [
        "Book/49 title: \"Title 49\", pages: 49", "Book/50 title: \"Title 50\", pages: 50", "frc>",
      ])
  }

  // MARK: Values

  @Test("a value alone is printed, and later statements have it as _ and by its number")
  func values() throws {
    let session = try TerminalSession(entering: Self.books)

    #expect(try session.answer(to: "1 + 1") == ["2"])
    #expect(try session.answer(to: "_ * 10") == ["20"])
    #expect(try session.answer(to: "_1 + _2") == ["22"])
    #expect(
      try session.answer(to: "Book/1") == ["Book/1", "# title: \"Title 1\", pages: 1"])
    #expect(try session.answer(to: "_.title") == ["Title 1"])
    #expect(try session.answer(to: "-(1 + 2)") == ["-3"])
    #expect(try session.answer(to: "uppercase(\"a\")") == ["A"])
    #expect(try session.answer(to: "fetch Book where pages < 3").count == 2)
    #expect(try session.answer(to: "_") == ["[Book/1, Book/2]"])
    try session.enter("let isNew = true")
    #expect(try session.answer(to: "NOT isNew") == ["false"])
    #expect(try session.answer(to: "NOT (isNew)") == ["false"])
    #expect(try session.answer(to: "isNew AND isNew") == ["true"])
    #expect(try session.answer(to: "isNew or Book/1.pages > 3") == ["true"])
  }

  @Test("a name alone stands for the statement that prints it")
  func names() throws {
    let session = try TerminalSession()
    try session.enterEach([
      "entity Book { title: String }", "insert Book(title: \"Dune\")",
      "controller books = Book sort by title",
    ])

    #expect(try session.answer(to: "Book") == ["Book/1 title: \"Dune\""])
    #expect(try session.answer(to: "books") == ["# fetch books to get its results"])
    try session.enter("fetch books")
    #expect(
      try session.answer(to: "books") == ["section 0 \"\" 1 object", "  [0, 0] Book/1 \"Dune\""])
    #expect(
      try session.answer(to: "boks").first?.hasPrefix("error: nothing has the name 'boks'") == true)
  }

  @Test("a recorded session prints the values that were typed alone")
  func record() throws {
    let session = try TerminalSession(entering: Self.books + ["Book/1", "_.title", "1 + 1"])
    let path = session.home.path + "/a.frc"
    try session.enter(":record \(path)")

    #expect(
      session.home.read("a.frc") == """
        # Recorded at the prompt of frc.
        entity Book { title: String, pages: Int = 0 }
        insert 50 Book(title: "Title \\(i)", pages: i)
        let _1 = Book/1
        let _ = _1
        print _1
        #> Book/1
        print _.title
        #> Title 1
        print 1 + 1
        #> 2

        """)
  }

  // MARK: Questions, the shell, and entries again

  @Test("NAME? tells what a name is, how it is defined, and where")
  func questions() throws {
    let session = try TerminalSession(columns: 90)
    try session.enterEach([
      "entity Book { title: String }", "controller books = Book sort by title", "let n = 3",
    ])

    #expect(
      try session.answer(to: "books?") == [
        "books is a controller, which has not fetched yet",
        "  controller books = Book sort by title", "defined by statement 2 of :timeline",
        "# :help controller explains it",
      ])
    let entity = try session.answer(to: "Book?")
    #expect(entity.first == "Book is an entity:")
    #expect(
      entity.suffix(2) == ["defined by statement 1 of :timeline", "# :help entity explains it"])
    #expect(
      try session.answer(to: "Book.title?").first?.hasPrefix("Book.title is an attribute: ")
        == true)
    #expect(try session.answer(to: "n?").first == "n is a variable, an integer: 3")
    #expect(try session.answer(to: ":undo?").first?.hasPrefix(":undo [N] undoes the last") == true)
    #expect(try session.answer(to: "nonsense?").first?.hasPrefix("no help on 'nonsense'") == true)
  }

  @Test("!command runs in the shell, and :rerun runs entries of the history again")
  func shell() throws {
    let session = try TerminalSession()

    #expect(try session.answer(to: "!echo a b") == ["a b"])
    #expect(try session.answer(to: "!exit 3") == ["# exit status 3"])
    try session.enterEach(["print 1", "print 2"])
    #expect(try session.answer(to: ":rerun") == ["frc> print 2", "2"])
    #expect(
      try session.answer(to: ":rerun 3-4") == ["frc> print 1", "1", "frc> print 2", "2"])
    #expect(
      try session.answer(to: ":rerun 99").first?.hasPrefix("no entries '99' in the history") == true
    )
  }

  @Test("the prompt keeps the last row of a shell command that does not end it")
  func unendedRow() throws {
    let session = try TerminalSession()

    #expect(try session.answer(to: "!printf abc") == ["abc"])
    #expect(try session.answer(to: "!printf 'a\\nb'; exit 3") == ["a", "b", "# exit status 3"])
    #expect(try session.answer(to: "!printf %080d 0") == [String(repeating: "0", count: 80)])
    #expect(try session.answer(to: "!true") == [])
  }

  @Test("a signal that ends a shell command is not shown as an exit status")
  func shellSignal() throws {
    let session = try TerminalSession()

    let rows = try session.answer(to: "!kill -9 $$")
    #expect(rows.count == 1 && rows.first?.hasPrefix("# ended by SIGKILL") == true)
    // A shell that catches the signal has an exit status.
    #expect(try session.answer(to: "!exit 137") == ["# exit status 137"])
  }

  // MARK: Configuration

  @Test("config.frc runs at the start, silently, and its mistakes have their place")
  func configuration() throws {
    let home = try TemporaryHome()
    try home.makeHistory()
    try home.makeFolder(".config/frc")
    try home.write(
      "# mine\n:mode table\nentity Book { title: String }\ninsert Bok(title: \"x\")\n"
        + "insert Book(title: \"y\")\n", to: ".config/frc/config.frc")
    let session = try TerminalSession(home: home, columns: 120)

    let rows = session.terminal.screen.rows
    #expect(rows.first == "# frc 0.1.0  :help for help")
    #expect(rows.contains { $0.contains("config.frc:4:8: error: unknown entity 'Bok'") })
    #expect(!rows.contains { $0.hasPrefix("# statements print") || $0 == "# Book/1" })
    #expect(
      try session.answer(to: "fetch Book") == ["Book   │ title", "───────┼──────", "Book/1 │ y"])

    let other = try TerminalSession(arguments: ["--no-config"], home: home)
    #expect(other.terminal.screen.rows == ["# frc 0.1.0  :help for help", "frc>"])
  }

  @Test("the terminal is asked for its background once, and need not answer")
  func background() throws {
    let session = try TerminalSession(environment: ["COLORFGBG": nil], entering: ["print 1"])

    let output = String(decoding: session.terminal.output, as: UTF8.self)
    #expect(
      output.split(separator: "\u{1B}]11;?\u{1B}\\", omittingEmptySubsequences: false).count == 2)
  }

  // MARK: Screen readers

  @Test("--plain says everything in words, moves no cursor and draws nothing again")
  func plain() throws {
    let session = try TerminalSession(
      arguments: ["--plain"], environment: ["TERM": "xterm"], columns: 100, isEditing: false)
    try session.enterEach([
      "entity Book { title: String }", "controller books = Book sort by title",
      "table view = books", "fetch books", "insert Book(title: \"Dune\")", "show view",
      "show books", "print 1 +* 2",
    ])

    #expect(!String(decoding: session.terminal.output, as: UTF8.self).contains("\u{1B}"))
    let text = session.terminal.screen.text
    #expect(text.contains("[0, 0] Book/1 \"Dune\", inserted"))
    #expect(!text.contains("│"))
    #expect(text.contains("at column 10: *"))
  }
}
