import ScriptRuntime
import ScriptSyntax
import Testing

@Suite("Objects whose numbers another process took")
struct RenumberingTests {
  @Test("the output says which are which now, and variables follow")
  func note() throws {
    let environment = FolderEnvironment()
    var lines: [String] = []
    let sessions = (0..<2).map { _ in
      Interpreter(environment: environment) { event in
        lines += event.lines
      }
    }
    func run(_ index: Int, _ text: String) throws {
      try sessions[index].run(ScriptParser.parse(SourceText(name: "test", text: text)))
    }
    for index in 0..<2 {
      try run(index, "store sqlite \"a.sqlite\"\nentity Book { title: String }\nprint count(Book)")
    }
    try run(0, "let dune = insert Book(title: \"Dune\")\nlet all = [dune]")
    try run(1, "insert Book(title: \"Emma\")\nsave")
    try run(0, "save\nprint dune\nprint dune.title\nprint all\nprint Book/1.title\ncount Book")

    #expect(
      lines == [
        "0", "0", "note: Book/1 is Book/2 now, since another process took its number first",
        "Book/2", "Dune", "[Book/2]", "Emma", "2",
      ])
  }
}
