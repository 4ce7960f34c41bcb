import GoldenTesting
import ScriptRuntime
import ScriptSyntax
import ScriptWorlds
import Testing

/// Runs the code blocks of the documentation, and compares their output.
@Suite("Documentation")
struct DocumentationTests {
  @Test(
    "the code blocks of a page print what they say that they print",
    arguments: GoldenFiles.documents)
  func page(path: String) throws {
    let test = try GoldenFiles.test(at: path)

    let outcome = GoldenRunner(environment: FolderEnvironment()).run(test)

    #expect(outcome.failures == [])
    #expect(!outcome.prepared.script.statements.isEmpty)
  }

  @Test("each rule has a heading of its name, and a script below it that shows it")
  func rules() throws {
    let page = try GoldenFiles.test(at: "Documentation/Rules.md").file
    var heading = ""
    var shown: [String: Set<String>] = [:]
    for line in 1...page.lineCount {
      let text = page.text(ofLine: line)
      if text.hasPrefix("## ") { heading = String(text.dropFirst(3)) }
      if text.hasPrefix("#>   rule ") {
        shown[heading, default: []].insert(
          String(text.dropFirst("#>   rule ".count).prefix { $0 != ":" }))
      }
    }

    #expect(shown.keys.sorted() == Rule.allCases.map(\.rawValue).sorted())
    for (heading, rules) in shown { #expect(rules.contains(heading), "\(heading): \(rules)") }
  }
}
