import GoldenTesting
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
    interpreter.onExplanations = { explanations += $0 }
    interpreter.prepare(for: parsed)
    for statement in parsed.statements {
      (events, explanations) = ([], [])
      try interpreter.run(statement, in: parsed.source)
    }
    return Grade(
      ofPrediction: prediction, events: events, explanations: explanations,
      in: interpreter.session)
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
        "✗ the row moves", "    frc cannot read this line: the object is missing",
      ])
    #expect(
      try grade(["2"], "print 1").lines.prefix(2).map(\.description) == [
        "✗ 2", "    this line is not printed",
      ])
  }

  @Test(
    "a line that frc cannot read is refused for its own reason, with an example",
    arguments: [
      ("insrt Book/1 [0, 0]", "the word 'insrt' has no meaning here; did you mean 'insert'?"),
      ("Book/1 [0, 0]", "the change is missing: insert, delete, update or move"),
      ("insert Book/1 [0, 0] again", "the word 'again' has no meaning here"),
      (
        "insert delete Book/1 [0, 0]",
        "'insert' and 'delete' are two changes; write a line for each"
      ),
      ("insert Book/1 Book/2 [0, 0]", "a line is about one object"),
      ("insert Book/1 0", "an index path has a section and a row, as in [0, 4]"),
      ("move Book/1 [0, 0] [0, 1] [0, 2]", "a callback has at most two index paths"),
      ("not move Book/1 [0, 0]", "write only what is sent"),
      ("section move 0 \"A\"", "sections are only inserted or deleted"),
      ("section insert", "the section's index or name is missing"),
      ("willChangeContent Book/1", "a callback around a batch has no object and no index path"),
    ])
  func reasons(_ line: String, _ reason: String) throws {
    let lines = try grade([line], Self.move).lines.map(\.text)

    #expect(lines[1] == "  frc cannot read this line: \(reason)")
    #expect(lines[2].hasPrefix("  write for example '"))
    let example = String(lines[2].dropFirst("  write for example '".count).dropLast())
    #expect(
      try !grade([example], Self.move).lines.contains { $0.text.contains("frc cannot read") })
  }

  @Test("a refusal is true: what is missing, what is elsewhere, and what is sent once")
  func trueReasons() throws {
    func reason(_ lines: String...) throws -> String {
      try grade(lines, Self.move).lines[lines.count].text
    }
    #expect(try reason("move Film/1 [0, 0] -> [0, 1]") == "  there is no entity 'Film'")
    #expect(
      try reason("move \"Nemo\" [0, 0] -> [0, 1]")
        == "  no callback is about an object that is shown as \"Nemo\"")
    #expect(
      try reason("move Book/1 \"Dune\" [0, 0] -> [0, 1]")
        == "  Book/1 is shown as \"Zama\", not as \"Dune\"")
    #expect(try reason("move Book/1 [0, 0]") == "  the new index path is missing")
    #expect(
      try reason("films willChangeContent")
        == "  films sends no callback here; another controller does")
    #expect(try reason("will", "will").contains("it is sent once for each batch"))
    #expect(
      try grade(["nothing", "move Book/1 [0, 0] -> [0, 1]"], Self.move).lines.map(\.text).prefix(2)
        == ["nothing", "  the other lines say that something is sent"])
  }

  @Test("a long line without an end is read in time that grows with its length")
  func longLine() throws {
    for line in [
      String(repeating: "[", count: 20_000) + "]", String(repeating: "'[0 ", count: 20_000),
      String(repeating: "section 0 row 1 ", count: 2_000), String(repeating: "\"", count: 20_001),
    ] {
      #expect(try grade([line], Self.move).verdict == .wrong)
    }
  }

  @Test("a store in a file is not asked for an answer, which would print its SQL")
  func sql() throws {
    let script = "store sqlite \"a.sqlite\"\n" + Self.move
    #expect(
      try grade(["insert Book/9 [0, 0]"], script).lines[1].text
        == "  nothing is sent about Book/9: only changed objects have callbacks (rule unchanged)")
  }

  @Test("operations of a table may be said without its name")
  func operations() throws {
    let script = Self.move.replacing("fetch books", with: "fetch books\ntable view = books")
    let lines = [
      "beginUpdates", "move Book/1 [0, 0] -> [0, 1]", "deleteRows at [0, 0]",
      "view insertRows [0, 1]", "endUpdates()",
    ]
    #expect(try grade(lines, script).verdict == .right)
    #expect(try grade(["reloadRows [0, 0]"], script).verdict == .wrong)
    #expect(try grade([lines[1], "deleteRows [0, 1]"], script).verdict == .partly)
  }

  @Test(
    "the choices of a page's quiz are answers, too",
    arguments: ["books move Book/1 [0, 0] -> [0, 1]", "No callback is sent"])
  func quiz(_ line: String) throws {
    let isNothing = line.hasPrefix("No")
    #expect(
      try grade([line], isNothing ? "print 1 == 2" : Self.move).verdict
        == (isNothing ? .wrong : .right))
    if isNothing { #expect(try grade([line], "entity A { b: Int }").verdict == .right) }
  }

  @Test("a section by another name is not said to be unchanged")
  func sections() throws {
    let script = """
      entity User { name: String, team: String }
      controller users = User sort by team section by team
      fetch users
      insert User(name: "Ann", team: "a")
      """
    let found = try grade(["section insert 0 \"b\"", "insert User/1 [0, 0]"], script)
    #expect(found.lines.map(\.text).contains("  the section's name is wrong"))
    let twice = try grade(
      ["section insert 0", "section insert 0", "insert User/1 [0, 0]"], script)
    #expect(
      twice.lines.map(\.text).contains("  no other section is inserted here (rule section-filled)"))
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
        == "  there is no Book/9")
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
