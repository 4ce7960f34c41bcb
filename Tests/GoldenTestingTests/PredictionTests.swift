import GoldenTesting
import ScriptSyntax
import ScriptWorlds
import Testing

@Suite struct PredictionTests {
  private static let world = """
    entity Book { title: String }
    controller books = Book sort by title
    insert Book(title: "Dune")
    insert Book(title: "Emma")
    fetch books
    Book/1.title = "Zama"

    """
  private static let right = """
    #? books willChangeContent
    #? books didChange object move Book/1 "Zama" [0, 0] -> [0, 1]
    #? books didChangeContent

    """
  private static let wrong = """
    #? books willChangeContent
    #? books didChange object update Book/1 "Zama" [0, 0]
    #? books didChangeContent

    """

  private func outcome(_ text: String) -> GoldenOutcome {
    GoldenRunner(environment: ScriptFiles()).run(
      GoldenTest(source: SourceText(name: "a.frc", text: text)))
  }

  @Test("a prediction that is right passes, patterns included")
  func right() {
    #expect(outcome(Self.world + Self.right).verdict == .passed)
    #expect(outcome(Self.world + Self.right.replacing("\"Zama\"", with: "[..]")).verdict == .passed)
  }

  @Test(
    "a prediction in other words passes, and one with other lines besides does not",
    arguments: [
      "#? move Book/1 [0, 0] -> [0, 1]\n", "#? Book/1 moves from [0, 0] to [0, 1]\n",
      "#? controllerWillChangeContent\n#? move \"Zama\" [0,0] [0,1]\n#? controllerDidChangeContent\n",
    ])
  func otherWords(_ lines: String) {
    #expect(outcome(Self.world + lines).verdict == .passed)
    #expect(outcome(Self.world + lines + "#? nothing\n").verdict == .failed)
    #expect(outcome(Self.world + lines.replacing("#?", with: "#>")).verdict == .failed)
    #expect(outcome(Self.world + lines + "#? …\n#? 1\n").verdict == .failed)
  }

  @Test("what an observer publishes is predicted in the words of callbacks")
  func observer() throws {
    let world = """
      entity Book { title: String }
      observer books = Book sort by title
      insert Book(title: "Dune")
      """
    #expect(outcome(world + "\n#? nothing\n").verdict == .passed)
    let saved = world + "\nsave\n#? books results 0 -> 1\n"
    #expect(outcome(saved + "#? insert Book/1 [0, 0]\n").verdict == .passed)
    #expect(outcome(saved + "#?   insert Book/1 \"Dune\" -> [0, 0]\n").verdict == .passed)
    #expect(outcome(saved + "#? update Book/1 [0, 0]\n").verdict == .failed)
    #expect(outcome(saved).verdict == .failed)
  }

  @Test("nothing is a prediction, also in other words, and a failure has a reason")
  func nothing() throws {
    let world =
      "entity Book { title: String }\ncontroller books = Book sort by title\nfetch books\n"
    #expect(outcome(world + "print 1\n#? 1.\n").verdict == .passed)
    #expect(outcome(world + "let a = 1\n#? nothing is sent\n").verdict == .passed)
    let outcome = outcome(Self.world + "#? nothing\n")
    let failure = try #require(outcome.failures.first)
    #expect(failure.reasons?.contains("+ a callback about Book/1 is missing") == true)
  }

  @Test("of a failed prediction the reasons stay when an update changes another block")
  func updatedBesides() {
    let update = GoldenUpdate(outcome("print 1\n#> 2\nprint 3\n" + Self.world + Self.wrong))

    #expect(update.file != nil)
    #expect(update.outcome.failures.map(\.code) == ["prediction"])
  }

  @Test("a prediction that is wrong fails as a golden does, with the rule and the keys")
  func wrong() throws {
    let outcome = outcome(Self.world + Self.wrong)

    let failure = try #require(outcome.failures.first)
    #expect(outcome.failures.count == 1)
    #expect(failure.code == "prediction")
    #expect(failure.description == "the prediction differs")
    let lines = OutcomeText().lines(of: outcome)
    #expect(
      lines.contains {
        $0.hasSuffix(
          "rule passed-unchanged: the object is now on the other side of a row that did not change")
      })
    #expect(lines.contains { $0.hasSuffix("title: \"Dune\" -> \"Zama\" (sort key)") })
  }

  @Test("an update leaves predictions as they are, and writes the other blocks")
  func update() throws {
    let outcome = outcome(Self.world + Self.wrong + "print 1\n")
    let update = GoldenUpdate(outcome)

    let file = try #require(update.file)
    #expect(
      String(decoding: file.bytes, as: UTF8.self) == Self.world + Self.wrong + "print 1\n#> 1\n")
    #expect(update.outcome.verdict == .failed)
  }

  @Test("the formatter leaves predictions as they are, and no predicate goes on over them")
  func text() {
    let script = ScriptParser.parse(
      SourceText(
        name: "a.frc",
        text: "entity Book { title: String }\nfetch Book where title == \"a\"\n#?   no Book\n"))
    #expect(!script.hasErrors)
    #expect(script.groups.last?.expected.map(\.text) == ["  no Book"])
    #expect(script.groups.last?.isPrediction == true)
    #expect(script.strayExpectations.isEmpty)
  }
}
