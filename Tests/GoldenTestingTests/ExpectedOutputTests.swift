import GoldenTesting
import ScriptSyntax
import Testing

/// Patterns, and output in any order, as scripts see them.
struct ExpectedOutputTests {
  /// A script that prints lines, with what it expects.
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
    #expect(outcome.warnings == [])
  }

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
    #expect(outcome.warnings.allSatisfy { $0.message == "a pattern that stands for nothing" })
  }

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
    #expect(outcome.warnings == [])
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
      (["a", "x", "y", "c"], ["a", "…", "d"], ["a", "x", "y", "c"]),
      (["a", "x", "c", "e"], ["a", "…", "c", "d"], ["a", "…", "c", "e"]),
      (["q"], ["[..] a"], ["q"]),
    ])
  func update(output: [String], old: [String], new: [String]) {
    let result = updated(script(output, old))

    #expect(result == script(output, new))
    #expect(result.map { outcome(of: $0).passed } == true)
  }
}
