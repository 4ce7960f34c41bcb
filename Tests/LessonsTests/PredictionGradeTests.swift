import Lessons
import Predictions
import ScriptRuntime
import ScriptSyntax
import ScriptWorlds
import Testing

@Suite struct PredictionGradeTests {
  /// Grades a prediction of a script's last statement.
  private func grade(_ prediction: [String], _ script: String) throws -> Grade {
    var events: [Event] = []
    var explanations: [Explanation] = []
    let parsed = ScriptParser.parse(SourceText(name: "test", text: script))
    let interpreter = Interpreter(environment: StoreFiles()) { events.append($0) }
    interpreter.keepReasons()
    interpreter.hearExplanations = { explanations += $0 }
    interpreter.prepare(for: parsed)
    for statement in parsed.statements {
      (events, explanations) = ([], [])
      try interpreter.run(statement, in: parsed.source)
    }
    return Grade(ofPrediction: prediction, events: events, explanations: explanations)
  }

  private static let move = """
    entity Book { title: String }
    controller books = Book sort by title
    insert Book(title: "Dune")
    insert Book(title: "Emma")
    fetch books
    Book/1.title = "Zama"
    """

  @Test(
    "a callback may be written in full or in short",
    arguments: [
      "books didChange object move Book/1 \"Zama\" [0, 0] -> [0, 1]",
      "books move Book/1 [0, 0] -> [0, 1]", "move Book/1 [0,0] [0,1]",
      "  moved   \"Zama\" [0, 0] → [0, 1] ",
    ])
  func forms(_ line: String) throws {
    let grade = try grade([line], Self.move)

    #expect(grade.verdict == .right)
    #expect(grade.reasons.isEmpty)
  }

  @Test(
    "a miss is explained by its rule and the keys that differ, and does not give the answer away")
  func miss() throws {
    let grade = try grade(["update Book/1 [0, 0]"], Self.move)

    #expect(grade.verdict == .wrong)
    #expect(grade.reasons == ["passed-unchanged"])
    #expect(
      grade.lines.map(\.description) == [
        "✗ update Book/1 [0, 0]", "    it is not an update",
        "    rule passed-unchanged: the object is now on the other side of a row that did not change",
        "    title: \"Dune\" -> \"Zama\" (sort key)", "    before: [0, 0], first, before Book/2",
        "    after: [0, 1], last, after Book/2", "    went past Book/2, which did not change",
      ])
  }

  @Test("a line that is not a callback gets an example, unless the turn prints other lines too")
  func unreadable() throws {
    #expect(
      try grade(["the row moves"], Self.move).lines.prefix(2).map(\.description) == [
        "✗ the row moves",
        "    frc cannot read this line; write for example 'update Book/2 [0, 1]'",
      ])
    #expect(
      try grade(["2"], "print 1").lines.prefix(2).map(\.description) == [
        "✗ 2", "    this line is not printed",
      ])
  }

  @Test("a section that does not change, and one callback instead of two, are named")
  func extraCallbacks() throws {
    let section = try grade(["move Book/1 [0, 0] -> [0, 1]", "section insert 0 \"A\""], Self.move)
    #expect(
      section.lines.map(\.description).contains(
        "    no section is inserted here (rule section-filled)"))
    let twice = try grade(
      ["move Book/1 [0, 0] -> [0, 1]", "update Book/1 [0, 1]"], Self.move)
    #expect(twice.lines.map(\.description).contains("    Book/1 has only one callback"))
  }

  @Test("an object without a callback, and a controller that sends none, are named as such")
  func noCallback() throws {
    #expect(
      try grade(["insert Book/9 [0, 0]"], Self.move).lines[1].text
        == "  nothing is sent about Book/9: only changed objects have callbacks (rule unchanged)")
    #expect(
      try grade(["films move Book/1 [0, 0] -> [0, 1]"], Self.move).lines[1].text
        == "  films sends nothing about Book/1; another controller does")
  }

  @Test("partly right answers count, line by line")
  func partly() throws {
    let grade = try grade(
      ["insert User/2 [0, 0]"],
      """
      entity User { name: String, team: String }
      controller users = User sort by team section by team
      insert User(name: "Bob", team: "b")
      fetch users
      insert User(name: "Ann", team: "a")
      """)

    #expect(grade.verdict == .partly)
    #expect(grade.lines.map(\.mark) == [.right, .missing, .none, .none])
    #expect(grade.reasons == ["section-filled"])
  }

  @Test("callbacks in another order are partly right, and the order is told")
  func order() throws {
    let script = """
      entity User { name: String, team: String }
      controller users = User sort by team section by team
      fetch users
      insert User(name: "Ann", team: "a")
      """
    let grade = try grade(["insert User/1 [0, 0]", "section insert 0"], script)

    #expect(grade.verdict == .partly)
    #expect(grade.reasons == ["order"])
    #expect(try self.grade(["section insert 0", "insert User/1 [0, 0]"], script).verdict == .right)
  }

  @Test("the callbacks around a batch count if one of them is written")
  func frames() throws {
    let move = "move Book/1 [0, 0] -> [0, 1]"
    #expect(
      try grade(["willChangeContent", move, "didChangeContent"], Self.move).verdict == .right)
    #expect(try grade([move, "did"], Self.move).reasons == ["batch"])
    #expect(try grade([move, "will", "did"], Self.move).reasons == ["order"])
  }

  @Test("nothing is right where nothing is sent, and wrong where something is")
  func nothing() throws {
    let quiet = """
      entity Book { title: String, pages: Int }
      controller books = Book where pages > 100 sort by title
      fetch books
      insert Book(title: "Leaflet", pages: 4)
      """
    #expect(try grade(["nothing"], quiet).verdict == .right)
    #expect(try grade([], quiet).verdict == .right)
    let grade = try grade(["insert Book/1 [0, 0]"], quiet)
    #expect(grade.verdict == .wrong)
    #expect(grade.reasons == ["stays-outside"])
    #expect(grade.lines.contains { $0.text.contains("where pages > 100: now false") })
    #expect(try self.grade(["nothing"], Self.move).verdict == .wrong)
  }

  @Test("an object that did not change, and one that is told of once, are explained")
  func others() throws {
    let moved = "move Book/1 [0, 0] -> [0, 1]"
    #expect(try grade([moved, "move Book/2 [0, 1] -> [0, 0]"], Self.move).reasons == ["unchanged"])
    #expect(try grade([moved, "update Book/1 [0, 0]"], Self.move).reasons == ["passed-unchanged"])
    #expect(try grade([moved, "section insert 0 \"a\""], Self.move).reasons == ["section-filled"])
    #expect(try grade([moved, "what is this"], Self.move).reasons == ["output"])
  }

  @Test(
    "no line of a person does harm",
    arguments: [
      "[", "insert", "insert [", "insert Book/1 [0,", "\"", "section", "section insert -1",
      "move Book/1 [99999999999999999999, 0]", "didChange", "books", "\u{0}", "🙂 [0, 0] -> ",
    ])
  func harmless(_ line: String) throws {
    #expect(try grade([line], Self.move).verdict == .wrong)
  }
}
