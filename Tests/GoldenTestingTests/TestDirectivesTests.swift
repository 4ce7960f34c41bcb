import GoldenTesting
import ScriptSyntax
import Testing

/// What `#@` lines ask for, and which are refused.
struct TestDirectivesTests {
  private func directives(_ text: String) -> TestDirectives { prepared(text).directives }

  @Test("each directive is read")
  func all() {
    let directives = directives(
      """
      #@ skip  not today
      #@ xfail a known fault
      #@tag slow, cache
      #@ tag big
      #@ requires sqlite
      #@ matrix store=memory, sqlite
      #@ timeout 250ms
      # a comment
      #@ unordered

      print 1
      """)

    #expect(directives.skip?.text == "not today")
    #expect(directives.skip?.line == 1)
    #expect(directives.xfail?.text == "a known fault")
    #expect(directives.xfail?.line == 2)
    #expect(directives.tags == ["slow", "cache", "big"])
    #expect(directives.stores == [.memory, .sqlite])
    #expect(directives.timeout == .milliseconds(250))
    #expect(directives.unorderedBlocks == [11])
    #expect(directives.diagnostics == [])
  }

  @Test("without directives a script runs in memory, for a minute at most")
  func none() {
    #expect(directives("print 1").stores == [.memory])
    #expect(directives("print 1").timeout == .seconds(60))
    #expect(directives("#@ timeout 2min").timeout == .seconds(120))
  }

  @Test(
    "a directive that is wrong is an error",
    arguments: [
      ("#@ skp x", "unknown directive 'skp'; did you mean 'skip'?"),
      (
        "#@ hurry",
        "unknown directive 'hurry'; there are skip, xfail, tag, requires, matrix, timeout, "
          + "unordered"
      ),
      (
        "#@",
        "unknown directive ''; there are skip, xfail, tag, requires, matrix, timeout, unordered"
      ),
      ("#@ skip", "'skip' needs a reason"), ("#@ xfail", "'xfail' needs a reason"),
      ("#@ tag", "'tag' needs a name"),
      ("#@ requires", "'requires' needs a store: memory and sqlite"),
      ("#@ requires sqlit", "unknown store 'sqlit'; did you mean 'sqlite'?"),
      ("#@ requires redis", "unknown store 'redis'; there are memory and sqlite"),
      ("#@ matrix", "'matrix' needs stores: store=memory,sqlite"),
      ("#@ matrix locale=en", "'matrix' needs stores: store=memory,sqlite"),
      ("#@ matrix store=", "'matrix' needs stores: store=memory,sqlite"),
      ("#@ timeout", "'timeout' needs a time such as 500ms, 5s or 2min"),
      ("#@ timeout soon", "'timeout' needs a time such as 500ms, 5s or 2min"),
      ("#@ timeout 0s", "'timeout' needs a time such as 500ms, 5s or 2min"),
      ("#@ timeout 5", "'timeout' needs a time such as 500ms, 5s or 2min"),
      ("#@ skip a\n#@ skip b", "'skip' stands here twice"),
      ("#@ unordered x\nprint 1", "'unordered' takes nothing"),
      ("print 1\n#@ unordered", "'unordered' stands above the statement that it concerns"),
      (
        "if true {\n#@ unordered\n}",
        "'unordered' concerns a top-level statement, and stands above it"
      ),
      (
        "print 1\n#@ skip x",
        "'skip' concerns the whole script, and stands before its first statement"
      ),
    ])
  func faults(text: String, message: String) {
    let outcome = outcome(of: text)

    #expect(outcome.failures.map(\.description) == [message])
    #expect(outcome.verdict == .failed)
    #expect(outcome.blocks == [])
  }

  @Test("a directive or expectation behind a blank is a comment, and warned of")
  func indented() {
    let outcome = outcome(of: " #@ skip x\nprint 1\n#> 1\n  #> 2\n   # > no\n")

    #expect(outcome.passed)
    #expect(
      outcome.warnings.map(\.message) == [
        "a comment and no directive, for a blank stands before it",
        "a comment and no expected output, for a blank stands before it",
      ])
  }

  @Test("a skipped script does not run, but a conflict marker in it is seen")
  func skip() {
    let text = "#@ skip broken\nprint 1 / 0\n"

    #expect(outcome(of: text).verdict == .skipped(reason: "broken"))
    #expect(outcome(of: text).passed)
    #expect(outcome(of: text + "<<<<<<< HEAD\n").words == ["3 conflict"])
  }

  @Test("what this version has may be required")
  func requires() {
    #expect(outcome(of: "#@ requires memory, sqlite\nprint 1\n#> 1\n").verdict == .passed)
  }

  @Test(
    "xfail excuses output, errors and breaches, and nothing that keeps a block from being seen",
    arguments: [
      ("print 1\n#> 2\n", GoldenOutcome.Verdict.expectedFailure(reason: "known")),
      ("print 1 / 0\n", .expectedFailure(reason: "known")),
      ("print 1\n#> 1\n\n#> 2\n", .expectedFailure(reason: "known")),
      ("print 1 / 0\nprint 2\n", .failed), ("print 1\n#> 1\n", .failed), ("prnt 1\n", .failed),
      ("print 1\n#> 2\n<<<<<<< HEAD\n", .failed),
    ])
  func xfail(text: String, verdict: GoldenOutcome.Verdict) {
    let outcome = outcome(of: "#@ xfail known\n" + text)

    #expect(outcome.verdict == verdict)
    #expect(GoldenUpdate(outcome).file == nil)
  }

  @Test("an unexpected pass fails, but not where only some blocks were asked for")
  func unexpectedPass() {
    let text = "#@ xfail known\nprint 1\n#> 1\n"

    #expect(
      outcome(of: text).failures.map(\.description) == [
        "passes, though it was expected to fail: known"
      ])
    #expect(outcome(of: text, lines: [2]).verdict == .passed)
  }

  @Test("a script that takes too long is ended, and what it keeps from running is told")
  func timeout() {
    let outcome = outcome(
      of: "#@ timeout 20ms\nprint 1\n#> 1\nrepeat 1000000000 { try print 1 / 0 }\nprint 2\n#> 2\n")

    #expect(outcome.words.filter { !$0.hasSuffix("output") } == ["4 timeout", "5 unreached"])
    #expect(
      outcome.failures.map(\.description).contains(
        "not done after 20 ms; '#@ timeout' allows more"))
    #expect(GoldenUpdate(outcome).file == nil)
  }

  @Test(
    "conflict markers fail, in the script and in its golden file",
    arguments: [
      ("print 1\n<<<<<<< HEAD\n#> 1\n=======\n#> 2\n>>>>>>> topic\n", nil, ["2", "6"]),
      ("print 1\n#> <<<<<<< HEAD\n", nil, nil), ("# <<<<<<< HEAD\n", nil, nil),
      ("print 1\n", "<<<<<<<\n1\n", ["1"]), ("print 1\n", "<<<<<<<<\n", nil),
    ])
  func conflicts(text: String, golden: String?, lines: [String]?) {
    let words = outcome(of: text, golden: golden).words

    #expect(words.filter { $0.hasSuffix("conflict") } == (lines ?? []).map { $0 + " conflict" })
    if lines != nil { #expect(words.allSatisfy { $0.hasSuffix("conflict") }) }
  }
}
