import ScriptSyntax
import Testing

@Suite("Completeness")
struct CompletenessTests {
  @Test(
    "an unfinished entry asks for more",
    arguments: [
      "insert Book(", "insert Book(title", "insert Book(title:", "insert Book(title: \"x\"",
      "insert Book(title: \"x\",", "insert Book(title: \"x\",\n", "for x in y {",
      "for x in y {\nsave", "for x in y {\nsave\n", "for", "for x", "for x in", "for x in y",
      "perform {", "if a", "if a {", "if a { } else", "if a { } else {", "entity Book {",
      "entity Book {\n title: String", "entity Book", "entity Book :", "update Book {",
      "update Book { a", "update Book { a =", "update Book { a = 1,", "update Book where a == 1",
      "print [1,", "print books[0", "print (1", "print 1 +", "print a AND", "print NOT", "print -",
      "print", "let", "let x", "let x =", "print \"abc", "print 'abc", "print \"a\\(",
      "print \"a\\(x",
      "print \"a\\(x)", "print 1 \\", "print 1 \\\n", "save; print", "fetch Book where",
      "fetch Book where ", "fetch Book where # x", "fetch Book where a ==",
      "fetch Book where a == 1 AND",
      "fetch Book where (a == 1", "fetch Book where a IN {1,", "fetch Book where NOT",
      "fetch Book where a", "fetch Book where a == \"x", "fetch Book where a == \"x\\(n",
      "fetch Book sort", "fetch Book sort by", "fetch Book sort by a,", "fetch Book section by",
      "fetch Book limit", "fetch Book offset", "fetch Book batch", "fetch Book cache",
      "fetch Book sort by a using", "dune.title =", "dune.", "dune.books +=", "try", "set",
      "set clock",
      "delegate books", "delegate books {", "table view = books {\n insert insertRows", "expect",
      "request r", "request r =", "change books", "show books.", "store", "delete",
      "delete Book where",
    ])
  func unfinished(text: String) {
    #expect(ScriptParser.completeness(of: text) == .incomplete)
  }

  @Test(
    "a finished entry runs, and so does one that is wrong before its end",
    arguments: [
      "", "\n", "# x", "save", "save\n", "save;", "save # x", "insert Book(title: \"x\")",
      "for x in y { save }", "for x in y {\nsave\n}", "if a { save }", "entity Book { }",
      "fetch Book", "fetch Book where a == 1", "fetch Book sort by a", "print 1", "print a.b",
      "print \"a\\(x)b\"", "foo", "inser Book(", "print )", "print 1 2 +", "dune.title",
      "}", "save }", "print @2026-02-30", "fetch Book where a === 1 AND", "let x = = (",
      "table view = books", "model \"x\"", "print 1 \\\n\n", "x = 3",
    ])
  func finished(text: String) {
    #expect(ScriptParser.completeness(of: text) == .complete)
  }

  @Test(
    "within brackets, blocks and strings an unfinished entry is open",
    arguments: [
      "insert Book(", "insert Book(title:", "perform {", "perform {\n fetch", "if a { } else {",
      "entity Book {", "print \"abc", "print \"a\\(x", "print [1,", "fetch Book where (a == 1",
      "fetch Book where a == 'x", "fetch Book where a IN {1,",
    ])
  func open(text: String) {
    #expect(ScriptParser.isOpen(text))
  }

  @Test(
    "elsewhere it is not, nor is a finished one",
    arguments: [
      "fetch", "fetch\n", "let x =", "print 1 +", "print 1 \\", "fetch Book where",
      "fetch Book where a ==", "perform", "if a", "save", "", "perform { }", "print )",
    ])
  func notOpen(text: String) {
    #expect(!ScriptParser.isOpen(text))
  }

  @Test("an entry that asked for more is read whole when more has come")
  func continued() {
    let parts = ["for x in", " books {", "print x.title +", "\"!\" }"]
    var text = ""
    for part in parts {
      #expect(text.isEmpty || ScriptParser.completeness(of: text) == .incomplete)
      text += (text.isEmpty ? "" : "\n") + part
    }
    #expect(ScriptParser.completeness(of: text) == .complete)
    #expect(shapes(text, as: .prompt) == ["for x in books { print x.title + \"!\" }"])
  }
}
