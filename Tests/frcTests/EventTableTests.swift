import ScriptRuntime
import ScriptSyntax
import Testing

@testable import frc

/// How `:mode table` shows events.
@Suite struct EventTableTests {
  private func table(_ statements: String, as format: OutputFormat = .table) throws -> [String]? {
    var events: [Event] = []
    let script = ScriptParser.parse(SourceText(name: "test", text: statements))
    try #require(!script.hasErrors)
    try Interpreter(environment: FileEnvironment()) { events.append($0) }.run(script)
    return events.last.flatMap { EventTable($0) == nil ? nil : format.lines(for: $0) }
  }

  @Test("numbers stand to the right, and wide letters count twice")
  func columns() throws {
    let lines = try table(
      """
      entity Book { title: String, pages: Int = 0 }
      insert Book(title: "砂", pages: 412)
      insert Book(title: "Emma")
      fetch Book
      """)

    #expect(
      lines == [
        "Book   │ title │ pages", "───────┼───────┼──────", "Book/1 │ 砂    │   412",
        "Book/2 │ Emma  │     0",
      ])
  }

  @Test("a cell has one line, and no control character acts on the terminal")
  func controlCharacters() throws {
    let lines = try table(
      """
      entity Book { title: String }
      insert Book(title: "a\\nb\\u{1B}[31m\\tc")
      fetch Book
      """)

    #expect(lines?.last == "Book/1 │ a⏎b\\u{1b}[31m\\u{9}c")
  }

  @Test("rows of sibling entities have the columns of each, whatever the order of the rows")
  func siblings() throws {
    let world = """
      entity Item { name: String, note: String? }
      entity Book: Item { pages: Int = 0 }
      entity Film: Item { genre: String?, minutes: Int = 0 }
      entity Song: Item { key: String? }
      insert Song(name: "S", key: "C")
      insert Book(name: "B", pages: 412)
      insert Film(name: "F", minutes: 90)
      insert Item(name: "I")

      """
    let rows: Set<String> = [
      "Song/1 │ S    │ nil  │       │         │       │ C",
      "Book/2 │ B    │ nil  │       │         │   412 │",
      "Film/3 │ F    │ nil  │ nil   │      90 │       │",
      "Item/4 │ I    │ nil  │       │         │       │",
    ]

    for fetch in ["fetch Item sort by name", "fetch Item sort by name desc"] {
      let lines: [String] = try #require(try table(world + fetch))
      #expect(lines[0] == "Item   │ name │ note │ genre │ minutes │ pages │ key")
      #expect(Set(lines.dropFirst(2)) == rows)
    }
  }

  @Test("in CSV, nil is an empty field, and an empty text has quotes")
  func emptyFields() throws {
    let rows = """
      entity Book { title: String?, note: String? }
      insert Book(note: "")
      insert Book(title: "")
      insert Book(title: "x\\"y")
      save
      fetch Book values title, note
      """

    #expect(try table(rows, as: .csv) == ["title,note", ",\"\"", "\"\",", "\"x\"\"y\","])
  }

  @Test("what lists nothing is no table")
  func nothing() throws {
    #expect(try table("print 1") == nil)
  }
}
