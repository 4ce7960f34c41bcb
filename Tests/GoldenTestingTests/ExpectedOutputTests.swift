import Basics
import ScriptSyntax
import Testing

@testable import GoldenTesting

/// Patterns, and output in any order, as scripts see them.
struct ExpectedOutputTests {
  /// Returns a script that prints lines, with its expected output.
  private func script(_ output: [String], _ expected: [String], unordered: Bool = false) -> String {
    let text = output.joined(separator: "\\n")
    return (unordered ? "#@ unordered\n" : "") + "print '\(text)'\n"
      + expected.map { "#> \($0)\n" }.joined()
  }

  @Test(
    "[..] stands for any text in a line, … for any lines",
    arguments: [
      (["Book/12 was saved"], ["Book/[..] was saved"]), (["ab"], ["[..]b"]), (["ab"], ["a[..]"]),
      (["a-b-c"], ["a[..]b[..]c"]), (["aXbXc"], ["[..]X[..]"]), (["a", "b"], ["…"]),
      (["a", "b", "c"], ["a", "…"]), (["a", "b", "c"], ["…", "c"]),
      (["a", "b", "c", "d", "c", "e"], ["a", "…", "c", "e"]),
      (["a", "1", "b", "2"], ["a", "…", "b", "[..]"]), (["日本語"], ["日[..]語"]),
    ])
  func match(output: [String], expected: [String]) {
    let outcome = outcome(of: script(output, expected))

    #expect(outcome.failures == [])
    #expect(outcome.warnings.map(\.message) == (expected == ["…"] ? [Self.accepting] : []))
  }

  private static let accepting =
    "this expectation accepts any output; write a part of what is printed"

  @Test(
    "what a pattern does not fit differs",
    arguments: [
      (["ab"], ["[..]a"]), (["ab"], ["b[..]"]), (["a", "b"], ["[..]"]), (["a"], ["…", "b"]),
      (["a", "b", "c"], ["a", "…", "b"]), (["a"], ["a", "[..]"]), (["a…b"], ["a [..]"]),
      (["a x b"], ["a … b"]), (["e\u{301}x"], ["\u{E9}[..]"]),
    ])
  func mismatch(output: [String], expected: [String]) {
    #expect(outcome(of: script(output, expected)).words == ["1 output"])
  }

  @Test(
    "expected output that accepts anything is a warning",
    arguments: [
      "#> [..]", "#> …", "#> [re:.*]", "#> [re:.+]", #"#> [re:(\w|\W)*]"#,
    ])
  func acceptsAnything(expected: String) {
    let outcome = outcome(
      of: "for i in 1...2 { print i }\n#> 1\n#> 2\nprint \"a b\"\n\(expected)\n")
    let golden = self.outcomeWithGolden(expected.replacing("#> ", with: ""))

    #expect(outcome.passed && golden.passed)
    #expect(outcome.warnings.map(\.message) == [Self.accepting])
    #expect(
      golden.warnings.map(\.message) == [
        "'test.golden' accepts any output; write a part of what is printed"
      ])
  }

  private func outcomeWithGolden(_ golden: String) -> GoldenOutcome {
    outcome(of: "print \"a b\"\n", golden: golden + "\n")
  }

  @Test("several such expectations are one warning, at the first")
  func acceptAnything() {
    let outcome = outcome(of: "print 1\n#> [..]\nprint 2\n#> 2\nprint 3\n#> [..]\n")

    #expect(
      outcome.warnings.map(\.message) == [
        "this expectation and 1 more accept any output; write a part of what is printed"
      ])
    #expect(outcome.warnings.map { outcome.source.line(of: $0.range.lowerBound) } == [2])
  }

  @Test(
    "expected output that says a part of a line, a kind of value or a name is none",
    arguments: [
      "#> a[..]", "#> [int]", "#> [x=..]", "#> [re:.?]", "#> …\n#> 7", "#> [re:.*7]",
      #"#> [re:\d*]"#,
      "#> 7\n#> …",
    ])
  func saysSomething(expected: String) {
    let text = "print 7\n\(expected)\nprint \"[x]\"\n"

    #expect(!outcome(of: text).warnings.contains { $0.message.contains("any output") })
  }

  @Test(
    "a pattern that stands for nothing is a warning",
    arguments: [
      (["a"], ["a[..]"], [2]), (["a"], ["a", "…"], [3]), (["[..]"], ["[..]"], [2]),
      (["…"], ["…"], [2]), (["a", "b"], ["…", "[..]a", "…", "b"], [2, 3, 4]),
      (["ab", "c"], ["a[..]", "[..]c"], [3]),
    ])
  func unused(output: [String], expected: [String], lines: [Int]) {
    let outcome = outcome(of: script(output, expected))

    #expect(outcome.passed)
    #expect(outcome.warnings.map { outcome.source.line(of: $0.range.lowerBound) } == lines)
    #expect(
      outcome.warnings.allSatisfy {
        $0.message == (output == expected ? Self.ownText : "this pattern matched nothing")
      })
  }

  private static let ownText =
    "this pattern matched its own text; write '\\' before it to expect that text"

  @Test(
    "under unordered lines may come in any order, each as often as expected",
    arguments: [
      (["b", "a"], ["a", "b"], true), (["b", "a", "a"], ["a", "b"], false),
      (["b", "a"], ["a", "b", "b"], false), (["b", "a"], ["[..]", "[..]"], true),
      (["ab", "ac"], ["a[..]", "[..]b"], true), (["ac", "ab"], ["a[..]", "ab"], true),
      (["a", "b", "c"], ["c", "…"], true), (["a", "b", "c"], ["d", "…"], false),
      (["xa", "ya", "xb"], ["x[..]", "[..]a", "[..]b"], true),
      (["xa", "ya"], ["x[..]", "[..]b"], false), ([""], [], false),
    ])
  func unordered(output: [String], expected: [String], passes: Bool) {
    let outcome = outcome(of: script(output, expected, unordered: true))

    #expect(outcome.words == (passes ? [] : ["2 output"]))
    let acceptsAll = expected == ["[..]", "[..]"]
    #expect(outcome.warnings.map(\.message) == (acceptsAll ? [Self.accepting] : []))
  }

  @Test("unordered concerns one block")
  func oneBlock() {
    let text = script(["b", "a"], ["a", "b"], unordered: true) + script(["b", "a"], ["a", "b"])

    #expect(outcome(of: text).words == ["5 output"])
  }

  @Test(
    "an update keeps the patterns that still fit",
    arguments: [
      (["1 a", "2 b"], ["[..] a", "[..] c"], ["[..] a", "2 b"]),
      (["a", "x", "y", "c"], ["a", "…", "d"], ["a", "…", "c"]),
      (["a", "volatile 123", "b"], ["a", "…", "c"], ["a", "…", "b"]),
      (["b", "x", "y", "c"], ["a", "…", "c"], ["b", "…", "c"]),
      (["a", "x", "c", "e"], ["a", "…", "c", "d"], ["a", "…", "c", "e"]),
      (["q"], ["[..] a"], ["q"]), (["saved 12 of 3"], ["stored [int] of 3"], ["saved [int] of 3"]),
      (["id 7 was 8!"], ["id [id=int] was [number]"], ["id [id=int] was [number]!"]),
    ])
  func update(output: [String], old: [String], new: [String]) {
    let result = updated(script(output, old))

    #expect(result == script(output, new))
    #expect(result.map { outcome(of: $0).passed } == true)
  }

  @Test(
    "an update of a block in any order keeps lines and patterns that still fit",
    arguments: [
      (["c", "1 a", "2 b"], ["[int] a", "[int] b", "d"], ["[int] a", "[int] b", "c"]),
      (["b", "a"], ["a", "x"], ["a", "b"]), (["b", "a"], ["[..]a[..]c", "…"], ["…"]),
      (["2 b", "1 a"], ["[int] a", "[int] c"], ["[int] a", "[int] b"]),
    ])
  func updateUnordered(output: [String], old: [String], new: [String]) {
    let result = updated(script(output, old, unordered: true))

    #expect(result == script(output, new, unordered: true))
    #expect(result.map { outcome(of: $0).passed } == true)
  }

  @Test(
    "output that looks like a pattern is written with a backslash",
    arguments: [
      ("[..]", "\\[..]"), ("…", "\\…"), ("a [int] [x=..]", "a \\[int] \\[x=..]"),
      ("[x] [1] [Book]", "[x] [1] [Book]"), ("\\\\[..]", "\\\\\\[..]"), ("[re:(]", "\\[re:(]"),
      ("\\\\…", "\\\\…"), ("a\\\\b [", "a\\b ["),
    ])
  func escapes(printed: String, written: String) {
    let text = "print '\(printed)'\n"
    let result = updated(text)

    #expect(result == text + "#> \(written)\n")
    #expect(result.map { outcome(of: $0) }.map { $0.passed && $0.warnings.isEmpty } == true)
  }
}

/// Patterns with types, expressions and names.
struct TypedPatternTests {
  private func fits(_ pattern: String, _ output: String) -> Bool {
    outcome(of: "print '\(output)'\n#> \(pattern)\n").passed
  }

  @Test(
    "a typed pattern stands for a text of its type",
    arguments: [
      ("[int]", ["0", "-12", "007"], ["", "1.5", "+1", "a", "1 2"]),
      ("[number]", ["0", "-1.5", "2e10", "1.5E-3"], [".5", "1.", "e3", "nan"]),
      (
        "[uuid]", ["E621E1F8-C36C-495A-93FC-0C247A3E6E5F", "e621e1f8-c36c-495a-93fc-0c247a3e6e5f"],
        ["E621E1F8C36C495A93FC0C247A3E6E5F", "E621E1F8-C36C-495A-93FC-0C247A3E6E5"]
      ),
      (
        "[date]",
        ["2026-01-31", "2026-01-01T00:00:00Z", "2026-01-01T23:59", "2026-01-01T10:00:00.25+02:00"],
        ["2026-13-01", "2026-01-32", "26-01-01", "2026-01-01T24:00"]
      ),
      ("a[int]b", ["a1b", "a-2b"], ["ab", "a1"]), ("[int][..]", ["12"], ["x"]),
      ("[re:[a-c]+]", ["abc", "a"], ["", "abd"]), ("[re:(a|bc)*d?]", ["", "abcbcd"], ["b"]),
      ("x[re:\\d{2,3}]", ["x12", "x123"], ["x1", "x1234"]),
      ("[re:[^\\]\\d]+]", ["a["], ["]", "1"]), ("[re:日.]", ["日本"], ["日"]),
    ])
  func types(pattern: String, fitting: [String], others: [String]) {
    for text in fitting { #expect(fits(pattern, text), "\(text)") }
    for text in others { #expect(!fits(pattern, text), "\(text)") }
  }

  @Test("an expected line that is the output passes, whatever it looks like")
  func ownText() {
    for line in ["[int]", "[date]", "[re:a+]", "[a=..]", "[re:(]", "[a]"] {
      #expect(fits(line, line), "\(line)")
    }
    #expect(!fits("\\[int]", "12"))
    #expect(fits("\\[int]", "[int]"))
    #expect(fits("\\…", "…"))
    #expect(!fits("\\…", "x"))
  }

  @Test(
    "what looks like a pattern and is none is compared as text, with a warning",
    arguments: [
      ("[re:(]", "'[re:(]' is compared as text: ')' is missing"),
      ("[re:a", "'[re:' is compared as text: its ']' is missing"),
      ("[re:a**]", "'[re:a**]' is compared as text: a repetition of a repetition; use (?:…)"),
      (
        "[re:^a]",
        "'[re:^a]' is compared as text: '^' is not known: an expression fits as a whole anyway"
      ),
      ("[re:(?=a)]", "'[re:(?=a)]' is compared as text: of '(?' only '(?:' is known"),
      ("[re:a{2000}]", "'[re:a{2000}]' is compared as text: '{' takes a number up to 1000"),
      ("[int=..]", "'int' is the name of a pattern; choose another name"),
      ("[a=..] [a]", "'[a]' is text on the line that captures it; use it on a later one"),
    ])
  func faults(line: String, message: String) {
    let outcome = outcome(of: "print 'x'\n#> \(line)\n")

    #expect(outcome.words == ["1 output"])
    #expect(outcome.warnings.map(\.message) == [message])
  }

  @Test("what a name captures has to come again where the name is used")
  func captures() {
    let text = "print 'id 42'\n#> id [id=int]\nprint '42 43'\n#> [id] [int]\n"

    #expect(outcome(of: text).failures == [])
    #expect(outcome(of: text).warnings == [])
    #expect(outcome(of: text.replacing("'42 43'", with: "'43 43'")).words == ["3 output"])
    #expect(outcome(of: "print '[id]'\n#> [id]\n" + text).failures == [])
  }

  @Test("names of many blocks are all known at the end")
  func manyCaptures() {
    let numbers = 0..<1_500
    let text =
      numbers.map { "print \($0)\n#> [n\($0)=int]\n" }.joined()
      + numbers.map { "print \($0)\n#> [n\($0)]\n" }.joined() + "print 7\n#> [n8]\n"

    let outcome = outcome(of: text)

    #expect(outcome.words == ["6001 output"])
  }

  @Test("a name is known on later lines of its block, also around …")
  func capturesInABlock() {
    #expect(outcome(of: "print '1\\nx\\n1'\n#> [a=int]\n#> …\n#> [a]\n").passed)
    #expect(!outcome(of: "print '1\\nx\\n2'\n#> [a=int]\n#> …\n#> [a]\n").passed)
    #expect(outcome(of: "print 1\n", golden: "[a=int]\n").passed)
    #expect(outcome(of: "print 1\nprint 1\n", golden: "[a=int]\n[a]\n").passed)
    #expect(!outcome(of: "print 1\nprint 2\n", golden: "[a=int]\n[a]\n").passed)
  }

  @Test(
    "where the capturing block differs, its name stands for any text, and the mistake is told once")
  func unknownCapture() {
    let text = "print 'x'\n#> id [id=int]\nprint '42'\n#> [id]\n"

    #expect(outcome(of: text).words == ["1 output"])
  }

  @Test("a line alone knows what blocks before it captured, and a difference says what a name is")
  func selectedLine() {
    let text = "print 'id 42'\n#> id [id=int]\nprint '43'\n#> [id]\n"
    let outcome = outcome(of: text, lines: [3])

    #expect(outcome.words == ["3 output"])
    #expect(OutcomeText().lines(of: outcome).last == "      [id] is '42'")
  }

  @Test("an update accepts a block whose output changes within its patterns from run to run")
  func stableByPattern() {
    let test = prepared("print 1\n#> [int]!\nprint 'a'\n#> b\n")
    func run(_ number: Int) -> GoldenRun {
      var run = GoldenRun(store: .memory)
      run.blocks = [.init(output: ["\(number)?"]), .init(output: ["a"])]
      return run
    }

    let outcome = test.outcome(of: [run(1)], again: [run(2)])

    #expect(outcome.words == ["1 output", "3 output"])
    #expect(
      GoldenUpdate(outcome).file.map { String(decoding: $0.bytes, as: UTF8.self) }
        == "print 1\n#> [int]?\nprint 'a'\n#> a\n")
  }
}

/// Comparisons that would take very long if each pair were compared in turn.
struct ComparisonLimitTests {
  private func outcome(_ expected: [String], _ output: [String]) -> GoldenOutcome {
    let test = prepared("#@ unordered\nprint 1\n" + expected.map { "#> \($0)\n" }.joined())
    var run = GoldenRun(store: .memory)
    run.blocks = [.init(output: output)]
    return test.outcome(of: [run])
  }

  @Test("of many lines in any order, one that does not fit is found and shown")
  func unordered() {
    let expected = (1..<5_000).map { _ in "row [..]" } + ["other [..]"]
    let output = (1...5_000).map { "row \($0)" }
    let outcome = outcome(expected, output)

    #expect(outcome.words == ["2 output"])
    #expect(
      outcome.mismatches.map {
        OutputDiff($0).lines.filter { if case .same = $0 { false } else { true } }
      }
        == [[.removed("other [..]"), .added("row 5000")]])
  }

  @Test(
    "of many patterns in any order each is compared with few lines",
    arguments: ["row %.[..]", "[..] row %.", "[..]row %.[..]", "row %.[re:.+]"])
  func index(pattern: String) {
    let expected = (1..<1_000).map { pattern.replacing("%", with: "\($0)") }
    let output = (0..<1_000).map { "row \($0). x row \($0)." }
    var run = output.dropFirst().map(\.self)

    let passes = outcome(expected + ["row 0[..]"], output).passed
    #expect(passes)
    run.append("other")
    #expect(
      outcome(expected + ["row 0[..]"], run).mismatches.map { mismatch in
        OutputDiff(mismatch).lines.filter { if case .same = $0 { false } else { true } }
      } == [[.removed("row 0[..]"), .added("other")]])
  }

  @Test("a pairing is found where lines have to give way to one another")
  func augmenting() {
    // Each pattern except the last fits two lines, and only one assignment fits all.
    let count = 100
    let output = (0..<count).map { "<\($0)><\($0 + 1)>" }
    let expected = (1..<count).reversed().map { "[..]<\($0)>[..]" } + ["[..]<\(count)>"]

    var random = SeededGenerator(seed: 1)
    #expect(outcome(expected, output.shuffled(using: &random)).passed)
    #expect(!outcome(expected + ["[..]<1>[..]"], output + ["none"]).passed)
  }

  @Test(
    "in any order the same lines fit a pattern as line by line, whatever they are looked for by")
  func indexedAndPlain() {
    var random = SeededGenerator(seed: 5)
    let pieces = ["a", "ab", "b", "[int]", "[..]", "[re:a+b]", "[re:(a|bb)a]", "[re:b{2,3}]", "1"]
    let texts = ["a", "b", "1", "12", "-3", "é"]
    var fitting = 0
    for _ in 0..<6_000 {
      let pattern = (0...random.number(1...3)).map { _ in pieces.randomElement(using: &random)! }
        .joined()
      let line = (0...random.number(1...6)).map { _ in texts.randomElement(using: &random)! }
        .joined()
      let plain = ExpectedOutput([pattern])
      let unordered = ExpectedOutput([pattern], isUnordered: true)

      let fits = (try? plain.match([line])) != nil
      #expect(((try? unordered.match([line])) != nil) == fits, "\(pattern) \(line)")
      if fits { fitting += 1 }
    }
    #expect(fitting > 100)
  }

  @Test("of many expressions without a text in common with a line each is compared in passing")
  func expressions() {
    let count = 300
    func digits(_ number: Int) -> String { "\(number)".map { "[\($0)]" }.joined() }
    let output = (0..<count).map { "row \($0)" }
    let expected = output.indices.reversed().map { "[re:[a-z]+ \(digits($0))]" }

    #expect(outcome(expected, output).passed)
    #expect(
      outcome(["[re:[x]+]"] + expected.dropFirst(), output).mismatches.map { mismatch in
        OutputDiff(mismatch).lines.filter { if case .same = $0 { false } else { true } }
      } == [[.removed("[re:[x]+]"), .added("row \(count - 1)")]])
  }

  @Test("an expression with many ways takes no longer than others")
  func expression() {
    let line = String(repeating: "a", count: 3_000)
    let outcome = outcome(["[re:(a|a)*(a*)*b]"], [line])

    #expect(outcome.words == ["2 output"])
  }

  @Test("each step of an expression counts, also one that reads nothing of the line")
  func steps() throws {
    // For each letter, 900 steps are visited, and one of them reads it.
    let expression = try TextExpression("(?:(?:|){300}a)*")
    let program = try TextProgram([.expression(expression)])
    let line = String(repeating: "a", count: 100)

    #expect(throws: ComparisonBudget.Exceeded.used) {
      try TextMatcher(program).match(line, until: ComparisonBudget(steps: 50_000))
    }
    let budget = ComparisonBudget(steps: 100_000)
    #expect(try TextMatcher(program).match(line, until: budget) == [])
    #expect(throws: ComparisonBudget.Exceeded.used) {
      try TextMatcher(program).match(
        line, until: ComparisonBudget(steps: 100_000, costOfExpressions: 10))
    }
  }

  @Test("once a difference has taken its steps, patterns match no line, and equal lines do")
  func stepsOfDifference() {
    let lines = (1...9).map { "[re:(a*)*b{\($0)}]" } + ["end"]
    let letters = String(repeating: "a", count: 1_000)
    let output = (1...9).map { letters + String(repeating: "b", count: $0) }
    func fits(_ steps: Int) -> [Bool] {
      let comparer = LineComparer(
        ExpectedOutput(lines), output + ["end"],
        until: ComparisonBudget(steps: steps, costOfExpressions: 10))
      return lines.indices.map { comparer.fits($0, $0) }
    }

    #expect(fits(100_000_000) == lines.map { _ in true })
    #expect(fits(200_000) == lines.indices.map { $0 < 2 || $0 == 9 })
  }

  @Test("a comparison ends with the time of its test, or when nobody wants it any more")
  func limits() {
    let line = String(repeating: "a", count: 200_000)
    // Such a line contains no fixed text, so each is compared with each.
    let lines = (1...20).map { "[re:(a|a)*(a*)*[bc]{\($0)}]" }
    let test = prepared(
      "#@ unordered\nprint 1\n" + lines.map { "#> \($0)\n" }.joined()
        + "print 2\n#> 2\n")
    var run = GoldenRun(store: .memory)
    run.limit = TimeLimit(.milliseconds(20), setBy: "'#@ timeout'")
    run.blocks = [.init(output: lines.map { _ in line }), .init(output: ["2"])]

    #expect(test.outcome(of: [run]).words == ["2 timeout", "23 unreached"])
    #expect(!test.outcome(of: [run]).isStopped)
    #expect(test.outcome(of: [run], isCancelled: { true }).isStopped)
  }
}
