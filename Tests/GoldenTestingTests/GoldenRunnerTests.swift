import GoldenTesting
import ScriptSyntax
import ScriptWorlds
import Synchronization
import Testing

/// Which scripts pass and fail, and with which failure.
struct GoldenRunnerTests {
  @Test(
    "output that is as expected passes",
    arguments: [
      "print 1\n#> 1\n", "print 1\n#> 1", "print 1\r\n#> 1\r\n", "\u{FEFF}print 1\n#> 1\n",
      "let x = 1\n", "print 1; print 2\n#> 1\n#> 2\n",
      "if true {\n  print 1\n  # a comment\n}\n#> 1\n", "print \"a\\n\\nb\"\n#> a\n#>\n#> b\n",
      "print \"\"\n#>\n", "print \"\"\n#> \n", "print \" a \"\n#>  a \n",
      "print \"#> x\"\n#> #> x\n",
      "print 1 # a comment\n#> 1\n", "print [1,\n 2]\n#> [1, 2]\n\n# on\nprint 3\n#> 3\n",
      "try print 1 / 0\n#> error: division by zero\n", "print \"a\\r\"\n#> a\n",
    ])
  func match(text: String) {
    let outcome = outcome(of: text)

    #expect(outcome.passed)
    #expect(outcome.failures == [])
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
    #expect(outcome.words == ["\(line) output"])
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

    #expect(outcome.blocks.count == 3)
    #expect(outcome.words == ["1 output", "5 output"])
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
    #expect(outcome.words == ["\(line) strayExpectation"])
  }

  @Test("an error that no try takes fails, and what it keeps from running is told")
  func uncaught() {
    let outcome = outcome(of: "print 1\n#> 1\nprint 1 / 0\nprint 2\n#> 2\nlet x = 1\n")

    #expect(!outcome.passed)
    #expect(outcome.words == ["3 error", "4 unreached"])
    #expect(
      outcome.failures.map(\.description) == [
        "uncaught error: division by zero", "2 blocks not reached",
      ])
  }

  @Test("what a failing block printed before its error is compared, too")
  func outputBeforeAnError() {
    let outcome = outcome(of: "print 1; print 1 / 0\n#> 2\n")

    #expect(outcome.mismatches.map(\.actual) == [["1"]])
    #expect(outcome.words == ["1 output", "1 error"])
  }

  @Test("an error in an included file is told with its place there")
  func include() throws {
    let outcome = outcome(of: "print 1\n#> 1\ninclude 'a.frc'", files: ["a.frc": "print 1 / 0"])

    guard case .uncaught(let error) = try #require(outcome.failures.first).kind else {
      Issue.record("\(outcome.words)")
      return
    }
    #expect(error.source.name == "a.frc")
    #expect(error.diagnostic.range.lowerBound == 6)
    #expect(outcome.words == ["3 error"])
  }

  @Test("what callbacks print that break the replay law fails, whatever is expected")
  func replay() {
    let test = prepared("print 1\n#> 1\nprint 2\n#> 2\n")
    var run = GoldenRun(store: .memory)
    run.blocks = [
      GoldenRun.Block(output: ["1"]), GoldenRun.Block(output: ["2"], breaches: ["books: a breach"]),
    ]

    let outcome = test.outcome(of: [run])

    #expect(outcome.words == ["3 replay"])
    #expect(
      outcome.failures.map(\.description) == [
        "callbacks break the replay law: books: a breach"
      ])
  }

  @Test("of several stores one that fails alone is named")
  func stores() {
    let test = prepared("#@ matrix store=memory,sqlite\nprint 1\n#> 1\nprint 2\n#> 0\n")
    var memory = GoldenRun(store: .memory)
    memory.blocks = [GoldenRun.Block(output: ["1"]), GoldenRun.Block(output: ["2"])]
    var sqlite = GoldenRun(store: .sqlite)
    sqlite.blocks = [GoldenRun.Block(output: ["0"]), GoldenRun.Block(output: ["2"])]

    let outcome = test.outcome(of: [memory, sqlite])

    #expect(outcome.words == ["2 output", "4 output"])
    #expect(outcome.failures.map(\.store) == [.sqlite, nil])
    #expect(
      GoldenUpdate(outcome).file.map { String(decoding: $0.bytes, as: UTF8.self) }
        == "#@ matrix store=memory,sqlite\nprint 1\n#> 1\nprint 2\n#> 2\n")
  }

  @Test("a script that does not parse fails and does not run")
  func syntax() {
    let outcome = outcome(of: "print 1\n#> 1\nprnt 2\n")

    #expect(!outcome.passed)
    #expect(
      outcome.failures.map(\.description) == ["unknown statement 'prnt'; did you mean 'print'?"])
    #expect(outcome.blocks == [])
  }

  @Test("a warning does not fail")
  func warning() {
    let outcome = outcome(of: "print \"\\q\"\n#> q\n")

    #expect(outcome.passed)
    #expect(outcome.warnings.count == 1)
  }

  @Test("with a golden file the whole output is compared")
  func goldenFile() {
    let script = "print 1\nlet x = 1\nprint \"\"\nprint 2\n"

    #expect(outcome(of: script, golden: "1\n\n2\n").passed)
    #expect(outcome(of: script, golden: "1\n\n2").passed)
    #expect(outcome(of: script, golden: "1\r\n\r\n2\r\n").passed)
    #expect(outcome(of: script, golden: "1\n…\n").passed)
    #expect(outcome(of: "let x = 1", golden: "").passed)
    let failed = outcome(of: script, golden: "1\n\n3\n")
    #expect(failed.words == ["3 output"])
    #expect(failed.failures.map(\.file) == ["test.golden"])
    #expect(!outcome(of: script, golden: "1\n\n2\n\n").passed)
    #expect(!outcome(of: script, golden: "").passed)
  }

  @Test("expectations in a script with a golden file are warned of, for nothing compares them")
  func idleExpectations() {
    let outcome = outcome(of: "print 1\n#> something else\n", golden: "1\n")

    #expect(outcome.passed)
    #expect(
      outcome.warnings.map(\.message) == [
        "expected lines are not compared, for 'test.golden' has the output"
      ])
  }

  @Test("with lines only their blocks count, and nothing behind the last runs")
  func lines() {
    let script = "print 1\n#> wrong\nif true {\n  print 2\n}\n#> 2\nprint 1 / 0\n#> stray\n"

    #expect(outcome(of: script, lines: [4]).passed)
    #expect(outcome(of: script, lines: [6]).passed)
    #expect(outcome(of: script, lines: [4]).blocks.count == 2)
    #expect(outcome(of: script, lines: [1]).words == ["1 output"])
    #expect(outcome(of: script, lines: [2, 4]).words == ["1 output"])
    #expect(outcome(of: script, lines: [7]).words == ["7 output", "7 error"])
  }

  @Test("an error before the line fails it")
  func errorBeforeTheLine() {
    let outcome = outcome(of: "print 1 / 0\nprint 2\n#> 2\nprint 3\n#> 3\n", lines: [2])

    #expect(outcome.words == ["1 error", "2 unreached"])
    #expect(outcome.failures.last?.description == "1 block not reached")
  }

  @Test("a line names a block where one of its statements or expectations stands on it")
  func unknownLines() {
    let script = "# a\nif true {\n  print 1\n}\n#> 1\n\n#> 2\n"

    #expect(prepared(script, lines: Set(1...7)).unknownLines == [1, 6, 7])
  }

  @Test("a fetch, too, ends where nobody wants to know its end any more")
  func stoppedFetch() {
    func run(_ text: String, stoppingAfter count: Int) -> (end: GoldenRun.End?, polls: Int) {
      let polls = Mutex(0)
      let runner = GoldenRunner(environment: ScriptFiles()) {
        polls.withLock {
          $0 += 1
          return $0 > count
        }
      }
      let end = runner.runs(of: prepared(text)).first?.end
      return (end, polls.withLock(\.self))
    }
    let inserts = "entity A { n: Int = 0 }\ninsert 1000 A()\n"

    let polls = run(inserts, stoppingAfter: .max).polls
    let fetch = run(inserts + "count A where n > 1\n", stoppingAfter: polls + 500)

    #expect(fetch.polls == polls + 501)
    #expect(fetch.end != .finished)
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
