import PromptTools
import ScriptSyntax
import ScriptWorlds
import Testing

@Suite struct HelpTests {
  private static let start = Help.topics.first { $0.name == "start" }?.example ?? []

  private func run(_ lines: [String]) throws -> ScriptWorld {
    try ScriptWorld(lines.joined(separator: "\n"))
  }

  @Test("the example of a topic runs after that of start", arguments: Help.topics)
  func example(_ topic: HelpTopic) throws {
    _ = try run(Self.start + (topic.name == "start" ? [] : topic.example))
  }

  @Test("all examples run one after another in one session")
  func allExamples() throws {
    _ = try run(Help.topics.flatMap(\.example))
  }

  @Test("the first example ends with a callback")
  func firstCallback() throws {
    let world = try run(Self.start)

    #expect(
      world.lines == [
        "books willChangeContent", "books didChange object insert Book/1 \"Dune\" -> [0, 0]",
        "books didChangeContent",
      ])
  }

  @Test("every topic but that of keys has an example, and says what it does in two lines")
  func shape() {
    for topic in Help.topics where topic.name != "keys" {
      #expect(!topic.example.isEmpty, "\(topic.name)")
      // Each rule has a line in the topic about rules.
      if topic.name == "rules" { continue }
      #expect((1...2).contains(topic.lines.count), "\(topic.name)")
    }
  }

  @Test("a page fits into 100 columns, and no word leads to two topics")
  func layout() {
    for topic in Help.topics {
      for line in topic.lines + topic.indentedExample {
        #expect(line.count <= 100, "\(topic.name): \(line)")
      }
    }
    let words = Help.topics.flatMap { [$0.name] + $0.aliases }
    #expect(Set(words).count == words.count)
  }

  @Test("every statement of this version has a topic", arguments: ScriptParser.statementWords)
  func statements(_ word: String) {
    guard case .topic = Help.answer(to: word) else {
      Issue.record("no topic for '\(word)'")
      return
    }
  }

  @Test("a topic is found by other words, in any case")
  func aliases() throws {
    #expect(Help.answer(to: "Predicate") == Help.answer(to: "where"))
  }

  @Test(
    "words of a crash text lead to the topic about crashes",
    arguments: [
      "crash", "replay", "'invalid number of rows'", "invalid number of rows",
      "Invalid update: invalid number of sections.", "\"attempt to delete row 3\"",
      "NSInternalInconsistencyException",
    ])
  func crash(_ words: String) {
    guard case .topic(let topic) = Help.answer(to: words) else {
      Issue.record("\(words)")
      return
    }
    #expect(topic.name == "crash")
  }

  @Test("an unknown word suggests the nearest topic")
  func unknown() {
    #expect(Help.answer(to: "isnert") == .unknown("isnert", nearest: "insert"))
    #expect(Help.answer(to: "xyzzy") == .unknown("xyzzy", nearest: nil))
  }
}
