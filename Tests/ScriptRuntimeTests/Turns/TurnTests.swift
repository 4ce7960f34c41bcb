import FetchedResults
import ScriptRuntime
import ScriptSyntax
import ScriptWorlds
import Testing

/// What a turn is, and what happens to it after an error or an interruption.
struct TurnTests {
  private static let model = """
    entity Item { name: String }
    controller items = Item sort by name
    delegate items didChange
    fetch items

    """

  @Test("what ran before an error in perform is processed before the error counts")
  func perform() {
    let playback = Playback(
      Self.model + """
        perform {
          insert Item(name: "a")
          print nothing
          insert Item(name: "b")
        }
        """)

    #expect(playback.lines == ["items didChangeContent"])
    #expect(playback.failure?.hasPrefix("test.frc:7:9: error: unknown name 'nothing'") == true)
  }

  @Test("the clock takes as long at the last look as at the first", .timeLimit(.minutes(1)))
  func clock() {
    // If each access wrapped the clock's function once more, this would take minutes.
    let playback = Playback("for i in 0..<30_000 { let moment = now() }\nprint now()")

    #expect(playback.failure == nil)
    #expect(playback.lines == ["2026-01-01T00:00:00Z"])
  }

  @Test("tables come to the screen when their controller has fetched, in order of definition")
  func waitingTables() {
    let playback = Playback(
      """
      entity Item { name: String }
      controller one = Item sort by name
      controller two = Item sort by name
      insert Item(name: "a")
      table b = two
      table a = one
      table gone = one
      table gone = two
      trace a on
      trace b on
      trace gone on
      perform { fetch one; fetch two }
      """)

    #expect(playback.failure == nil)
    let asked = playback.lines.filter { $0.contains("numberOfSections") }
      .compactMap { $0.split(separator: " ").first }
    #expect(asked == ["b", "a", "gone"])
  }

  @Test("a statement's own part before its error is processed, too")
  func partOfAStatement() {
    let playback = Playback(Self.model + "insert 3 Item(name: string(6 / (2 - i)))")

    #expect(playback.lines == ["items didChangeContent"])
    #expect(playback.failure?.contains("division by zero") == true)
  }

  @Test("after an error the session goes on outside perform, with no scope left open")
  func afterAnError() throws {
    let world = ScriptWorld()
    try world.run(Self.model)
    let source = SourceText(
      name: "test", text: "for i in 1...2 { perform { let x = 1; print nothing } }")
    let failing = try #require(ScriptParser.parse(source).statements.first)

    #expect(throws: ScriptError.self) {
      try world.interpreter.run(failing, in: source)
    }
    try world.run("insert Item(name: \"a\"); print items.fetchedObjects.count")

    #expect(world.lines == ["items didChangeContent", "1"])
    #expect(world.session.variableNames == [])
  }

  @Test("a limit of steps stops a loop that would never end, and try does not take it")
  func stepLimit() throws {
    let source = SourceText(name: "test", text: "try repeat 9223372036854775807 { }")
    let script = ScriptParser.parse(source)
    let interpreter = Interpreter(environment: ScriptFiles(), stepLimit: 1000) { _ in }

    let error = #expect(throws: ScriptError.self) { try interpreter.run(script) }

    #expect(error?.kind == .stepLimit(1000))
  }

  @Test("Ctrl-C stops what runs, and try does not take it")
  func interruption() throws {
    let files = ScriptFiles()
    let source = SourceText(name: "test", text: "try for i in 1...1000000000 { print i }")
    let script = ScriptParser.parse(source)
    var count = 0
    let interpreter = Interpreter(environment: files) { _ in
      count += 1
      files.isInterrupted = count == 3
    }

    let error = #expect(throws: ScriptError.self) { try interpreter.run(script) }

    #expect(error?.kind == .interrupted)
    #expect(count == 3)
  }

  @Test("Ctrl-C while a turn is told stops the telling; the turn is whole, and the next is told")
  func interruptedTelling() throws {
    let files = ScriptFiles()
    var lines: [String] = []
    let interpreter = Interpreter(environment: files) { event in
      lines += event.lines
      files.isInterrupted = lines.last == "items willChangeContent"
    }
    func run(_ text: String) throws {
      lines = []
      try interpreter.run(ScriptParser.parse(SourceText(name: "test", text: text)))
    }
    try run("entity Item { name: String }; controller items = Item sort by name; fetch items")

    let error = #expect(throws: ScriptError.self) {
      try run("for i in 1...3 { perform { insert 2 Item(name: \"\\(i)\") } }; print 1")
    }
    #expect(error?.kind == .interrupted)
    #expect(lines == ["items willChangeContent"])
    files.isInterrupted = false
    try run("count Item; print items.fetchedObjects.count")
    #expect(lines == ["2", "2"])
    files.isInterrupted = false
    try run("delegate items counts; insert Item(name: \"x\")")
    #expect(lines.last?.hasPrefix("items counts inserts 1,") == true)
  }

  @Test(
    "a callback may do anything to its own controller, and the session goes on",
    arguments: [
      "reset", "rollback", "save", "process", "fetch items", "delete Item", "delegate items none",
      "delegate items counts", "controller items = Item sort by name desc", "request items = Item",
      "let items = 3", "change items limit 1", "show items", "return 3", "print 1 / 0",
      "for i in 1...3 { Item/1.name = string(i) }", "print items.sections[0].objects",
    ],
    ["willChangeContent", "didChangeSection", "didChangeObject", "didChangeContent"])
  func meddling(statement: String, callback: String) {
    let playback = Playback(
      """
      entity Item { name: String, s: String = "A" }
      controller items = Item sort by s, name section by s
      controller others = Item sort by name
      delegate items { \(callback) { \(statement) } }
      fetch items; fetch others
      try insert 2 Item(name: string(i))
      try perform { Item/1.name = "9"; Item/2.s = "B" }
      try delete Item/1
      try rollback
      try delegate items none
      print "still here"
      """)

    #expect(playback.failure == nil)
    #expect(playback.lines.last == "still here")
  }

  @Test("callbacks that change objects in every turn are stopped, also under try")
  func endlessCallbacks() {
    let playback = Playback(
      """
      entity Item { name: String }
      controller items = Item sort by name
      delegate items { didChangeContent { insert Item(name: "more") } }
      fetch items
      if true { try insert Item(name: "first") }
      delegate items none
      print "still here"
      """)

    #expect(playback.failure == nil)
    #expect(
      playback.lines.filter { $0 != "items didChangeContent" } == [
        "error: callbacks still change objects after 100 turns", "still here",
      ])
  }

  @Test("a name that an app would keep alive: a controller defined anew is gone")
  func definedAnew() {
    let playback = Playback(
      Self.model + """
        let old = items
        controller items = Item sort by name desc
        fetch items
        insert Item(name: "a")
        print old.fetchedObjects.count
        """)

    // The variable keeps the old controller and its delegate, like a second reference in an app.
    #expect(
      playback.lines == [
        "items didChangeContent", "items willChangeContent",
        "items didChange object insert Item/1 \"a\" -> [0, 0]", "items didChangeContent", "1",
      ])
  }
}
