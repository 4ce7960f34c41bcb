import ScriptSyntax
import Testing

@Suite("Statements to come")
struct UnavailableTests {
  @Test(
    "a statement that this version has not is read as such",
    arguments: [
      ("table view = books", "table"), ("table view = books reload", "table"),
      ("table view = books {\n  insert insertRows\n  delete deleteRows # }\n}", "table"),
      ("suspend view", "suspend"), ("resume view", "resume"), ("reload view", "reload"),
      ("trace books", "trace"),
    ])
  func words(text: String, word: String) {
    #expect(shapes(text) == ["unavailable \(word)"])
    #expect(
      shapes("\(text) # x\nsave; \(text); reset") == [
        "unavailable \(word)", "save", "unavailable \(word)", "reset",
      ])
    #expect(shapes("if a { \(text) }") == ["if a { unavailable \(word) }"])
  }

  @Test("their range is their text")
  func range() {
    let script = parse("table view = books {\n  insert nothing\n} # x\nsave")
    #expect(
      script.source.text(in: script.statements[0].range)
        == "table view = books {\n  insert nothing\n}")
    #expect(script.groups.map(\.lines) == [1...3, 4...4])
  }
}
