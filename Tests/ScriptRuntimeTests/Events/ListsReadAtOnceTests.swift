import ScriptRuntime
import ScriptSyntax
import ScriptWorlds
import Testing

@Suite("Lists whose receiver reads them at once")
struct ListsReadAtOnceTests {
  /// Runs a script, and returns the text of its events as a program prints it.
  private static func text(of script: String, atOnce: Bool) throws -> String {
    var bytes: [UInt8] = []
    let interpreter = Interpreter(environment: ScriptFiles()) { event in
      event.forEachPart(
        line: { bytes += Array("\($0)\n".utf8) }, { bytes += $0 })
    }
    interpreter.eventsAreReadAtOnce = atOnce
    let parsed = ScriptParser.parse(SourceText(name: "test", text: script))
    try #require(parsed.diagnostics.isEmpty)
    try interpreter.run(parsed)
    return String(decoding: bytes, as: UTF8.self)
  }

  private static let scripts = [
    // Sections, entities with and without a text, values to escape, many rows.
    """
    entity Thing { pages: Int }
    entity Book: Thing { title: String? }
    insert 300 Thing(pages: i % 3)
    insert 300 Book(pages: i % 3, title: "a \\"\\(i)\\"")
    insert Book(pages: 1)
    controller things = Thing sort by pages section by pages
    fetch things
    show things
    save
    show things
    delete Book/301
    Book/302.title = "new"
    show things
    """,
    // Faults, and objects that another context has changed.
    """
    entity Book { title: String, pages: Int = 0 }
    insert 3 Book(title: "Book \\(i)")
    save
    context bg
    controller books = Book sort by title
    fetch books
    perform bg { Book/2.title = "Zed"; delete Book/1 }
    save bg
    show books
    refresh Book/2
    show books
    fetch books
    show books
    """,
    // Code that runs when a value is read.
    """
    entity Book {
      title: String, transient initial: String = uppercase(substring(title, 0, 1)), display initial
      on awakeFromFetch { print "read" }
    }
    insert 2 Book(title: "book \\(i)")
    save
    controller books = Book sort by title
    fetch books
    show books
    reset
    fetch books
    show books
    """,
    // No rows, and no sections.
    """
    entity Book { title: String }
    controller books = Book sort by title section by title
    controller all = Book sort by title
    fetch books
    fetch all
    show books
    show all
    """,
  ]

  @Test("they have the same text", arguments: scripts)
  func text(of script: String) throws {
    let expected = try Self.text(of: script, atOnce: false)
    #expect(!expected.isEmpty)
    #expect(try Self.text(of: script, atOnce: true) == expected)
  }
}
