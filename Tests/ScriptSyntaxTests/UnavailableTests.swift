import ScriptSyntax
import Testing

@Suite("Statements to come")
struct UnavailableTests {
  @Test(
    "a statement that this version has not is read as such",
    arguments: [
      ("stats", "stats"), ("set sql on", "set sql"),
      ("stats {\n  rows all\n  faults none # }\n}", "stats"),
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
    let script = parse("stats {\n  rows all\n} # x\nsave")
    #expect(
      script.source.text(in: script.statements[0].range) == "stats {\n  rows all\n}")
    #expect(script.groups.map(\.lines) == [1...3, 4...4])
  }
}
