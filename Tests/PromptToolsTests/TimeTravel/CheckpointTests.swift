import FetchedResults
import PromptTools
import ScriptRuntime
import ScriptSyntax
import ScriptWorlds
import Testing

@Suite struct CheckpointTests {
  private final class World {
    let timeline: SessionTimeline

    init(_ environment: any ScriptEnvironment = ScriptFiles()) {
      timeline = SessionTimeline(
        environment: environment, evaluation: EvaluationEnvironment(), prepare: { _ in },
        warn: { _, _ in }, emit: { _ in })
    }

    func run(_ text: String) throws {
      let script = ScriptParser.parse(SourceText(name: "<prompt>", text: text), as: .prompt)
      for statement in script.statements { try timeline.run(statement, in: script.source) }
    }

    func outcome(_ text: String) -> TrialOutcome? {
      let script = ScriptParser.parse(SourceText(name: "<prompt>", text: text), as: .prompt)
      return timeline.trial(of: script, within: .seconds(10))
    }

    var count: Int {
      timeline.interpreter.markedSections(of: "books")?.sections.reduce(0) { $0 + $1.count } ?? 0
    }
  }

  private let library = """
    entity Book { title: String, pages: Int = 0 }
    controller books = Book sort by title
    fetch books
    """

  @Test("one point back in a session of many objects runs nothing again")
  func large() throws {
    let world = World()
    try world.run(library + "\ninsert 20000 Book(title: \"Book \\(i)\")")
    world.timeline.awaitCheckpoints()
    try world.run("delete Book/7")
    world.timeline.awaitCheckpoints()
    #expect(world.count == 19_999)

    let back = try ContinuousClock().measure { try world.timeline.undo() }
    #expect(world.timeline.repeatedCount == 0)
    #expect(back < .milliseconds(100), "\(back)")
    #expect(world.count == 20_000)
    let forward = try ContinuousClock().measure { try world.timeline.redo() }
    #expect(world.timeline.repeatedCount == 0)
    #expect(forward < .milliseconds(100), "\(forward)")
    #expect(world.count == 19_999)
    // The session that was rebuilt in the background continues like the first one.
    try world.timeline.undo()
    try world.run("insert Book(title: \"New\")")
    #expect(world.count == 20_001)
    world.timeline.close()
  }

  @Test("a file that a script has opened in a session of its own is opened once")
  func fileOfAnotherSession() throws {
    let files = StoreFiles([
      "first.frc": """
      store sqlite "books.sqlite"
      entity Book { title: String }
      insert 100000 Book(title: "Book \\(i)")
      save
      """
    ])
    let world = World(files)
    try world.run("include \"first.frc\" alone")
    try world.run("let a = 1")
    #expect(world.timeline.points[0].processorTime > .milliseconds(50))
    world.timeline.awaitCheckpoints()

    #expect(files.openings == 1)
    #expect(!world.timeline.canGoBack)
    #expect(throws: SessionTimeline.Obstacle.storeInFile("books.sqlite")) {
      try world.timeline.undo()
    }
    #expect(world.timeline.position == 2)
    world.timeline.close()
  }

  @Test("a second way back does not wait for a session that is built")
  func twice() throws {
    let world = World()
    try world.run(library + "\ninsert 20000 Book(title: \"Book \\(i)\")")
    world.timeline.awaitCheckpoints()
    try world.run("delete Book/7")
    world.timeline.awaitCheckpoints()
    try world.run("delete Book/8")
    world.timeline.awaitCheckpoints()

    for count in [19_999, 20_000] {
      try world.timeline.undo()
      #expect(world.timeline.repeatedCount <= 1)
      #expect(world.count == count)
    }
    world.timeline.close()
  }

  @Test("a third way back does not wait for a session that is built, either")
  func threeTimes() throws {
    let world = World()
    try world.run(library + "\ninsert 20000 Book(title: \"Book \\(i)\")")
    for number in 7...9 {
      try world.run("delete Book/\(number)")
      world.timeline.awaitCheckpoints()
    }

    for count in [19_998, 19_999, 20_000] {
      try world.timeline.undo()
      #expect(world.timeline.repeatedCount <= 2)
      #expect(world.count == count)
    }
    world.timeline.close()
  }

  @Test("a result of the past is known to a trial, and not to the points that follow")
  func pastResult() throws {
    let world = World()
    try world.run(library + "\ninsert 20000 Book(title: \"Book \\(i)\")")
    try world.run("41; let a = _; let b = 1")
    world.timeline.awaitCheckpoints()

    try world.timeline.go(to: 5)
    try world.run("\"past\"")
    let outcome = try #require(world.outcome("insert Book(title: _)"))
    #expect(outcome.failure == nil)
    try world.timeline.go(to: 4)
    try world.timeline.go(to: 7)
    try world.run("expect a == 41")
    world.timeline.close()
  }

  @Test("output of more than a megabyte is not kept, and is made again for a record")
  func longOutput() throws {
    let world = World()
    try world.run("entity Book { title: String }")
    try world.run("insert 20000 Book(title: \"A title that is rather long, for a book: \\(i)\")")
    try world.run("fetch Book")

    #expect(world.timeline.points.last?.output.lines == nil)
    #expect(world.timeline.outputs().last??.count == 20_000)
    world.timeline.close()
  }

  @Test("a trial tells what would be sent, and changes nothing")
  func trial() throws {
    let world = World()
    try world.run(library)

    let lines = world.outcome("insert Book(title: \"A\")")?.callbacks.flatMap {
      $0.lines
    }
    #expect(
      lines == [
        "books willChangeContent", "books didChange object insert Book/1 \"A\" -> [0, 0]",
        "books didChangeContent",
      ])
    #expect(world.count == 0 && world.timeline.position == 3)
    #expect(world.outcome("Book/9.title = \"A\"")?.failure != nil)
  }

  @Test(
    "what has effects outside is not tried",
    arguments: [
      "import \"a.csv\" into Book", "include \"a.frc\"", "store memory", "set clock @2026-01-01",
      "perform stepping { save }", "if true { include \"a.frc\" }", "entity A { name: String }",
    ])
  func unsafe(_ text: String) throws {
    let world = World()
    try world.run(library)

    #expect(world.outcome(text) == nil)
  }

  @Test("nothing is tried where a hook prints")
  func hook() throws {
    let world = World()
    try world.run(
      "entity Book { title: String; on willSave { print 1 } }\ninsert Book(title: \"A\")")

    #expect(world.outcome("save") == nil)
  }
}
