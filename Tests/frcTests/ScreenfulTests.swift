import ScriptRuntime
import ScriptSyntax
import Testing

@testable import frc

/// The part of long output that a window shows.
@Suite struct ScreenfulTests {
  private static let books = """
    entity Book { title: String, pages: Int = 0 }
    insert 100 Book(title: "Title \\(i)", pages: i)

    """

  private func events(_ statements: String) throws -> [Event] {
    var events: [Event] = []
    let script = ScriptParser.parse(SourceText(name: "test", text: statements))
    try #require(!script.hasErrors)
    try Interpreter(environment: FileEnvironment()) { events.append($0) }.run(script)
    return events
  }

  private func screenful(
    rows: Int = 13, columns: Int = 80, mode: OutputFormat = .text
  ) -> Screenful {
    Screenful(
      Screenful.Window(rows: rows, columns: columns), mode: mode,
      painter: EventPainter(usesColor: false, isSeen: true))
  }

  /// The lines that a script prints which prints numbers.
  private func numbers(_ range: ClosedRange<Int>) -> [String] { range.map { "\($0)" } }

  @Test("what fits is shown whole, and nothing is said")
  func short() throws {
    var screen = screenful()
    let events = try events("for i in 1...9 { print i }")

    var lines = events.flatMap { screen.add($0) }
    lines += screen.finish()

    #expect(lines == numbers(1...9))
    #expect(screen.notice == nil)
    #expect(screen.more() == nil)
  }

  @Test("of many lines the first are shown at once, the last at the end, the others on demand")
  func stream() throws {
    var screen = screenful()
    let events = try events("for i in 1...100 { print i }")

    #expect(events.flatMap { screen.add($0) } == numbers(1...6))
    #expect(screen.finish() == ["…", "99", "100"])
    #expect(screen.notice == "# 92 of 100 lines hidden: :more, :page or :all shows them")
    let more = screen.more()
    #expect(more?.lines == numbers(7...15))
    #expect(more?.left == 85)
    var all: [String] = []
    screen.forEachPiece {
      all += $0
      return true
    }
    #expect(all == numbers(1...100))
  }

  @Test("of a value that is higher than the window, the first rows are shown")
  func highValue() throws {
    let value = String(repeating: "0123456789", count: 100)
    var screen = screenful()
    var events = try events("print '\(value)'")

    #expect(events.flatMap { screen.add($0) } == [])
    #expect(screen.finish() == [value.prefix(6 * 80 - 1) + "…"])
    #expect(screen.notice == "# cut to the window; :all shows it whole")
    #expect(screen.more()?.lines == [value])

    screen = screenful()
    events += try self.events("for i in 1...20 { print i }")
    #expect(events.flatMap { screen.add($0) } == [])
    #expect(screen.finish() == [value.prefix(6 * 80 - 1) + "…", "…", "19", "20"])
    #expect(screen.notice == "# 18 of 21 lines hidden: :more, :page or :all shows them")
  }

  @Test("of more events than are kept the last are shown, and how many cannot be shown again")
  func tooManyEvents() throws {
    var screen = screenful()
    let event = try #require(try events("print 1").first)
    for _ in 1...100_100 { _ = screen.add(event) }
    for event in try events("for i in 2...31 { print i }") { _ = screen.add(event) }

    #expect(screen.finish() == ["…", "30", "31"])
    #expect(
      screen.notice
        == "# 100,122 of 100,130 lines hidden: :more, :page or :all shows the first 100,000")
    #expect(screen.more()?.left == 99_985)
    #expect(screen.lost == 130)
    var count = 0
    screen.forEachPiece {
      count += $0.count
      return true
    }
    #expect(count == 100_000)
  }

  @Test("of events that are just too many, the kept ones belong to the end")
  func oneEventTooMany() throws {
    var screen = screenful()
    let event = try #require(try events("print 1").first)
    for _ in 1...100_000 { _ = screen.add(event) }
    for event in try events("print 2") { _ = screen.add(event) }

    #expect(screen.finish() == ["…", "1", "2"])
  }

  @Test("a long list is shown with its first and last rows at once, cut to the window")
  func list() throws {
    var screen = screenful(columns: 24)
    let events = try events(Self.books + "fetch Book")

    let lines = screen.add(try #require(events.last))
    #expect(
      lines == [
        "Book/1 title: \"Title 1\"…", "Book/2 title: \"Title 2\"…", "Book/3 title: \"Title 3\"…",
        "Book/4 title: \"Title 4\"…", "Book/5 title: \"Title 5\"…", "…",
        "Book/98 title: \"Title 9…", "Book/99 title: \"Title 9…", "Book/100 title: \"Title …",
      ])
    #expect(screen.finish() == [])
    #expect(screen.hidden == 92)
    #expect(screen.more()?.lines.first == "Book/6 title: \"Title 6\"…")
  }

  @Test("a table leaves its middle out and is aligned as one")
  func table() throws {
    var screen = screenful(mode: .table)
    let events = try events(Self.books + "fetch Book")

    let lines = screen.add(try #require(events.last))
    #expect(
      lines == [
        "Book     │ title     │ pages", "─────────┼───────────┼──────",
        "Book/1   │ Title 1   │     1", "Book/2   │ Title 2   │     2",
        "Book/3   │ Title 3   │     3", "Book/4   │ Title 4   │     4", "…",
        "Book/99  │ Title 99  │    99", "Book/100 │ Title 100 │   100",
      ])
    #expect(screen.notice == "# 94 of 100 rows hidden: :more, :page or :all shows them")
  }

  @Test("wide columns are cut to the window, the widest first")
  func cutColumns() throws {
    let events = try events(
      """
      entity Book { title: String, note: String }
      insert Book(title: "A title of some length", note: "A note that is longer than the title")
      fetch Book
      """)
    var screen = screenful(columns: 40, mode: .table)

    let lines = screen.add(try #require(events.last))
    #expect(
      lines == [
        "Book   │ title          │ note", "───────┼────────────────┼───────────────",
        "Book/1 │ A title of so… │ A note that i…",
      ])
  }

  @Test("in a narrow window each row is a record")
  func records() throws {
    let events = try events(
      """
      entity Book { title: String, pages: Int = 0, publisher: String? }
      insert Book(title: "砂の惑星", pages: 412)
      insert Book(title: "Emma or a very long title", pages: 9)
      fetch Book
      """)
    var screen = screenful(columns: 26, mode: .table)

    let lines = screen.add(try #require(events.last))
    #expect(
      lines == [
        "row 1", "  Book       Book/1", "  title      砂の惑星", "  pages      412",
        "  publisher  nil", "row 2", "  Book       Book/2", "  title      Emma or a ve…",
        "  pages      9", "  publisher  nil",
      ])
  }

  @Test("CSV quotes what needs it, and nil is empty")
  func csv() throws {
    let events = try events(
      """
      entity Book { title: String, pages: Int?, note: String? }
      insert Book(title: "a, \\"b\\"", note: "x\\ny")
      fetch Book
      """)

    #expect(
      OutputFormat.csv.lines(for: try #require(events.last))
        == ["Book,title,pages,note", "Book/1,\"a, \"\"b\"\"\",,\"x\ny\""])
  }

  @Test("Markdown has tables for rows, aligned by type, and code for all else")
  func markdown() throws {
    let events = try events(
      """
      entity Book { title: String, pages: Int = 0 }
      insert Book(title: "a|b*", pages: 3)
      fetch Book
      print "x"
      """)

    #expect(
      events.flatMap { OutputFormat.markdown.lines(for: $0) } == [
        "| Book | title | pages |", "| --- | --- | ---: |", "| Book/1 | a\\|b\\* | 3 |", "",
        "    x",
      ])
  }

  @Test("sections, identities and dictionaries are tables, too")
  func lists() throws {
    let events = try events(
      Self.books + """
        controller books = Book where pages < 3 sort by pages section by title
        fetch books
        show books
        fetch Book where pages < 2 returning objectIDs
        """)

    #expect(
      OutputFormat.csv.lines(for: events[events.count - 2]) == [
        "path,section,object,shown as", "\"[0, 0]\",Title 1,Book/1,", "\"[1, 0]\",Title 2,Book/2,",
      ])
    #expect(OutputFormat.csv.lines(for: try #require(events.last)) == ["Book", "Book/1"])
  }
}
