import LineEditor
import Platform
import PromptTools
import PseudoTerminal
import ScriptRuntime
import ScriptSyntax
import ScriptWorlds
import Testing

/// Whole screens, drawn from values, without a terminal.
@Suite struct PaneScreensTests {
  private static let library = """
    entity Book { title: String, genre: String }
    controller books = Book sort by genre, title section by genre
    fetch books
    insert Book(title: "Dune", genre: "SF")
    insert Book(title: "砂の惑星", genre: "SF")
    """

  private func interpreter(_ text: String) throws -> Interpreter {
    let interpreter = Interpreter(environment: ScriptFiles()) { _ in }
    interpreter.keepReasons()
    try interpreter.run(ScriptParser.parse(SourceText(name: "test", text: text)))
    return interpreter
  }

  private func view(_ text: String, _ surroundings: LineSurroundings) -> LineView {
    var view = LineView(before: text, after: "")
    view.prompt = Prompt("frc> ")
    view.surroundings = surroundings
    return view
  }

  private func screen(
    _ text: String, _ surroundings: LineSurroundings, columns: Int
  ) -> Screen {
    var display = LineDisplay()
    var screen = Screen(columns: columns, rows: 10)
    screen.feed(
      display.show(
        view(text, surroundings), in: TerminalSize(columns: columns, rows: 10)
      ).replacing("\n", with: "\r\n").utf8)
    return screen
  }

  private func pane(_ script: String, columns: Int) throws -> LineSurroundings {
    let sections = try interpreter(script).markedSections(of: "books")
    var surroundings = LineSurroundings()
    surroundings.besideColumns = 40
    surroundings.beside = SectionsPane(name: "books", sections: sections)
      .rows(height: 8, PaneStyles())
    return surroundings
  }

  @Test("a pane has the marks of what an observer published")
  func observer() throws {
    let script = """
      entity Book { title: String, genre: String }
      observer books = Book sort by title section by genre
      insert Book(title: "Dune", genre: "SF")
      insert Book(title: "Emma", genre: "SF")
      save
      delete Book/1
      insert Book(title: "Ubik", genre: "SF")
      """
    let waiting = try #require(try interpreter(script).markedSections(of: "books"))
    #expect(waiting.sections.map(\.count) == [2])
    #expect(waiting.marks.allSatisfy { $0.rows.isEmpty && $0.gone.isEmpty })

    let saved = try #require(try interpreter(script + "\nsave").markedSections(of: "books"))

    #expect(saved.sections.map(\.name) == ["SF"])
    #expect(saved.text(section: 0, row: 1) == "Book/3 \"Ubik\"")
    #expect(saved.marks.first?.rows.keys.sorted() == [1])
    #expect(saved.marks.first?.gone.map(\.text) == ["- [0, 0] Book/1"])
  }

  @Test("a fetch ends the marks of what happened to the results before it")
  func fetched() throws {
    let script = """
      entity Book { title: String, genre: String }
      controller books = Book sort by genre section by genre
      fetch books
      insert Book(title: "Dune", genre: "SF")
      insert Book(title: "Emma", genre: "Novel")
      """
    let before = try #require(try interpreter(script).markedSections(of: "books"))
    #expect(before.marks.map(\.isInserted) == [true, false])

    let others = script + "\nchange books where genre == \"SF\"\nfetch books"
    let after = try #require(try interpreter(others).markedSections(of: "books"))
    #expect(after.sections.map(\.name) == ["SF"])
    #expect(after.marks.map(\.isInserted) == [false])

    let none = try #require(
      try interpreter(script + "\ndelete Book\nfetch books").markedSections(of: "books"))
    #expect(none.sections.isEmpty && none.gone.isEmpty)
  }

  @Test("a pane stands beside the line, wide and combining characters included")
  func beside() throws {
    let surroundings = try pane(
      Self.library + "\ninsert Book(title: \"E\u{301}mma\", genre: \"Classic\")", columns: 100)

    let shown = screen("print \"日本\"", surroundings, columns: 100)
    let blanks = { String(repeating: " ", count: 60 - $0) }
    #expect(
      shown.rows == [
        "frc> print \"日本\"" + blanks(17) + "│ books: 3 rows in 2 sections",
        blanks(0) + "│ + Classic (1)", blanks(0) + "│ +   Book/3 \"E\u{301}mma\"",
        blanks(0) + "│   SF (2)", blanks(0) + "│     Book/1 \"Dune\"",
        blanks(0) + "│     Book/2 \"砂の惑星\"",
      ])
    #expect(shown.cursor == (row: 0, column: 17))
  }

  @Test("a line as wide as its place goes on in the next row, left of the pane")
  func wrapped() throws {
    let shown = screen(
      String(repeating: "x", count: 60), try pane(Self.library, columns: 100), columns: 100)

    #expect(
      shown.rows[0] == "frc> " + String(repeating: "x", count: 55) + "│ books: 2 rows in 1 section")
    #expect(shown.rows[1] == "xxxxx" + String(repeating: " ", count: 55) + "│   SF (2)")
    #expect(shown.cursor == (row: 1, column: 5))
  }

  @Test("where the line would get too narrow, there is no pane")
  func narrow() throws {
    #expect(
      screen("print 1", try pane(Self.library, columns: 70), columns: 70).rows == ["frc> print 1"])
  }

  @Test("when the statement runs, nothing of the pane remains")
  func finish() throws {
    var display = LineDisplay()
    let size = TerminalSize(columns: 100, rows: 10)
    var screen = Screen(columns: 100, rows: 10)
    let surroundings = try pane(Self.library, columns: 100)
    screen.feed(
      display.show(view("print 1", surroundings), in: size).replacing("\n", with: "\r\n").utf8)
    screen.feed(
      display.finish(view("print 1", LineSurroundings()), in: size, mark: "")
        .replacing("\n", with: "\r\n").utf8)

    #expect(screen.rows == ["frc> print 1"])
    #expect(screen.cursor == (row: 1, column: 0))
  }

  @Test("of 10,000 rows those around the change are shown, and the others are counted")
  func long() throws {
    let interpreter = try interpreter(
      """
      entity Book { title: String }
      controller books = Book sort by title
      fetch books
      insert 10000 Book(title: "\\(10000 + i)")
      Book/5000.title = Book/5000.title
      delete Book/7000
      """)
    let rows = SectionsPane(name: "books", sections: interpreter.markedSections(of: "books"))
      .rows(height: 10, PaneStyles()).map(\.text)

    #expect(rows.count <= 10)
    #expect(rows[0] == "books: 9999 rows in 1 section")
    #expect(rows.contains { $0.hasPrefix("- ") && $0.contains("Book/7000") })
    #expect(rows.last?.contains("⋯") == true)
  }

  @Test("the strip counts the marks and the rows of each section")
  func strip() throws {
    let sections = try interpreter(Self.library).markedSections(of: "books")
    let pane = SectionsPane(name: "books", sections: sections)

    #expect(pane.strip(PaneStyles()).text == "books  +1  │  SF 2")
    #expect(
      SectionsPane(name: "books", sections: nil).strip(PaneStyles()).text
        == "books: not fetched yet")
  }

  @Test("a pane fires no fault, and calls no callback of the script")
  func noEffects() throws {
    let interpreter = try interpreter(
      Self.library
        + """

        save
        reset
        fetch books
        delegate books { sectionIndexTitle name { print "asked"  return name } }
        """)
    let before = interpreter.session.tally
    _ = interpreter.seenControllers
    _ = SectionsPane(name: "books", sections: interpreter.markedSections(of: "books"))
      .rows(height: 8, PaneStyles())

    #expect(interpreter.session.tally == before)
  }

  @Test("the difference of two points has inserted, deleted, moved and updated rows")
  func difference() throws {
    let interpreter = try interpreter(Self.library)
    let old = interpreter.seenControllers
    try interpreter.run(
      ScriptParser.parse(
        SourceText(
          name: "test",
          text: """
            Book/1.genre = "Classic"
            Book/2.title = "X"
            insert Book(title: "Y", genre: "SF")
            """)))
    let new = interpreter.seenControllers

    #expect(
      DifferencePane(SeenDifference(from: old, to: new)).lines(atMost: 9) == [
        "books: + section Classic (1)", "books: > Book/1 \"Dune\"", "books: * Book/2 \"X\"",
        "books: + Book/3 \"Y\"",
      ])
    #expect(
      DifferencePane(SeenDifference(from: new, to: old)).lines(atMost: 3) == [
        "books: > Book/1 \"Dune\"", "books: * Book/2 \"砂の惑星\"", "and 2 more",
      ])
    #expect(
      DifferencePane(SeenDifference(from: old, to: new)).lines(atMost: 9, saysMarks: true) == [
        "books: section Classic (1), inserted", "books: Book/1 \"Dune\", moved",
        "books: Book/2 \"X\", updated", "books: Book/3 \"Y\", inserted",
      ])
  }

  @Test("the timeline shows the points around the chosen one", arguments: 0...30)
  func timeline(_ chosen: Int) {
    let titles = (1...30).map { "print \($0)" }
    let rows = TimelinePane(titles: titles, chosen: chosen, current: 20)
      .rows(height: 8, PaneStyles()).map(\.text)

    #expect(rows.count == 8)
    #expect(rows.count { $0.hasPrefix("> ") } == 1)
    #expect(rows.contains { $0.hasPrefix("> ") && $0.contains(" \(chosen)  ") })
  }
}
