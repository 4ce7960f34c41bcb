import Foundation
import RepositoryFiles
import SourceArrows
import Testing

@Suite("arrows: rooms name the types of rooms below them only")
struct ArrowsTests {
  private static let sources = RepositoryFiles.url("Sources")

  @Test("targets form no cycle")
  func targets() throws {
    let arrows = try SourceTree(Self.sources).targetArrows

    let cycles = arrows.cycles.map(arrows.explanation)
    #expect(cycles.isEmpty, "\(cycles.joined(separator: "\n\n"))")
  }

  @Test(
    "folders of a target form no cycle",
    arguments: [
      "FetchedResults", "GoldenTesting", "LanguageServer", "LineEditor", "PromptTools",
      "ScriptRuntime", "ScriptSyntax", "frc",
    ])
  func folders(of target: String) throws {
    let arrows = try SourceTree(Self.sources).folderArrows(of: target)

    let cycles = arrows.cycles.map(arrows.explanation)
    #expect(cycles.isEmpty, "\(cycles.joined(separator: "\n\n"))")
  }

  @Test("a planted cycle is found, with the types that make it")
  func planted() {
    let arrows = Arrows(typesOf: [
      ("Store", "struct Row { let text: String }"),
      ("Context", "final class Context { var row: Row? }"),
      ("Controller", "struct Controller { let context: Context }"),
      ("Store", "extension Row { func tell(_ controller: Controller) {} }"),
    ])

    #expect(arrows.cycles == [["Context", "Controller", "Store"]])
    #expect(
      arrows.explanation(of: arrows.cycles[0]) == """
        Context -> Store: Row
        Controller -> Context: Context
        Store -> Controller: Controller
        """)
  }

  @Test("comments, strings and types of two rooms make no arrow")
  func noArrows() {
    let arrows = Arrows(typesOf: [
      ("A", "struct Low {}\nstruct Both {}"),
      ("B", "// Low\n/* Low */ let text = \"Low \\(\"Low\") Low\"\nstruct Both {}"),
      ("B", "let more = \"\"\"\nLow \"quoted\" \\(Low)\n\"\"\""),
    ])

    #expect(arrows.description == "A\nB")
  }
}
