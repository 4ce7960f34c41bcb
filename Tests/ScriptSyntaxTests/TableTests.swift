import ScriptSyntax
import Testing

@Suite("Table views")
struct TableTests {
  @Test(
    "forms",
    arguments: [
      ("table view = books", "table view = books"),
      ("table view = books reload", "table view = books reload"),
      ("table view = books {}", "table view = books {  }"),
      (
        "table view = books {\n  insert insertRows\n  move deleteRows insertRows; update nothing\n}",
        "table view = books { insert insertRows; move deleteRows insertRows; update nothing }"
      ),
      (
        "table view = books { sectionInsert insertSections; sectionDelete reloadData }",
        "table view = books { sectionInsert insertSections; sectionDelete reloadData }"
      ),
      ("suspend view", "suspend view"), ("resume view", "resume view"),
      ("reload view", "reload view"), ("trace view on", "trace view on"),
      ("trace view off", "trace view off"), ("show view", "show view"),
      ("perform stepping { save }", "perform stepping { save }"),
      ("perform bg stepping { save }", "perform bg stepping { save }"),
    ])
  func forms(text: String, shape: String) {
    #expect(shapes(text) == [shape])
    #expect(shapes("\(text) # x\nsave; \(text); reset") == [shape, "save", shape, "reset"])
    #expect(shapes("if a { \(text) }") == ["if a { \(shape) }"])
  }

  @Test("the words may be names elsewhere")
  func names() {
    #expect(
      shapes("let table = 1\nprint table\nx.reload = trace\nlet stepping = 2") == [
        "let table = 1", "print table", "x.reload = trace", "let stepping = 2",
      ])
  }

  @Test(
    "errors",
    arguments: [
      ("table = books", "a variable is set with 'let table = …'"),
      ("table view books", "expected '=', found 'books'"),
      ("table view = ", "expected the name of a controller, but the text ends here"),
      ("table view = books relaod", "unknown table mode 'relaod'; did you mean 'reload'?"),
      (
        "table view = books { insrt insertRows }",
        "unknown change 'insrt'; did you mean 'insert'?"
      ),
      (
        "table view = books { insert insertRow }",
        "unknown reaction 'insertRow'; did you mean 'insertRows'?"
      ),
      ("table view = books { insert nothing; insert insertRows }", "'insert' given twice"),
      (
        "table view = books { sectionInsert insertRows }",
        "expected 'insertSections', 'deleteSections', 'reloadData' or 'nothing', found 'insertRows'"
      ),
      ("table view = books { update nothing reloadRows }", "unexpected 'reloadRows'"),
      ("trace view", "expected 'on' or 'off', but the text ends here"),
      ("suspend", "expected the name of a table, but the text ends here"),
    ])
  func errors(text: String, message: String) {
    #expect(parse(text).diagnostics.map(\.message) == [message])
  }
}
