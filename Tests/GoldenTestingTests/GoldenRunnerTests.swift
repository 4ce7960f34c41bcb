import GoldenTesting
import ScriptSyntax
import Testing

/// What passes, what fails, and as what.
struct GoldenRunnerTests {
  @Test(
    "output that is as expected passes",
    arguments: [
      "print 1\n#> 1\n", "print 1\n#> 1", "print 1\r\n#> 1\r\n", "\u{FEFF}print 1\n#> 1\n",
      "# nothing\n", "", "let x = 1\n", "print 1; print 2\n#> 1\n#> 2\n",
      "if true {\n  print 1\n  # a comment\n}\n#> 1\n", "print \"a\\n\\nb\"\n#> a\n#>\n#> b\n",
      "print \"\"\n#>\n", "print \"\"\n#> \n", "print \" a \"\n#>  a \n",
      "print \"#> x\"\n#> #> x\n",
      "print 1 # a comment\n#> 1\n", "print [1,\n 2]\n#> [1, 2]\n\n# on\nprint 3\n#> 3\n",
      "try print 1 / 0\n#> error: division by zero\n", "print \"a\\r\"\n#> a\n",
    ])
  func match(text: String) {
    let outcome = outcome(of: text)

    #expect(outcome.passed)
    #expect(outcome.mismatches == [])
  }

  @Test(
    "output that differs fails at its statement",
    arguments: [
      ("print 1\n#> 2\n", 1, ["2"], ["1"]),
      ("let x = 1\nprint x\n#> 1\n#> 2\n", 2, ["1", "2"], ["1"]),
      ("\n\nprint 1\n", 3, [], ["1"]), ("let x = 1\n#> 1\n", 1, ["1"], []),
      ("print \"a \"\n#> a\n", 1, ["a"], ["a "]),
      ("print 1; print 2\n#> 1\n", 1, ["1"], ["1", "2"]),
      ("perform {\n  print 1\n}\n#> 2\n", 1, ["2"], ["1"]),
    ])
  func mismatch(text: String, line: Int, expected: [String], actual: [String]) {
    let outcome = outcome(of: text)

    #expect(!outcome.passed)
    #expect(outcome.mismatches.map(\.line) == [line])
    #expect(outcome.mismatches.map(\.expected) == [expected])
    #expect(outcome.mismatches.map(\.actual) == [actual])
  }

  @Test("lines are compared by Unicode scalars")
  func scalars() {
    #expect(!outcome(of: "print \"\u{E9}\"\n#> e\u{301}\n").passed)
    #expect(!outcome(of: "print \"\u{E9}\"\n", golden: "e\u{301}\n").passed)
  }

  @Test("each block is compared on its own, and all that differ are told")
  func several() {
    let outcome = outcome(of: "print 1\n#> 0\nprint 2\n#> 2\nprint 3\n#> 0\n")

    #expect(outcome.blocks == 3)
    #expect(outcome.mismatches.map(\.line) == [1, 5])
  }

  @Test(
    "expected output under no statement fails",
    arguments: [
      ("#> 1\nprint 1\n#> 1\n", 1), ("print 1\n#> 1\n\n#> 2\n", 4),
      ("print 1\n#> 1\n# a comment\n#> 2\n", 4),
      ("if true {\n  print 1\n#> 1\n}\n#> 1\n", 3),
    ])
  func stray(text: String, line: Int) {
    let outcome = outcome(of: text)

    #expect(!outcome.passed)
    #expect(outcome.mismatches.map(\.kind) == [.stray])
    #expect(outcome.mismatches.map(\.line) == [line])
  }

  @Test("an error that no try takes fails, and what it keeps from running is told")
  func uncaught() {
    let outcome = outcome(of: "print 1\n#> 1\nprint 1 / 0\nprint 2\n#> 2\nlet x = 1\n")

    #expect(!outcome.passed)
    #expect(outcome.mismatches == [])
    #expect(
      outcome.uncaught == """
        test.frc:3:7: error: division by zero
        print 1 / 0
              ^~~~~
        """)
    #expect(outcome.unreached == [4, 6])
  }

  @Test("what a failing block printed before its error is compared, too")
  func outputBeforeAnError() {
    let outcome = outcome(of: "print 1; print 1 / 0\n#> 2\n")

    #expect(outcome.mismatches.map(\.actual) == [["1"]])
    #expect(outcome.uncaught != nil)
  }

  @Test("an error in an included file is told with its place there")
  func include() {
    let outcome = outcome(of: "include 'a.frc'", files: ["a.frc": "print 1 / 0"])

    #expect(outcome.uncaught?.hasPrefix("a.frc:1:7: error: division by zero") == true)
  }

  @Test("a script that does not parse fails and does not run")
  func syntax() {
    let outcome = outcome(of: "print 1\n#> 1\nprnt 2\n")

    #expect(!outcome.passed)
    #expect(
      outcome.diagnostics.map(\.message) == ["unknown statement 'prnt'; did you mean 'print'?"])
    #expect(outcome.outputs == [])
  }

  @Test("a warning does not fail")
  func warning() {
    let outcome = outcome(of: "print \"\\q\"\n#> q\n")

    #expect(outcome.passed)
    #expect(outcome.diagnostics.map(\.severity) == [.warning])
  }

  @Test("with a golden file the whole output is compared, and #> lines are comments")
  func goldenFile() {
    let script = "print 1\n#> something else\nlet x = 1\nprint \"\"\nprint 2\n"

    #expect(outcome(of: script, golden: "1\n\n2\n").passed)
    #expect(outcome(of: script, golden: "1\n\n2").passed)
    #expect(outcome(of: script, golden: "1\r\n\r\n2\r\n").passed)
    #expect(outcome(of: "let x = 1", golden: "").passed)
    let failed = outcome(of: script, golden: "1\n\n3\n")
    #expect(!failed.passed)
    #expect(failed.mismatches.map(\.kind) == [.file])
    #expect(failed.mismatches.map(\.line) == [3])
    #expect(!outcome(of: script, golden: "1\n\n2\n\n").passed)
    #expect(!outcome(of: script, golden: "").passed)
  }

  @Test("with a line only its block counts, and nothing behind it runs")
  func line() {
    let script = "print 1\n#> wrong\nif true {\n  print 2\n}\n#> 2\nprint 1 / 0\n#> stray\n"

    let second = outcome(of: script, line: 4)
    #expect(second.passed)
    #expect(second.blocks == 1)
    let first = outcome(of: script, line: 1)
    #expect(first.mismatches.map(\.line) == [1])
    #expect(first.uncaught == nil)
    #expect(outcome(of: script, line: 7).uncaught != nil)
  }

  @Test("an error before the line fails it")
  func errorBeforeTheLine() {
    let outcome = outcome(of: "print 1 / 0\nprint 2\n#> 2\nprint 3\n#> 3\n", line: 2)

    #expect(!outcome.passed)
    #expect(outcome.unreached == [2])
  }

  @Test("a line names a test where a top-level statement stands on it")
  func hasStatement() {
    let test = GoldenTest(
      source: SourceText(name: "test.frc", text: "# a\nif true {\n  print 1\n}\n#> 1\n"))

    #expect((1...6).filter(test.hasStatement(on:)) == [2, 3, 4])
  }

  @Test("each test has a session, a clock and a locale of its own")
  func surroundings() {
    let script = """
      print now()
      #> 2026-01-01T00:00:00Z
      set clock @2000-01-01
      set locale sv
      entity A { x: Int }
      insert A(x: 1)
      count A where random() == 0.5
      #> 1

      """

    #expect(outcome(of: script).passed)
    #expect(outcome(of: script).passed)
  }
}
