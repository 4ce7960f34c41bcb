import ScriptRuntime
import ScriptSyntax
import ScriptWorlds
import Testing

@Suite struct TableStatementTests {
  private static let setup = """
    entity Book { title: String }
    controller books = Book sort by title
    fetch books

    """

  /// Counts how often a key is waited for, and answers.
  private final class Keys: ScriptEnvironment {
    var steps: [Int] = []
    let waits: Bool

    init(waits: Bool) { self.waits = waits }

    func awaitStep(_ step: Int) -> Bool {
      steps.append(step)
      return waits
    }
  }

  @Test(
    "stepping waits before each callback but the first, until the rest is asked for",
    arguments: [(true, [1, 2]), (false, [1])])
  func stepping(waits: Bool, steps: [Int]) throws {
    let keys = Keys(waits: waits)
    let interpreter = Interpreter(environment: keys) { _ in }
    let text = Self.setup + "table view = books\nperform stepping { insert Book(title: \"Dune\") }"

    try interpreter.run(ScriptParser.parse(SourceText(name: "test", text: text)))

    #expect(keys.steps == steps)
  }

  @Test(
    "who gives a table's controller another delegate is warned, and show says it",
    arguments: ["delegate books didChange", "delegate books { }", "table other = books"])
  func detached(text: String) throws {
    var lines: [String] = []
    let interpreter = Interpreter(environment: Keys(waits: false)) { event in
      lines += event.lines
    }
    var warnings: [String] = []
    interpreter.onWarning = { warning, _ in warnings.append(warning.message) }
    let script = Self.setup + "table view = books\n\(text)\nshow view"

    try interpreter.run(ScriptParser.parse(SourceText(name: "test", text: script)))

    #expect(
      warnings == [
        "table 'view' is no longer the delegate of 'books' and will not follow its changes; "
          + "write 'table view = books' to attach it again"
      ])
    #expect(
      lines.contains {
        $0 == "view of books: 1 section, 0 rows; detached, not the controller's delegate"
      }, "\(lines)")
  }

  @Test(
    "errors",
    arguments: [
      ("table view = book", "unknown controller 'book'; did you mean 'books'?"),
      ("table Book = books", "'Book' is already an entity; choose another name"),
      ("reload books", "expected a table, but 'books' is a controller"),
      ("suspend veiw", "unknown table 'veiw'; did you mean 'view'?"),
      ("show veiw", "unknown table 'veiw'; did you mean 'view'?"),
      ("trace Book on", "expected a table, but 'Book' is an entity"),
      ("fetch view", "expected an entity, a request or a controller, but 'view' is a table"),
      ("print view", "expected a value, but 'view' is a table; 'show view' draws it"),
    ])
  func errors(text: String, message: String) throws {
    let script = Self.setup + "table view = books\n" + text
    let playback = Playback(script)
    #expect(playback.failure?.contains("error: \(message)\n") == true)

    let parsed = ScriptParser.parse(SourceText(name: "test.frc", text: script))
    let findings = Checker(environment: ScriptFiles()).check(parsed)
    #expect(findings.map(\.diagnostic.message) == [message])
  }

  @Test("a name may be given to another table; the old one hears no more")
  func definedAnew() throws {
    let world = try ScriptWorld(Self.setup + "controller others = Book sort by title\nfetch others")
    try world.run("table view = books\ntable view = others\ninsert Book(title: \"Dune\")")

    #expect(
      world.lines == [
        "books willChangeContent", "books didChange object insert Book/1 \"Dune\" -> [0, 0]",
        "books didChangeContent", "others willChangeContent", "view beginUpdates",
        "others didChange object insert Book/1 \"Dune\" -> [0, 0]", "view insertRows [0, 0]",
        "others didChangeContent", "view endUpdates",
      ])
  }
}
