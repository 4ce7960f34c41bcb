import FetchedResults
import ScriptRuntime
import ScriptSyntax
import ScriptWorlds
import Testing

/// A script's controllers, checked for the replay law.
struct ReplayWatchTests {
  private static let library = """
    entity Book { title: String }
    controller books = Book sort by title
    fetch books

    """

  /// A world whose controllers are checked, and the violations of the law.
  private final class Watched {
    let world = ScriptWorld()
    private(set) var breaches: [String] = []

    init(_ text: String) throws {
      world.interpreter.onBreach = { [unowned self] controller, breach in
        breaches.append("\(controller): \(breach)")
      }
      try world.run(text)
    }

    func controller() throws -> FetchedResultsController {
      try #require(world.session.controllers["books"]).controller
    }
  }

  @Test(
    "what a delegate prints is the same, watched or not, and the law holds",
    arguments: [
      "", "delegate books changes", "delegate books didChange", "delegate books none",
      "delegate books snapshot", "delegate books diff", "delegate books counts",
      "delegate books { didChangeContent { fetch Book sort by title } }",
      "delegate books { didChangeObject { print \"\\($type)\" } }",
      "delegate books { sectionIndexTitle name { return name } }",
      "delegate books { willChangeContent { fetch books } }",
    ])
  func sameOutput(delegate: String) throws {
    let script =
      Self.library + delegate + """

        insert 3 Book(title: "T\\(i * 2 % 3)")
        perform { Book/1.title = "A"; delete Book/2; insert Book(title: "Z") }
        perform { fetch books; Book/3.title = "ZZ" }
        delegate books changes
        undo
        reset
        fetch books
        insert Book(title: "B")
        """

    let watched = try Watched(script)
    let plain = try ScriptWorld(script)

    #expect(watched.world.lines == plain.lines)
    #expect(watched.breaches == [])
  }

  @Test("a breach is heard with the controller's name, at the statement that shows it")
  func breach() throws {
    let watched = try Watched(Self.library)
    let controller = try watched.controller()
    controller.delegate?.controllerWillChangeContent(controller)

    try watched.world.run("let x = 1")
    #expect(
      watched.breaches == ["books: didChangeContent is missing after willChangeContent"])
    controller.delegate = nil
    try watched.world.run("insert Book(title: \"Dune\")")
    #expect(watched.breaches.count == 1)
  }
}
