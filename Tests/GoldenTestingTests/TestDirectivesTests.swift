import GoldenTesting
import ScriptSyntax
import Testing

/// The meaning of `#@` lines, and which are refused.
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
    #expect(directives.unorderedBlocks == [10])
    #expect(directives.diagnostics == [])
  }

  @Test("without directives a script runs in memory, for ten seconds at most")
  func none() {
    #expect(directives("print 1").stores == [.memory])
    #expect(directives("print 1").timeout == .seconds(10))
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
      ("#@ skip a\n#@ skip b", "'skip' is repeated here"),
      ("#@ requires sqlite\n#@ requires sqlite", "'requires' is repeated here"),
      (
        "#@ requires memory sqlite",
        "'requires' takes one store; 'matrix store=memory,sqlite' runs a script on both"
      ),
      ("#@ matrix store=memory,memory", "'memory' is repeated in the matrix"),
      (
        "#@ matrix store=memory\n#@ requires sqlite",
        "'requires sqlite' contradicts 'matrix store=memory'"
      ),
      (
        "#@ requires sqlite\n#@ matrix store=memory,sqlite",
        "'requires sqlite' contradicts 'matrix store=memory,sqlite'"
      ),
      ("#@ xfail store=sqlite", "'xfail' needs a reason"),
      ("#@ xfail store=sqlit x", "unknown store 'sqlit'; did you mean 'sqlite'?"),
      (
        "#@ requires memory\n#@ xfail store=sqlite known\nprint 1",
        "'xfail store=sqlite' never applies: the script runs on memory"
      ),
      ("print 1\n#@ xfail\nprint 2", "'xfail' needs a reason"),
      ("print 1\n#@ xfail a\n#@ xfail b\nprint 2", "'xfail' is repeated here"),
      (
        "if true {\n#@ skip x\n}",
        "'skip' applies to a top-level statement; write it above that statement"
      ),
      ("#@ unordered x\nprint 1", "'unordered' takes nothing"),
      (
        "print 1\n#@ unordered",
        "'unordered' applies to one statement; write it above that statement"
      ),
      (
        "if true {\n#@ unordered\n}",
        "'unordered' applies to a top-level statement; write it above that statement"
      ),
      ("print 1\n#@ skip x", "'skip' applies to one statement; write it above that statement"),
      (
        "print 1\n#@ tag x",
        "'tag' applies to the whole script; write it before the first statement"
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
        "this is a comment, not a directive; remove the blank before it",
        "this is a comment, not expected output; remove the blank before it",
      ])
  }

  @Test("a skipped script does not run, but a conflict marker in it is seen")
  func skip() {
    let text = "#@ skip broken\nprint 1 / 0\n"

    #expect(outcome(of: text).verdict == .skipped(reason: "broken"))
    #expect(outcome(of: text).passed)
    #expect(outcome(of: text + "<<<<<<< HEAD\n").words == ["3 conflict"])
  }

  @Test("a script runs on the store that it requires, and on no other")
  func requires() {
    #expect(directives("#@ requires sqlite").stores == [.sqlite])
    #expect(directives("#@ requires sqlite").namesStores)
    #expect(directives("#@ requires memory").stores == [.memory])
    #expect(directives("#@ requires sqlite\n#@ matrix store=sqlite\nlet x = 1").diagnostics == [])
  }

  // MARK: Blocks

  @Test("an expected failure above a block excuses that block, and no other")
  func blockXfail() {
    let text = "print 1\n#> 1\n#@ xfail a known fault\nprint 2\n#> 3\nprint 4\n#> 4\n"

    let passed = outcome(of: text)
    #expect(passed.verdict == .passed)
    #expect(passed.notes.map(\.words) == ["failed as expected: a known fault"])
    #expect(passed.notes.map(\.lines) == [4...4])
    #expect(OutcomeText().lines(of: passed) == ["test.frc:4: failed as expected: a known fault"])
    #expect(outcome(of: text.replacing("#> 1\n", with: "#> 9\n")).words == ["1 output"])
    let fixed = outcome(of: text.replacing("#> 3", with: "#> 2"))
    #expect(
      fixed.failures.map(\.description) == [
        "passes, though it was expected to fail: a known fault"
      ])
    #expect(fixed.words == ["3 unexpectedPass"])
  }

  @Test("after an error in a block that is expected to fail the others run")
  func blockXfailError() {
    let text = "#@ tag x\nprint 1\n#> 1\n#@ xfail known\nprint 1 / 0\nprint 2\n#> 2\n"

    #expect(outcome(of: text).failures == [])
    #expect(outcome(of: text).notes.count == 1)
    #expect(outcome(of: text.replacing("#> 2", with: "#> 3")).words == ["6 output"])
  }

  @Test("an update leaves a block that is expected to fail, and mends the others")
  func blockXfailUpdate() {
    let text = "let a = 1\n#@ xfail known\nprint 2\n#> 3\nprint 4\n"

    #expect(updated(text) == text + "#> 4\n")
  }

  @Test(
    "beside a golden file, an expected failure of a block excuses its own lines",
    arguments: [
      ("1\n3\n4\n", [], 1), ("1\n4\n", [], 1), ("1\n3\n3\n4\n", [], 1),
      ("1\n2\n4\n", ["3 unexpectedPass"], 0), ("1\n3\n5\n", ["3 output"], 1),
      ("9\n3\n4\n", ["1 output"], 1), ("1\n2\n5\n", ["3 unexpectedPass", "3 output"], 0),
      ("1\n…\n4\n", ["3 unexpectedPass"], 0), ("[int]\n3\n4\n", [], 1),
      ("1\n3\n3\n5\n", ["2 output"], 0),
    ])
  func goldenXfail(golden: String, words: [String], notes: Int) {
    let text = "print 1\n\n#@ xfail known\nprint 2\nprint 4\n"

    let outcome = outcome(of: text, golden: golden)
    #expect(outcome.words == words)
    #expect(outcome.notes.count == notes)
    // An update keeps what is expected of the block.
    let mended = ["1\n3\n5\n", "9\n3\n4\n"].contains(golden) ? "1\n3\n4\n" : nil
    #expect(updated(text, golden: golden) == mended)
  }

  @Test("beside a golden file, what a failing block does not print is excused")
  func goldenXfailSilence() {
    let text = "print 1\n#@ xfail known\nlet a = 2\nprint 4\n"

    #expect(outcome(of: text, golden: "1\n2\n4\n").failures == [])
    #expect(outcome(of: text, golden: "1\n4\n").words == ["2 unexpectedPass"])
    #expect(outcome(of: text, golden: "1\n2\n5\n").words == ["2 output"])
  }

  @Test("a block that is skipped does not run, and the others do")
  func blockSkip() {
    let text = "let a = 1\n#@ skip too slow\nprint 1 / 0\n#> 3\nprint 4\n#> 4\n"

    #expect(outcome(of: text).failures == [])
    #expect(outcome(of: text).notes.map(\.words) == ["skipped: too slow"])
    #expect(outcome(of: text.replacing("#> 4", with: "#> 5")).words == ["5 output"])
    #expect(updated(text.replacing("#> 4", with: "#> 5")) == text)
  }

  @Test("a failure may be expected on one store, of the script and of a block")
  func storeXfail() {
    func outcome(_ head: String, _ sqlite: String, _ memory: String = "1") -> GoldenOutcome {
      let test = prepared("#@ matrix store=memory,sqlite\n" + head + "print 1\n#> 1\n")
      let runs = [TestStore.memory: memory, .sqlite: sqlite].sorted {
        $0.key.rawValue < $1.key.rawValue
      }
      .map { store, output in
        var run = GoldenRun(store: store)
        run.blocks = test.script.groups.map { group in
          .init(output: group.expected.isEmpty ? [] : [output])
        }
        return run
      }
      return test.outcome(of: runs)
    }

    for head in ["#@ xfail store=sqlite known\n", "let a = 1\n#@ xfail store=sqlite known\n"] {
      #expect(outcome(head, "2").verdict == .passed)
      #expect(
        outcome(head, "2").notes.map(\.words) == ["failed as expected: known (store sqlite)"])
      #expect(outcome(head, "1").failures.map(\.code) == ["unexpectedPass"])
      #expect(outcome(head, "2", "2").failures.map(\.store) == [.memory])
    }
  }

  @Test("an expected failure of the script that excuses several blocks is warned of")
  func broadXfail() {
    let text = "#@ xfail known\nprint 1\n#> 2\nprint 2\n#> 3\n"

    #expect(
      outcome(of: text).warnings.map(\.message) == [
        "this xfail excuses 2 blocks; write it above each of them"
      ])
    #expect(outcome(of: text.replacing("#> 2", with: "#> 1")).warnings == [])
  }

  // MARK: Nothing to fail

  @Test(
    "a script without a statement fails, unless it is skipped", arguments: ["", "# only\n", "\n\n"])
  func empty(text: String) {
    #expect(
      outcome(of: text).failures.map(\.description) == [
        "there is no statement; write one, or '#@ skip REASON'"
      ])
    #expect(outcome(of: "#@ skip later\n" + text).verdict == .skipped(reason: "later"))
  }

  @Test("a test that asserts only silence is warned of, and not counted as passed")
  func assertsNothing() {
    for text in ["let x = 1\n", "entity Book { title: String }\n"] {
      let outcome = outcome(of: text)
      #expect(
        outcome.warnings.map(\.message) == [
          "this test asserts only that nothing is printed; add an 'expect' or a 'show'"
        ])
      #expect(outcome.assertsNothing)
    }
    for text in ["expect 1 == 1\n", "if true { expect true }\n", "print 1\n#> 1\n"] {
      #expect(outcome(of: text).warnings == [], "\(text)")
    }
    #expect(outcome(of: "let x = 1\n", golden: "").warnings == [])
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

  @Test(
    "a directive between the lines of expected output is the error, not the lines around it",
    arguments: ["#@ unordered", "#@ xfail late", "#@ tag slow", "#@ tag a\n#@ tag b"])
  func split(directive: String) {
    let outcome = outcome(
      of:
        "print 0\n#> 0\nfor i in 1...3 { print i }\n#> 1\n\(directive)\n#> 2\n#> 3\nprint 4\n#> 4\n"
    )

    let word = directive.dropFirst(3).prefix { $0 != " " && $0 != "\n" }
    let message =
      "'\(word)' splits the expected output; write it above the statement on line 3"
    let count = directive.split(separator: "\n").count
    #expect(outcome.failures.map(\.description) == Array(repeating: message, count: count))
    #expect(outcome.failures.first?.lines == 5...5)
  }

  @Test("a directive after expected output is that of the next statement")
  func unsplit() {
    let outcome = outcome(
      of: "print 0\n#> 0\n#@ unordered\nfor i in 1...2 { print i }\n#> 2\n#> 1\n")

    #expect(outcome.passed)
    #expect(
      self.outcomeOfStray("#@ tag a\n").failures.map(\.description) == [
        "this '#>' line must directly follow a statement; remove the empty line or comment above it"
      ])
  }

  /// The outcome of a script with expected output that is below no statement.
  private func outcomeOfStray(_ before: String) -> GoldenOutcome {
    outcome(of: "\(before)#> 0\nlet x = 1\n")
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
        "timed out after 20 ms; raise the limit with '#@ timeout'"))
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
