import Basics
import FetchedResults
import Foundation
import PromptTools
import RandomLaws
import ScriptRuntime
import ScriptSyntax
import ScriptWorlds
import Synchronization
import Testing

@Suite struct SessionTimelineTests {
  /// A timeline with the test's own environment, and its output.
  private final class World {
    let files = ScriptFiles()
    private(set) var lines: [String] = []
    private(set) lazy var timeline = SessionTimeline(
      environment: files, evaluation: evaluation, prepare: { _ in }, warn: { _, _ in },
      emit: { [unowned self] event in
        let lines = event.lines
        self.lines += lines
        if lines == ["wait"] { Thread.sleep(forTimeInterval: 0.6) }
        if lines == ["stop"] || lines[0].contains("\"stop\"") { files.isInterrupted = true }
      })
    var evaluation = EvaluationEnvironment()
    /// Counts how often it was asked whether to stop.
    private final class Stopper: Sendable {
      let questions = Atomic(0)
      let lastQuestion = Atomic(Int.max)

      func ask() -> Bool {
        questions.wrappingAdd(1, ordering: .relaxed).newValue
          > lastQuestion.load(ordering: .relaxed)
      }
    }

    private let stopper = Stopper()

    init(running text: String? = nil) {
      evaluation.isCancelled = { [stopper] in stopper.ask() }
      if let text { run(text) }
    }

    /// How often the statements that ran last asked whether to stop.
    var questionCount: Int { stopper.questions.load(ordering: .relaxed) }

    /// Runs statements until one fails, and returns their output.
    ///
    /// - Parameter count: After how many questions the answer is that they are to stop.
    @discardableResult
    func run(_ text: String, stoppingAfter count: Int = .max) -> [String] {
      lines = []
      files.isInterrupted = false
      stopper.questions.store(0, ordering: .relaxed)
      stopper.lastQuestion.store(count, ordering: .relaxed)
      let script = ScriptParser.parse(SourceText(name: "<prompt>", text: text), as: .prompt)
      for statement in script.statements {
        do {
          try timeline.run(statement, in: script.source)
        } catch {
          lines.append("error: \(error.kind)")
          break
        }
      }
      return lines
    }
  }

  @Test("an observer is taken back with its results, and published again")
  func observers() throws {
    let world = World()
    world.run(
      "entity Book { title: String }\nobserver books = Book sort by title\n"
        + "insert Book(title: \"Dune\")")
    #expect(world.run("save") == ["books results 0 -> 1", "  insert Book/1 \"Dune\" -> [0, 0]"])

    try world.timeline.undo()

    #expect(world.run("print books.results") == ["[]"])
    #expect(world.run("save") == ["books results 0 -> 1", "  insert Book/1 \"Dune\" -> [0, 0]"])
  }

  private let library = """
    entity Book { title: String, pages: Int = 0 }
    context bg
    controller books = Book sort by title
    fetch books
    let dune = insert Book(title: "Dune")
    save
    """

  @Test("contexts, controllers, variables, caches and unsaved changes come back")
  func everything() throws {
    let world = World(running: library)
    world.run("dune.pages = 7")
    world.run("set clock @2026-01-02; delegate books counts; delete dune")
    try world.timeline.go(to: 7)

    #expect(world.run("print dune.pages") == ["7"])
    #expect(world.run("objects Book") == ["Book/1 \"Dune\" updated"])
    #expect(world.run("perform bg { print dune.pages }") == ["0"])
    #expect(
      world.run("dune.pages = 8") == [
        "books willChangeContent", "books didChange object update Book/1 \"Dune\" [0, 0]",
        "books didChangeContent",
      ])
  }

  @Test("a statement that is stopped leaves the session as it was, half-done work and numbers too")
  func interrupted() {
    let world = World(running: library)

    let stopped = world.run(
      """
      perform {
        dune.title = "half"
        save
        insert Book(title: "B")
        print "stop"
        print "never"
      }
      """)
    #expect(stopped.last == "error: interrupted" && !stopped.contains("never"))
    #expect(world.timeline.wasRestored)
    #expect(world.timeline.position == 6)

    #expect(world.run("print dune.title; count Book") == ["Dune", "1"])
    #expect(world.run("insert Book(title: \"C\")").contains { $0.contains("insert Book/2") })
  }

  /// Statements with several turns, which only a session that is built again can undo.
  private static let severalTurns = [
    #"for i in 1...30 { insert Book(title: "loop \(i)"); dune.pages += 1 }"#,
    """
    perform {
      insert 60 Book(title: "new \\(i * 7 % 60)", pages: i)
      save
      for book in books.fetchedObjects { book.pages += 1 }
    }
    """,
    "perform { for book in books.fetchedObjects { delete book }; fetch books; rollback }",
    #"perform bg { insert 40 Book(title: "from bg \(i)"); save }"#,
    """
    perform {
      controller more = Book sort by pages, title section by pages
      fetch more
      dune.title = "Dune again"
      fetch books
      insert 40 Book(pages: i % 5, title: "more \\(i)")
    }
    """,
    "perform { batch update Book { pages += 1 }; refresh all; fetch books }",
  ]

  @Test("a statement that is stopped anywhere changes nothing, and does the same afterwards")
  func stoppedAnywhere() throws {
    // The list of objects comes last, because it tells which of them were read.
    let look = "print dune.pages; show books; perform bg { count Book }; objects Book"
    var stops = 0
    for seed in LawSeeds(seconds: 0.6) {
      var random = SeededGenerator(seed: seed)
      let (world, whole) = (World(), World())
      for world in [world, whole] { world.run(library) }
      for turn in 1...6 {
        let statement = random.one(of: Self.severalTurns) ?? ""
        let words: Comment = "turn \(turn) of seed \(seed): \(statement)"
        let before = whole.run(look)
        let lines = whole.run(statement)
        var found: [String]?
        for _ in 1...2 where found == nil {
          found = world.run(statement, stoppingAfter: random.number(0...whole.questionCount))
          guard found?.last == "error: interrupted" else { continue }
          found = nil
          stops += 1
          #expect(world.timeline.wasRestored, words)
          try #require(world.run(look) == before, words)
        }
        try #require(found ?? world.run(statement) == lines, words)
      }
    }
    #expect(stops > 0)
  }

  @Test("a turn that is stopped while it is told is told no further, and is taken back")
  func interruptedTelling() {
    let world = World(running: library)

    let stopped = world.run(
      """
      perform {
        insert Book(title: "a")
        insert Book(title: "stop")
        insert 5 Book(title: "z\\(i)")
      }
      """)
    #expect(
      stopped == [
        "books willChangeContent", "books didChange object insert Book/2 \"a\" -> [0, 1]",
        "books didChange object insert Book/3 \"stop\" -> [0, 2]", "error: interrupted",
      ])
    #expect(world.timeline.wasRestored)

    #expect(world.run("count Book; print books.fetchedObjects.count") == ["1", "1"])
  }

  @Test("what is measured is shown, and left out of what a recording would print")
  func measurements() {
    let world = World()
    world.files.memoryInUse = 29_600_000

    #expect(
      world.run("stats") == ["statements 0, rows read 0, faults fired 0, memory 29.6 MB"])
    #expect(
      world.timeline.points.last?.output.lines == ["statements 0, rows read 0, faults fired 0"])
  }

  @Test("what is stopped while it only looks costs nothing, and nothing is lost")
  func interruptedLook() {
    let world = World(running: library)
    let session = world.timeline.session

    world.run("for i in 1...3 { print \"x\" }; print \"stop\"; print 2")

    #expect(world.timeline.session === session)
    #expect(world.timeline.position == 8)
  }

  @Test("a statement that fails is a point, and fails again")
  func failures() throws {
    let world = World(running: library)
    world.run("perform { insert Book(title: \"half\"); print nothing }")
    world.run("let n = count(Book)")
    #expect(world.run("print n") == ["2"])

    try world.timeline.undo()
    #expect(world.run("count Book") == ["2"])
    try world.timeline.undo()
    #expect(world.run("count Book") == ["1"])
  }

  @Test("the clock stands still in a statement, and says the same when it runs again")
  func clock() throws {
    let world = World()
    var seconds = 0.0
    nonisolated(unsafe) let tick = { () -> Double in
      seconds += 1.5
      return seconds
    }
    world.evaluation = EvaluationEnvironment(now: { Date(timeIntervalSince1970: tick()) })

    world.run("let a = [now(), now()]")
    let first = world.run("print a")
    #expect(first == ["[1970-01-01T00:00:01.500Z, 1970-01-01T00:00:01.500Z]"])
    world.run("let b = now()")
    try world.timeline.undo()
    #expect(world.run("print a") == first)
  }

  @Test("a new statement drops what was undone; one that only looks does not")
  func branches() throws {
    let world = World(running: "let a = 1; let b = 2; let c = 3")

    try world.timeline.undo(2)
    world.run("print a")
    for look in ["stats", "try expect a == 2", "explain", "caches"] {
      world.run(look)
      #expect(world.timeline.points.count == 3, "\(look)")
    }
    #expect(world.timeline.points.count == 3)
    try world.timeline.redo()
    #expect(world.run("print b") == ["2"])
    world.run("let d = 4")
    #expect(world.timeline.points.map(\.text) == ["let a = 1", "let b = 2", "let d = 4"])
    #expect(throws: SessionTimeline.Obstacle.nothingToRedo) { try world.timeline.redo() }
    #expect(throws: SessionTimeline.Obstacle.noPoint(9, last: 3)) {
      try world.timeline.go(to: 9)
    }
    try world.timeline.undo(99)
    #expect(throws: SessionTimeline.Obstacle.nothingToUndo) { try world.timeline.undo() }
  }

  @Test("objects that are listed in the past keep what was undone; a controller's fetch does not")
  func fetchesInThePast() throws {
    let world = World()
    world.run("entity Book { n: Int = 0 }; controller books = Book sort by n; save")
    world.run("insert Book(n: 1); insert Book(n: 2)")

    try world.timeline.undo()
    #expect(world.run("fetch Book; try fetch Book where n == 9") == ["Book/1 n: 1", "no Book"])
    try world.timeline.redo()
    #expect(world.run("fetch Book").count == 2)

    try world.timeline.undo()
    world.run("fetch Book; insert Book(n: 3)")
    try world.timeline.undo()
    #expect(world.run("fetch Book") == ["Book/1 n: 1"])
    try world.timeline.redo()
    #expect(world.run("fetch Book") == ["Book/1 n: 1", "Book/2 n: 3"])

    try world.timeline.undo()
    world.run("fetch books")
    #expect(throws: SessionTimeline.Obstacle.nothingToRedo) { try world.timeline.redo() }
  }

  @Test(
    "a fetch that refreshes objects takes the place of what was undone",
    arguments: [
      "fetch Book shouldRefreshRefetchedObjects on", "fetch newer", "try fetch newer",
    ])
  func refreshingFetch(fetch: String) throws {
    let world = World(running: library)
    world.run("request newer = Book shouldRefreshRefetchedObjects on")
    world.run("perform bg { dune.title = \"Emma\"; save }")
    world.run("dune.pages = 7")
    try world.timeline.undo()

    world.run("fetch newer shouldRefreshRefetchedObjects off")
    #expect(world.timeline.position == 8 && world.timeline.points.count == 9)
    #expect(world.run(fetch).contains("books didChange object update Book/1 \"Emma\" [0, 0]"))
    #expect(throws: SessionTimeline.Obstacle.nothingToRedo) { try world.timeline.redo() }
    #expect(world.timeline.points.last?.text == fetch)
    try world.timeline.undo()
    #expect(world.run("print dune.title") == ["Dune"])
  }

  @Test("a result of the past is there again for the statements that took the place of others")
  func pastResults() throws {
    let world = World(running: "entity Book { n: Int = 0 }; insert Book(n: 1); insert Book(n: 2)")
    try world.timeline.undo()
    world.run("41 + 1; print 3")
    world.run(#"for i in 1...3 { insert Book(n: i); print "stop" }"#)
    #expect(world.timeline.wasRestored)
    world.run("insert Book(n: _); insert Book(n: 7)")

    try world.timeline.undo()
    #expect(world.run("count Book where n == 42; count Book") == ["1", "2"])
    try world.timeline.undo(99)
    try world.timeline.redo(99)
    #expect(world.run("count Book where n == 42; count Book") == ["1", "3"])
    #expect(
      world.timeline.points.map(\.text).prefix(5) == [
        "entity Book { n: Int = 0 }", "insert Book(n: 1)", "print 41 + 1", "insert Book(n: _)",
        "insert Book(n: 7)",
      ])
  }

  @Test("Ctrl-C on the way back leaves the session where it is")
  func interruptedTravel() throws {
    let world = World(running: "let a = 1; let b = 2")

    world.files.isInterrupted = true
    #expect(throws: SessionTimeline.Obstacle.interrupted) { try world.timeline.undo() }

    #expect(world.run("print b") == ["2"])
  }

  @Test("undo and redo count no statements that only look")
  func looks() throws {
    let world = World(running: "let a = 1; print a; let b = 2; print b; print a + b")

    try world.timeline.undo()
    #expect(world.timeline.position == 2)
    try world.timeline.undo()
    #expect(world.timeline.position == 0)
    #expect(throws: SessionTimeline.Obstacle.nothingToUndo) { try world.timeline.undo() }
    try world.timeline.redo()
    #expect(world.timeline.position == 1)
    try world.timeline.redo()
    #expect(world.timeline.position == world.timeline.points.count)
    #expect(world.run("print b") == ["2"])
  }

  @Test(
    "undo counts no statement that changed nothing: a failed one, or a block that only looks",
    arguments: [
      "dune.zzz = 3", "insert Book(zzz: 1)", "let x = nothing", "try dune.zzz = 3",
      "perform { show books }", "if true { print dune.title }", "repeat 2 { count Book }",
      "for b in fetch Book { print b.title }", "if false { delete dune }",
      "update Book where pages > 9 { pages = 1 }", "perform {}", "for b in fetch Book {}",
    ])
  func changesNothing(statement: String) throws {
    let world = World(running: library)
    world.run("dune.pages = 7")
    world.run(statement)

    try world.timeline.undo()

    #expect(world.run("print dune.pages") == ["0"])
    world.run(statement)
    try world.timeline.redo()
    #expect(world.run("print dune.pages") == ["7"])
  }

  @Test(
    "undo counts what the session keeps, also of a statement that failed",
    arguments: [
      "let x = 3", "perform { dune.pages = 8; print nothing }", "save", "delegate books none",
      "perform { delegate books none; print nothing }", "print fetch books", "undo",
      "include \"other.frc\"",
    ])
  func changesSomething(statement: String) throws {
    let world = World(running: library)
    world.run("dune.pages = 7")
    world.run(statement)

    try world.timeline.undo()

    #expect(world.timeline.position == 7)
    #expect(world.run("print dune.pages") == ["7"])
  }

  @Test("of what was printed only so much is kept, and the rest is made again where it is wanted")
  func keptOutput() throws {
    let world = World()
    let long = String(repeating: "a", count: 50)
    world.run("print 0; for i in 1...100000 { print '\(long)' }; print 1")

    #expect(world.timeline.points[0].output.lines == ["0"])
    #expect(world.timeline.points[1].output.lines == nil)
    let outputs = world.timeline.outputs()
    #expect(outputs[0] == ["0"])
    #expect(outputs[1]?.count == 100_000)
    #expect(outputs[2] == ["1"])
    #expect(world.timeline.points[1].output.lines == nil)
  }

  @Test("a statement that waited for its output does not keep later ones from being tried")
  func waiting() {
    let world = World(running: "entity Book { title: String }; print \"wait\"")

    let script = ScriptParser.parse(
      SourceText(name: "<prompt>", text: "insert Book(title: \"A\")"), as: .prompt)
    #expect(world.timeline.trial(of: script, within: .milliseconds(500)) != nil)
  }

  @Test("while a trial waits for a processor, its time stands still")
  func waitingTrial() {
    let world = World()
    let waits = Atomic(0)
    world.evaluation.isCancelled = {
      if waits.wrappingAdd(1, ordering: .relaxed).newValue <= 20 {
        Thread.sleep(forTimeInterval: 0.05)
      }
      return false
    }
    let script = ScriptParser.parse(
      SourceText(name: "<prompt>", text: "repeat 1000 { let a = 1 }"), as: .prompt)
    #expect(world.timeline.trial(of: script, within: .milliseconds(500)) != nil)
    #expect(waits.load(ordering: .relaxed) > 20)

    let endless = ScriptParser.parse(
      SourceText(name: "<prompt>", text: "repeat 1000000000 { let a = 1 }"), as: .prompt)
    #expect(world.timeline.trial(of: endless, within: .milliseconds(500)) == nil)
  }

  @Test("of many outputs the newest 16 MB are kept, also after others were undone")
  func keptOutputs() throws {
    let world = World()
    // With a definition, each is a point to go back to.
    let megabyte = "for i in 1...9 { let a = i; print '\(String(repeating: "a", count: 100_000))' }"
    func kept() -> [Bool] { world.timeline.points.map { $0.output.lines != nil } }
    for _ in 0..<20 { world.run(megabyte) }
    #expect(kept() == (0..<20).map { $0 >= 2 })

    try world.timeline.go(to: 1)
    for _ in 0..<20 { world.run(megabyte) }
    #expect(kept() == (0..<21).map { $0 >= 3 })
  }

  @Test("while statements run again it is told how far that is")
  func progress() throws {
    let world = World()
    world.evaluation.isCancelled = { false }
    let told = Mutex<[Int?]>([])
    world.timeline.onProgress = { progress in told.withLock { $0.append(progress?.done) } }
    world.run("let a = 1; for i in 1...100 { let c = i }; let b = 2")

    let before = told.withLock { $0 }
    #expect(before.isEmpty)
    try world.timeline.undo()

    let after = told.withLock { $0 }
    #expect(after.contains(1))
    #expect(after.last == .some(nil))
  }
}
