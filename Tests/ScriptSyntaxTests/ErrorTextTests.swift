import ScriptSyntax
import Testing

/// Errors as they are displayed, compared completely.
@Suite("Error texts")
struct ErrorTextTests {
  @Test("a sign of the wrong kind in an insert and in an update")
  func separators() {
    #expect(
      messages("insert Book(title = \"x\", pages: 1)") == """
        test.frc:1:19: error: unexpected '=' after 'title'; use ':'
        insert Book(title = "x", pages: 1)
                          ^
        """)
    #expect(
      messages("update Book where a == 1 { title: \"x\" }") == """
        test.frc:1:33: error: unexpected ':' after 'title'; use '='
        update Book where a == 1 { title: "x" }
                                        ^
        """)
    #expect(
      messages("update Book { title == \"x\" }") == """
        test.frc:1:21: error: unexpected '==' after 'title'; use '='
        update Book { title == "x" }
                            ^~
        """)
  }

  @Test("a bracket without its other half points at what is open")
  func unclosed() {
    #expect(
      messages("for x in y {\n  if x {\n    save\n}\n") == """
        test.frc:1:12: error: missing '}' for this '{'
        for x in y {
                   ^
        """)
    #expect(
      messages("insert Book(title: \"x\"\nprint [1, 2\nsave\nprint (1 + 2") == """
        test.frc:1:12: error: missing ')' for this '('
        insert Book(title: "x"
                   ^
        test.frc:2:7: error: missing ']' for this '['
        print [1, 2
              ^
        test.frc:4:7: error: missing ')' for this '('
        print (1 + 2
              ^
        """)
    #expect(
      messages("print \"a\\(x\nsave") == """
        test.frc:1:9: error: missing ')' for this '\\('
        print "a\\(x
                ^~
        """)
    #expect(
      messages("perform { insert Book(title: \"x\" }\nsave") == """
        test.frc:1:22: error: missing ')' for this '('
        perform { insert Book(title: "x" }
                             ^
        """)
    #expect(
      messages("table view = books {\n  insert insertRows\nsave") == """
        test.frc:1:20: error: missing '}' for this '{'
        table view = books {
                           ^
        """)
  }

  @Test("a bracket that closes nothing")
  func strayClosers() {
    #expect(
      messages("save }\nprint 1)\n}") == """
        test.frc:1:6: error: unexpected '}'; nothing is open here
        save }
             ^
        test.frc:2:8: error: unexpected ')'
        print 1)
               ^
        test.frc:3:1: error: unexpected '}'; nothing is open here
        }
        ^
        """)
  }

  @Test("what is missing is missed behind the last word")
  func missing() {
    #expect(
      messages("fetch Book sort by # x\nfetch Book limit\nlet x\nfetch\nfor x y {}") == """
        test.frc:1:19: error: expected a key path after 'sort by', found the end of the line
        fetch Book sort by # x
                          ^
        test.frc:2:17: error: expected a value, found the end of the line
        fetch Book limit
                        ^
        test.frc:3:6: error: expected '=', found the end of the line
        let x
             ^
        test.frc:4:6: error: expected the name of an entity, a request or a controller, \
        found the end of the line
        fetch
             ^
        test.frc:5:7: error: expected 'in', found 'y'
        for x y {}
              ^
        """)
    #expect(
      heads("fetch Book sort title") == ["1:17 expected 'by', found 'title'; write 'sort by title'"]
    )
    #expect(heads("fetch Book sort by a, limit 3") == ["1:29 unexpected '3'"])
    #expect(heads("fetch Book 'Dune'") == ["1:12 unexpected string"])
    #expect(
      heads("change books") == [
        "1:13 expected a clause such as 'where' or 'sort by', but the text ends here"
      ])
    #expect(heads("try") == ["1:4 expected a statement, but the text ends here"])
    #expect(heads("books[].x = 1") == ["1:7 expected a value, found ']'"])
    #expect(heads("insert Book(title \"x\")") == ["1:19 expected ':', found a string"])
    #expect(
      heads("insert Book(title: \"x\" pages: 3)") == ["1:24 expected ',' or ')', found 'pages'"])
  }

  @Test("a name like a limit in an expression is no property")
  func limitsInExpressions() {
    #expect(
      heads("print max = 3") == ["1:11 unexpected '=' in an expression; use '=='"])
  }

  @Test(
    "what a property does not take says what to write",
    arguments: [
      ("a: [B] inverse c delete cascade", "unexpected 'delete'; write 'on delete cascade'"),
      ("a: [B] onDelete: .deny", "unexpected 'onDelete'; write 'on delete deny'"),
      ("a: B? nullify", "unexpected 'nullify'; write 'on delete nullify'"),
      (
        "a: String indexed unique",
        "'unique' is a part of the entity: write 'unique a' after the property"
      ),
      ("a: String required", "a property without '?' is required; write 'String'"),
      ("a: String NOT NULL", "a property without '?' is required; write 'String'"),
      ("a: Int min: 0", "expected a value, found ':'; write 'min 0'"),
      ("min: Int max: Int", "expected a value, found ':'; write ',' before 'max'"),
      ("a: Int = 1, b: String c: Int", "unexpected 'c'; write ',' before 'c'"),
      ("a: ordered [B]", "unknown type 'ordered'; write '[B] ordered'"),
      (
        "a: NSOrderedSet<B>",
        "unexpected '<'; write '[B]', with 'ordered' after it to keep an order"
      ),
      ("a: Optional<String>", "unexpected '<'; write 'String?'"),
      ("a: String??", "unexpected '?'"),
    ])
  func properties(part: String, message: String) {
    let errors = heads("entity A { \(part) }").map { $0.drop { $0 != " " }.dropFirst() }
    #expect(errors == [message[...]])
  }

  @Test("words of fixed sets name the nearest")
  func fixedSets() {
    #expect(
      heads("delegate books chages\nset clok 3\nstore memry\nfetch Book sort by a using localised")
        == [
          "1:16 unknown delegate mode 'chages'; did you mean 'changes'?",
          "2:5 unknown setting 'clok'; did you mean 'clock'?",
          "3:7 unknown store 'memry'; did you mean 'memory'?",
          "4:28 unknown comparison 'localised'; did you mean 'localized'?",
        ])
    #expect(
      heads(
        "delegate a { didChange { } }\ndelegate b { willChangeContent { } willChangeContent { } }")
        == [
          "1:14 unknown callback 'didChange'; did you mean 'didChangeObject'?",
          "2:36 callback 'willChangeContent' given twice",
        ])
    #expect(
      heads("delegate books") == [
        "1:15 expected 'changes', 'didChange', 'none', 'snapshot', 'diff', 'counts' or '{', "
          + "but the text ends here"
      ])
  }

  @Test("characters that keyboards put in place of signs")
  func lookalikes() {
    #expect(
      messages("print “a”\ninsert Book（title: 1)\nprint 1 – 2\nprint ?\nprint 1 \u{1}") == """
        test.frc:1:7: error: unexpected character '“'; use '"'
        print “a”
              ^
        test.frc:2:12: error: unexpected character '（'; use '('
        insert Book（title: 1)
                   ^~
        test.frc:3:9: error: unexpected character '–'; use '-'
        print 1 – 2
                ^
        test.frc:4:7: error: expected a value, found '?'
        print ?
              ^
        test.frc:5:9: error: unexpected character U+0001
        print 1 \u{FFFD}
                ^
        """)
  }

  @Test("faults in predicates have their place in the script")
  func predicates() {
    #expect(
      messages("save\nfetch Book where pages ?? 3 sort by title") == """
        test.frc:2:24: error: frc has no '??'; write 'if pages == nil { … } else { … }'
        fetch Book where pages ?? 3 sort by title
                               ^
        """)
    #expect(
      heads("fetch Book where d > @2026-02-30 OR\n  a == Book/3x")
        == ["1:22 the calendar has no '@2026-02-30'"])
    #expect(
      heads("fetch Book where a == \"\\(1 + )\" sort by b\nprint )")
        == ["1:30 expected a value, found ')'", "2:7 expected a value, found ')'"])
  }

  @Test("a text that is not UTF-8 is an error, once a line")
  func encoding() {
    let bytes: [UInt8] = Array("print \"".utf8) + [0xFF, 0xFE] + Array("\"\n# ".utf8) + [0xC3]
    let source = SourceText(name: "test.frc", bytes: bytes)
    let script = ScriptParser.parse(source)
    #expect(
      DiagnosticRenderer().render(script.diagnostics, in: source) == """
        test.frc:1:8: error: the text is not UTF-8 here
        print "\u{FFFD}\u{FFFD}"
               ^
        test.frc:2:3: error: the text is not UTF-8 here
        # \u{FFFD}
          ^
        """)
  }
}

@Suite("The texts of errors in context statements")
struct ContextErrorTextTests {
  @Test(
    "what is missing or unknown has its place",
    arguments: [
      ("context", "1:8 expected the name of a context, but the text ends here"),
      (
        "context bg policy storetrump",
        "1:19 unknown policy 'storetrump'; did you mean 'storeTrump'?"
      ),
      ("context bg parent a parent b", "1:21 'parent' given twice"),
      (
        "set policy nothing",
        "1:12 unknown policy 'nothing'; expected 'error', 'objectTrump', 'overwrite', 'rollback' "
          + "or 'storeTrump'"
      ),
      ("merge bg main", "1:10 expected 'into', found 'main'"),
      ("automerge main maybe", "1:16 expected 'on' or 'off', found 'maybe'"),
      ("save bg main", "1:9 unexpected 'main'"),
      ("undo 2", "1:6 'undo' takes no number; ':undo 2' at the prompt goes 2 statements"),
    ])
  func texts(text: String, head: String) {
    #expect(heads(text) == [head])
  }
}
