import GoldenTesting
import ScriptSyntax
import Testing

/// How tests are selected: by path patterns, tags and earlier results.
@Suite("Choosing")
struct ChoosingTests {
  @Test("a pattern stands for a path, from any folder on")
  func globs() {
    func check(_ pattern: String, _ paths: [String], not others: [String]) {
      for path in paths { #expect(Glob(pattern).matches(path), "\(pattern) \(path)") }
      for path in others { #expect(!Glob(pattern).matches(path), "\(pattern) \(path)") }
    }

    check("*.frc", ["a.frc", "t/a.frc", "t/u/.frc"], not: ["a.md"])
    check("cache/*", ["cache/a.frc", "t/cache/a.frc"], not: ["t/cache/u/a.frc", "tcache/a.frc"])
    check("t/**/a.frc", ["t/a.frc", "t/u/a.frc", "x/t/u/v/a.frc"], not: ["t/b.frc", "t/ua.frc"])
    check("t/**", ["t/a", "t/u/a"], not: ["u/a"])
    check("/t/*.frc", ["/t/a.frc"], not: ["t/a.frc", "/u/t/a.frc"])
    check("a?c.frc", ["abc.frc"], not: ["ac.frc", "a/c.frc"])
    check("[a-c]x", ["ax", "cx"], not: ["dx", "x"])
    check("[!a-c]x", ["dx"], not: ["ax", "/x"])
    check("[ab", ["[ab"], not: ["a"])
    check("*ä*", ["t/bär"], not: ["t/bar"])
    check("", [""], not: ["a"])
  }

  @Test("a pattern of many stars takes no longer than its length times the path's")
  func manyStars() {
    let pattern = String(repeating: "*a", count: 200) + "b"

    #expect(!Glob(pattern).matches(String(repeating: "a", count: 2_000)))
  }

  @Test("a filter takes texts and patterns, and leaves out what begins with !")
  func filters() {
    func chosen(_ patterns: String...) -> [String] {
      ["t/a.frc", "t/slow-a.frc", "u/b.frc"].filter(PathFilter(patterns).accepts)
    }

    #expect(chosen() == ["t/a.frc", "t/slow-a.frc", "u/b.frc"])
    #expect(chosen("a.f") == ["t/a.frc", "t/slow-a.frc"])
    #expect(chosen("t/*", "!slow*") == ["t/a.frc"])
    #expect(chosen("!slow", "!b.frc") == ["t/a.frc"])
    #expect(chosen("", "!t/**") == ["u/b.frc"])
  }

  @Test("tags are asked for by and, or, not and parentheses")
  func tags() throws {
    func check(_ text: String, _ matching: [Set<String>], not others: [Set<String>]) throws {
      let expression = try TagExpression(text)
      for tags in matching { #expect(expression.matches(tags), "\(text) \(tags)") }
      for tags in others { #expect(!expression.matches(tags), "\(text) \(tags)") }
    }

    try check("slow", [["slow"], ["slow", "a"]], not: [[], ["a"]])
    try check("a and not b", [["a"], ["a", "c"]], not: [["a", "b"], ["b"], []])
    try check("a or b and c", [["a"], ["b", "c"]], not: [["b"], ["c"]])
    try check("(a or b) and c", [["a", "c"], ["b", "c"]], not: [["a"], ["c"]])
    try check("not not a", [["a"]], not: [[]])
    try check("not (a or b)", [[], ["c"]], not: [["a"], ["b"]])
    try check(" area:cache ", [["area:cache"]], not: [["area"]])
  }

  @Test("what is wrong with an expression of tags is said with its place")
  func wrongTags() {
    func check(_ text: String, _ message: String, _ range: Range<Int>) {
      let error = #expect(throws: ScriptDiagnostic.self) { try TagExpression(text) }
      #expect(error?.diagnostic == Diagnostic(message: message, range: range))
    }

    check("", "expected a tag, found the end", 0..<0)
    check("a and", "expected a tag, found the end", 5..<5)
    check("a b", "expected 'and' or 'or', found 'b'", 2..<3)
    check("(a or b", "expected ')', found the end", 7..<7)
    check("a )", "expected 'and' or 'or', found ')'", 2..<3)
    check("not or", "expected a tag, found 'or'", 4..<6)
  }

  @Test("an expression of tags that nests too deep is wrong, and ends nothing")
  func deepTags() {
    for text in [String(repeating: "(", count: 100_000), String(repeating: "not ", count: 100_000)]
    {
      #expect(throws: ScriptDiagnostic.self) { try TagExpression(text) }
    }
  }

  @Test("an update accepts the blocks that are chosen, with the lines that are chosen")
  func chosenBlocks() {
    let outcome = outcome(of: "print 1\n#> 0\nprint 2\n#> 0\nprint 3\n")

    let update = GoldenUpdate(outcome) { block in
      switch block.lines.lowerBound {
      case 1: ["[..]"]
      case 5: block.isNew ? block.accepted : nil
      default: nil
      }
    }

    #expect(
      update.file.map { String(decoding: $0.bytes, as: UTF8.self) }
        == "print 1\n#> [..]\nprint 2\n#> 0\nprint 3\n#> 3\n")
    #expect(update.outcome.words == ["3 output"])
  }
}
