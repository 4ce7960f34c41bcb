import ScriptSyntax
import Testing

@Suite("Nesting")
struct NestingTests {
  private func nested(_ count: Int, _ open: String, _ middle: String, _ close: String) -> String {
    String(repeating: open, count: count) + middle + String(repeating: close, count: count)
  }

  /// Ways to nest, each taking one level at a time.
  static let ways: [(head: String, open: String, middle: String, close: String)] = [
    ("print ", "(", "1", ")"), ("print ", "[", "1", "]"), ("print ", "f(", "1", ")"),
    ("print ", "x.f(", "1", ")"), ("print ", "x[", "1", "]"), ("print ", "-", "x", ""),
    ("print ", "!", "x", ""), ("print ", "NOT ", "x", ""), ("print ", "\"\\(", "1", ")\""),
    ("", "perform { ", "save", " }"), ("", "if a { ", "save", " }"), ("", "try ", "save", ""),
    ("", "for x in y {\n", "save", "\n}"), ("print ", "1 + (", "1", ")"),
    ("", "repeat 2 {\n", "save", "\n}"),
  ]

  @Test("200 levels are read, 201 are an error with its place", arguments: ways)
  func limit(head: String, open: String, middle: String, close: String) {
    let fine = parse(head + nested(200, open, middle, close))
    #expect(fine.diagnostics.map(\.message) == [])
    let deep = parse(head + nested(201, open, middle, close) + "\nsave\nsav")
    #expect(deep.diagnostics.first?.message == "nested more than 200 levels deep")
    #expect(deep.diagnostics.last?.message == "unknown statement 'sav'; did you mean 'save'?")
    #expect(deep.diagnostics.count == 2)
    #expect(deep.statements.last?.kind == .save(nil))
  }

  @Test("any depth is survived", arguments: ways)
  func bottomless(head: String, open: String, middle: String, close: String) {
    for text in [
      head + nested(4_000, open, middle, close), head + String(repeating: open, count: 4_000),
      head + String(repeating: close, count: 4_000),
    ] {
      _ = parse(text)
    }
  }

  @Test("else-if chains nest")
  func elseIf() {
    let text = String(repeating: "if a { save } else ", count: 300) + "{ save }"
    #expect(parse(text).diagnostics.first?.message == "nested more than 200 levels deep")
  }

  @Test("brackets in predicates nest as deep and no deeper")
  func predicates() {
    for open in ["(", "NOT ", "{"] {
      let text = "fetch Book where " + String(repeating: open, count: 10_000)
      #expect(parse(text).hasErrors)
    }
    #expect(
      shapes("fetch Book where \(nested(100, "(", "a == 1", ")"))") == ["fetch Book where a == 1"])
  }

  @Test("a row of operators may be long, but not endless")
  func rows() {
    for sign in [" + 1", " AND a", ".x", "[0]", ".f()", " * -1"] {
      #expect(parse("print a" + String(repeating: sign, count: 1000)).diagnostics.isEmpty)
      for count in [1001, 100_000] {
        let script = parse("print a" + String(repeating: sign, count: count))
        #expect(script.diagnostics.map(\.message) == ["more than 1000 operators in one expression"])
      }
    }
  }
}
