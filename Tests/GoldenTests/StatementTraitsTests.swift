import FetchedResults
import Foundation
import RepositoryFiles
import ScriptRuntime
import ScriptSyntax
import ScriptWorlds
import Testing

/// Compares the descriptions of statements with their effect on the store and on turns, for every
/// kind of statement.
struct StatementTraitsTests {
  @Test("there is a statement of every kind")
  func complete() throws {
    let text = try RepositoryFiles.text("Sources/ScriptSyntax/Syntax/StatementKind.swift")
    let start = try #require(text.firstRange(of: "indirect enum Kind"))
    let rest = text[start.upperBound...]
    let body = rest[..<(try #require(rest.firstRange(of: "\n  }\n")).lowerBound)]
    let kinds = body.matches(of: /\n    case `?(\w+)/).map { String($0.1) }

    #expect(kinds.count > 50)
    #expect(Set(kinds).subtracting(Example.all.map(\.kind)) == [])
  }

  @Test("a store opens for the statements that need it, and for no other", arguments: Example.all)
  func opening(example: Example) throws {
    let session = try ExampleSession(example, opensStore: false)
    let wasOpen = session.isOpen

    session.run()

    #expect(session.isOpen == (wasOpen || example.traits.needsStore))
  }

  @Test(
    "a statement that needs no store prints the same where one is open",
    arguments: Example.all.filter {
      !$0.comesFirst && !$0.traits.needsStore
    })
  func withoutStore(example: Example) throws {
    let closed = try ExampleSession(example, opensStore: false)
    let open = try ExampleSession(example, opensStore: true)

    #expect(closed.run() == open.run())
  }

  @Test("a statement that ends a turn leaves no change to be processed", arguments: Example.all)
  func turns(example: Example) throws {
    let session = try ExampleSession(example, opensStore: !example.comesFirst)
    let context = session.interpreter.session.context
    let entity = try #require(session.interpreter.session.entities.first)
    context.insert(entity)
    #expect(context.hasUnprocessedChanges)

    session.run()

    #expect(!context.hasUnprocessedChanges || !example.traits.endsTurn)
    // A statement that runs others ends the turn itself, or they do.
    #expect(example.traits.endsTurn || example.traits.effect == .runs)
  }
}

/// A statement, with the statements that must run before it.
struct Example: Sendable, CustomTestStringConvertible {
  let text: String
  let setup: String
  let statement: Statement

  var traits: StatementTraits { statement.traits }
  var kind: String { String(String(describing: statement.kind).prefix { $0 != "(" }) }
  /// Whether it must run before the store is opened.
  var comesFirst: Bool { ["entity", "model", "storeMemory", "storeSQLite"].contains(kind) }
  var testDescription: String { text }

  init(_ text: String, after setup: String = "") {
    let script = ScriptParser.parse(SourceText(name: "", text: text))
    guard let statement = script.statements.first, script.diagnostics.isEmpty else {
      fatalError("'\(text)' is not a statement")
    }
    self.text = text
    self.setup = setup
    self.statement = statement
  }

  private static let controller = "controller books = Book sort by title"
  private static let table = controller + "\ntable view = books"

  static let all: [Example] = [
    Example("entity Shelf { name: String }"), Example("model \"none.xcdatamodeld\""),
    Example("store memory"), Example("store sqlite \"other.sqlite\""),
    Example("save"), Example("rollback"), Example("reset"), Example("process"),
    Example("context child parent main"), Example("merge main into child", after: "context child"),
    Example("automerge child on", after: "context child"),
    Example("observe main"), Example("observe child off", after: "context child\nobserve child"),
    Example("merge history into main"), Example("merge history by \"widget\" into main"),
    Example("history"), Example("history by \"widget\" after 1"), Example("delete history"),
    Example("delete history before 2"), Example("extension \"widget\" { insert Book; save }"),
    Example("set author \"app\""),
    Example("refresh Book/1"), Example("refresh all"), Example("undo"), Example("redo"),
    Example("insert Book(title: \"Emma\")"), Example("let one = 1"),
    Example("let first = Book/1.title"), Example("Book/1.title = \"It\""),
    Example("update Book { pages = 2 }"), Example("import \"none.csv\" into Book"),
    Example("delete Book/1"), Example("delete Book where pages == 1"),
    Example("batch insert Book(title: \"Kim\")"), Example("batch update Book { pages = 2 }"),
    Example("batch delete Book"), Example("merge batch into main", after: "batch delete Book"),
    Example("obtain permanent ids"), Example("obtain permanent ids for Book/1"),
    Example("perform {}"), Example("perform child {}", after: "context child"),
    Example("for one in [1] {}"), Example("for book in fetch Book {}"), Example("if false {}"),
    Example("if Book/1.pages == 1 {}"), Example("repeat 1 {}"), Example("include \"empty.frc\""),
    Example("include \"empty.frc\" alone"),
    Example("set locale \"de\""), Example("set clock Book/1.added"), Example("expect 1 == 1"),
    Example("expect Book/1.pages == 1"), Example("try if false {}"),
    Example("request long = Book where pages > 100"), Example("request stored = stored \"none\""),
    Example(controller), Example("observer list = Book sort by title"), Example("fetch Book"),
    Example("count Book"),
    Example("change books limit 1", after: controller),
    Example("delegate books none", after: controller),
    Example("delegate books { didChangeContent { print 1 } }", after: controller),
    Example("return 1"), Example("delete cache \"none\""), Example("delete caches"),
    Example("table view = books", after: controller), Example("suspend view", after: table),
    Example("resume view", after: table), Example("reload view", after: table),
    Example("trace view on", after: table), Example("show books", after: controller),
    Example("show view", after: table), Example("show books.request", after: controller),
    Example("show model"), Example("objects Book"), Example("print 1 + 1"),
    Example("print Book/1.title"), Example("caches"), Example("stats"),
    Example("evaluate pages > 0 on Book/1"), Example("explain"), Example("explain Book/1"),
    Example("swift Book"), Example("swift count Book"), Example("quirk samePathMove on"),
  ]
}

/// A session for an example, with a store that contains a book.
private final class ExampleSession {
  let interpreter: Interpreter
  private let example: Example
  private let output = Output()
  private let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("frc-traits-\(UUID().uuidString)")

  private final class Output { var lines: [String] = [] }

  private static let beginning = """
    store sqlite "library.sqlite"
    entity Book { title: String = "", pages: Int = 1, added: Date = @2026-01-01 }

    """

  init(_ example: Example, opensStore: Bool) throws {
    self.example = example
    let environment = FolderEnvironment()
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data().write(to: folder.appendingPathComponent("empty.frc"))
    try Self.run(
      Self.beginning + "insert Book(title: \"Dune\", pages: 412)\nsave",
      in: Interpreter(environment: environment, stepLimit: 1000) { _ in })
    interpreter = Interpreter(environment: environment, stepLimit: 1000) { [output] event in
      output.lines += event.lines
    }
    try Self.run(
      Self.beginning + (opensStore ? "count Book\n" : "") + example.setup, in: interpreter)
    output.lines = []
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  var isOpen: Bool { interpreter.session.openStore != nil }

  /// Runs the example, and returns its output and its mistakes.
  @discardableResult
  func run() -> [String] {
    let source = SourceText(
      name: folder.appendingPathComponent("script.frc").path, text: example.text)
    do {
      try interpreter.run(ScriptParser.parse(source).statements[0], in: source)
    } catch {
      output.lines.append("\(error.kind)")
    }
    return output.lines
  }

  private static func run(_ text: String, in interpreter: Interpreter) throws {
    let script = ScriptParser.parse(SourceText(name: "setup", text: text))
    #expect(script.diagnostics.isEmpty, "\(text)")
    try interpreter.run(script)
  }
}
