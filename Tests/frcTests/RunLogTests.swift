import GoldenTesting
import ScriptSyntax
import ScriptWorlds
import Testing

@testable import frc

/// What the log of a run shows, as a value.
@Suite("The log of a run")
struct RunLogTests {
  /// The outcomes of scripts, which are named `0.frc`, `1.frc` and so on.
  private func outcomes(_ texts: [String], files: [String: String] = [:]) -> [GoldenOutcome] {
    texts.enumerated().map { number, text in
      let source = SourceText(name: "\(number).frc", text: text)
      return GoldenRunner(environment: ScriptFiles(files)).run(GoldenTest(source: source))
    }
  }

  private func outcomes(_ texts: String...) -> [GoldenOutcome] { outcomes(texts) }

  /// Returns what is shown of outcomes during a run, and at its end.
  private func shown(
    _ outcomes: [GoldenOutcome], _ detail: RunLog.Detail = .limited, reports: [String] = []
  ) -> (lines: [String], ending: [String]) {
    var log = RunLog(detail)
    var report = SuiteReport()
    var lines: [String] = []
    for outcome in outcomes {
      lines += log.lines(of: outcome)
      report.add(outcome)
    }
    return (lines, log.ending(of: report, reports: reports))
  }

  @Test("a failure is shown, and its file is listed at the end")
  func one() {
    let shown = shown(outcomes("print 1\n#> 2\n", "print 1\n#> 1\n"))

    #expect(
      shown.lines == [
        "0.frc:1: output differs", "  1 | print 1", "  - 2", "  + 1",
      ])
    #expect(shown.ending == ["", "0.frc:1: failed: output differs"])
  }

  @Test("nothing is said of tests that pass")
  func none() {
    let shown = shown(outcomes("print 1\n#> 1\n"))

    #expect(shown.lines == [])
    #expect(shown.ending == [])
  }

  @Test("the same failure is shown once, and the list names its first place")
  func same() {
    let same = "print 1\n#> 2\n"
    let shown = shown(outcomes("# first\n" + same, same, "print 2\n#> 1\n", same + "print 7\n"))

    #expect(
      shown.lines.filter { $0.contains(".frc") } == [
        "0.frc:2: output differs", "2.frc:1: output differs",
        "3.frc:3: output without an expectation",
        "    (1 more failure in 3.frc)",
      ])
    #expect(
      shown.ending == [
        "", "2 more failures are the same as one above", "0.frc:2: failed: output differs",
        "1.frc:1: failed: output differs, as in 0.frc:2", "2.frc:1: failed: output differs",
        "3.frc:1: failed: output differs, as in 0.frc:2, and 1 more",
      ])
  }

  @Test("the same difference of another statement is another failure")
  func statements() {
    let shown = shown(outcomes("print 1\n#> 2\n", "print 0 + 1\n#> 2\n"))

    #expect(shown.lines.count { $0.contains("output differs") } == 2)
  }

  @Test("a mistake in an included file is shown once, though each script says it in its own words")
  func included() {
    let shown = shown(
      outcomes(
        ["include \"a.txt\"\nprint 1\n", "print 1\n#> 1\ninclude \"a.txt\"\n"],
        files: ["a.txt": "print nope\n"]))

    #expect(shown.lines.count { $0.contains("nope'") } == 1)
    #expect(
      shown.ending.last
        == "1.frc:3: failed: uncaught error: unknown name 'nope', as in 0.frc:1")
  }

  @Test("what only follows from an error is shown with it")
  func consequences() {
    let shown = shown(
      outcomes("print 1 / 0\n#> 1\nprint 2\n#> 2\n", "print 1 / 0\n#> 1\nprint 3\n"))

    #expect(
      shown.lines.filter { $0.hasPrefix("0.frc") } == [
        "0.frc:1: nothing is printed", "0.frc:1:7: error: division by zero",
        "0.frc:3: 1 block not reached",
      ])
    #expect(!shown.lines.contains { $0.hasPrefix("1.frc") })
    #expect(
      shown.ending.last
        == "1.frc:1: failed: uncaught error: division by zero, as in 0.frc:1, and 2 more")
  }

  @Test("of a script only so many failures are shown, and of a failure only so many lines")
  func longScripts() {
    let long = "for i in 1...90 { print i }\n#> x\n"
    let short = (0..<60).map { "print \($0) + 0\n#> \($0 + 1)\n" }.joined()
    let one = shown(outcomes(long))
    let many = shown(outcomes(short))

    #expect(one.lines.count < 50)
    #expect(one.lines.last?.hasSuffix(" more lines)") == true)
    #expect(many.lines.count < 70)
    #expect(many.lines.last?.hasSuffix(" more failures in 0.frc)") == true)
    #expect(
      many.ending[1].hasSuffix(
        " more failures not shown; -v shows all, and --report markdown=FILE writes them"))
    #expect(many.ending.last == "0.frc:1: failed: output differs, and 59 more")
  }

  @Test("if every test fails for one cause, a page is shown")
  func broad() {
    let texts = (0..<500).map { number in
      "for i in 1...20 { print \"\\(i) of \(number)\" }\n#> 1 of \(number)\nprint \(number)\n#> x\n"
    }
    let shown = shown(outcomes(texts), reports: ["r.xml"])

    #expect(shown.lines.count < 160)
    #expect(shown.ending.count < 10)
    #expect(
      shown.ending.contains {
        $0.hasSuffix(" more failures not shown; -v shows all, and the whole text is in r.xml")
      })
    #expect(
      shown.ending.suffix(5) == [
        "0.frc:1: failed: output differs, and 1 more",
        "1.frc:1: failed: output differs, and 1 more",
        "2.frc:1: failed: output differs, and 1 more",
        "  (497 more scripts failed in the same way)",
        "-v lists every failed script, and --failed runs them again",
      ])
  }

  @Test("among many failures that are alike, one of another kind is shown, and listed by itself")
  func other() {
    var texts = (0..<300).map { "print \"\($0) books\"\n#> \($0) boks\n" }
    texts[250] = "print nope\n"
    let shown = shown(outcomes(texts))

    #expect(shown.lines.contains { $0.hasPrefix("250.frc:1:7: error: unknown name 'nope'") })
    #expect(shown.lines.count < 120)
    #expect(
      shown.ending.suffix(6) == [
        "0.frc:1: failed: output differs", "1.frc:1: failed: output differs",
        "2.frc:1: failed: output differs", "  (296 more scripts failed in the same way)",
        "250.frc:1: failed: uncaught error: unknown name 'nope'",
        "-v lists every failed script, and --failed runs them again",
      ])
  }

  @Test("warnings have a limit of their own")
  func warnings() {
    let texts = (0..<60).map { "print 'a\\q\($0)'\n#> aq\($0)\n" }
    let shown = shown(outcomes(texts + ["print 1\n#> 2\n"]))

    #expect(shown.lines.count { $0.contains("warning: unknown escape") } == 34)
    #expect(shown.lines.contains("60.frc:1: output differs"))
    #expect(shown.ending.contains("26 more warnings not shown; -v shows all"))
  }

  @Test("with every detail nothing is left out")
  func all() {
    let texts = Array(repeating: "for i in 1...90 { print i }\n#> x\n", count: 60)
    let shown = shown(outcomes(texts), .all)

    #expect(shown.lines.count { $0.hasSuffix(".frc:1: output differs") } == 60)
    #expect(shown.lines.count > 60 * 90)
    #expect(shown.ending == [""] + (0..<60).map { "\($0).frc:1: failed: output differs" })
  }

  @Test("with the ending alone there is no difference")
  func ending() {
    let shown = shown(outcomes("print 1\n#> 2\n", "#@ skip later\nprint 1\n"), .ending)

    #expect(shown.lines == [])
    #expect(
      shown.ending == ["1.frc:1: skipped: later", "0.frc:1: failed: output differs"])
  }

  @Test("the ending lists what was excused and what was not read, before what failed")
  func lists() {
    var log = RunLog(.limited)
    var report = SuiteReport()
    let outcomes = outcomes(
      "print 1\n#> 2\n", "#@ xfail a bug\nprint 1\n#> 2\n",
      "print 1\n#> 1\n#@ skip too slow\nprint 2\n")
    for outcome in outcomes {
      _ = log.lines(of: outcome)
      report.add(outcome)
    }
    report.add(strayGolden: "stray.golden")
    report.add(unread: [UnreadFile(path: "link", reason: "it is a link", isError: false)])

    #expect(
      log.ending(of: report) == [
        "", "1.frc:1: failed as expected: a bug", "2.frc:4: skipped: too slow",
        "link: not read: it is a link", "0.frc:1: failed: output differs",
        "stray.golden: failed: a golden file without a script",
      ])
    #expect(
      report.sums.words
        == "1 passed, 2 failed, 1 failed as expected, 1 block skipped, 1 not read")
  }

  @Test("of a long list the first lines are shown")
  func longLists() {
    let texts = Array(repeating: "#@ skip later\nprint 1\n", count: 40)

    #expect(shown(outcomes(texts)).ending.count == 21)
    #expect(shown(outcomes(texts)).ending.last == "  (20 more like these)")
    #expect(shown(outcomes(texts), .all).ending.count == 40)
  }

  @Test("control characters of a name or a reason are shown as codes")
  func controls() {
    let test = GoldenTest(
      source: SourceText(name: "a\u{1B}.frc", text: "#@ skip \u{1B}[2J\nprint 1\n"))
    let outcome = GoldenRunner(environment: ScriptFiles()).run(test)

    #expect(shown([outcome]).ending == ["a\\u{1b}.frc:1: skipped: \\u{1b}[2J"])
  }

  @Test("the sums of an update say how many blocks of how many files were changed or new")
  func sums() {
    func sums(_ texts: String...) -> String {
      var sums = UpdateSums()
      for (number, text) in texts.enumerated() {
        let test = GoldenTest(source: SourceText(name: "\(number)", text: text))
        let outcome = GoldenRunner(environment: ScriptFiles()).run(test)
        sums.add(GoldenUpdate(outcome).accepted)
      }
      return sums.words
    }

    #expect(sums() == "0 blocks in 0 files")
    #expect(sums("print 1\n") == "1 block in 1 file: 1 new")
    #expect(
      sums("print 1\n#> 2\nprint 2\n", "print 3\n#> 1\n")
        == "3 blocks in 2 files: 2 changed, 1 new")
  }

  @Test("a block that was skipped and a test that asserts nothing are counted apart")
  func countedApart() {
    func sums(_ text: String) -> String {
      var sums = TestSums()
      for outcome in outcomes(text) { sums.count(outcome) }
      return sums.words
    }

    #expect(
      sums("let a = 1\n#@ skip too slow\nprint 1 / 0\n#> 3\nprint 4\n#> 4\n")
        == "1 passed, 0 failed, 1 block skipped")
    #expect(sums("let x = 1\n") == "0 passed, 0 failed, 1 asserts nothing")
    #expect(
      sums("entity Book { title: String }\n") == "0 passed, 0 failed, 1 asserts nothing")
  }

  @Test("the report for tools has the reasons why a prediction is wrong")
  func predictionForTools() throws {
    let outcome = try #require(
      outcomes(
        """
        entity Book { title: String }
        controller books = Book sort by title
        insert Book(title: "Dune")
        insert Book(title: "Emma")
        fetch books
        Book/1.title = "Zama"
        #? books willChangeContent
        #? books didChange object update Book/1 "Zama" [0, 0]
        #? books didChangeContent

        """
      ).first)

    let json = try #require(JSONReport().lines(of: outcome).first)
    #expect(json.contains("\"kind\":\"prediction\""))
    #expect(
      json.contains("\"reasons\":\"✓ books willChangeContent\\n✗ books didChange object update"))
  }
}
