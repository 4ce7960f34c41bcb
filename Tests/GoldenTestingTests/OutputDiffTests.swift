import GoldenTesting
import Testing

/// What a reader sees of a difference.
struct OutputDiffTests {
  private func drawn(
    _ expected: [String], _ actual: [String], unordered: Bool = false
  ) -> [String] {
    DiffRenderer().lines(
      of: OutputDiff(
        OutputMismatch(expected: expected, actual: actual, isUnordered: unordered)))
  }

  @Test("common lines are shown once, expected ones behind -, printed ones behind +")
  func lines() {
    #expect(
      drawn(["a", "b", "c"], ["a", "x", "c", "d"]) == [
        "    a", "  - b", "  + x", "    c", "  + d",
      ])
    #expect(drawn([], ["a"]) == ["  + a"])
    #expect(drawn(["a"], []) == ["  - a"])
  }

  @Test("of a line that changed, the words are marked that did, right under wide characters too")
  func words() {
    #expect(
      drawn(["the title is \"日本\" now"], ["the title was \"中国\" now, too"]) == [
        "  - the title is \"日本\" now",
        "              ^^  ^^^^",
        "  + the title was \"中国\" now, too",
        "              ^^^  ^^^^     ^^^^^",
      ])
  }

  @Test("of a very long line what is around the first difference is shown, and marked")
  func longLines() {
    let numbers = (0..<20_000).map(String.init)
    let old = numbers.joined(separator: ", ")
    let new = numbers.enumerated().map { $0 < 11_000 ? $1 : $1 + "0" }.joined(separator: ", ")

    let lines = drawn([old], [new])

    #expect(lines.count == 4)
    #expect(lines[0].hasPrefix("  - …") && lines[0].contains("10999, 11000, 11001,"))
    #expect(lines[2].hasPrefix("  + …") && lines[2].contains("10999, 110000, 110010,"))
    let place = lines[0].firstRange(of: "11000").map {
      lines[0].distance(from: lines[0].startIndex, to: $0.lowerBound)
    }
    #expect(place == lines[1].prefix { $0 == " " }.count)
  }

  @Test("a callback that came at another place is named as such")
  func moved() {
    let lines = ["books willChangeContent", "books didChange A", "books didChange B", "books end"]

    #expect(
      drawn(lines, [lines[0], lines[2], lines[1], lines[3]]) == [
        "    books willChangeContent",
        "    books didChange B",
        "  ~ books didChange A",
        "      only its place changed: expected as line 2 of the output, printed as line 3",
        "    books end",
      ])
  }

  @Test("a callback whose index paths alone differ is named as such")
  func indexPaths() {
    #expect(
      drawn(
        ["books didChange object move Book/1 \"Dune\" [0, 0] -> [0, 1]"],
        ["books didChange object move Book/1 \"Dune\" [0, 0] -> [1, 1]"]) == [
          "  - books didChange object move Book/1 \"Dune\" [0, 0] -> [0, 1]",
          "                                                         ^",
          "  + books didChange object move Book/1 \"Dune\" [0, 0] -> [1, 1]",
          "                                                         ^",
          "      only its index paths differ",
        ])
    #expect(drawn(["[0, 0] and so on"], ["[0, 1] and so on"]).count == 4)
  }

  @Test(
    "characters that one does not see are shown",
    arguments: [
      ("a", "a ", "a", "a␠"), ("a b", "a\tb", "a b", "a␉b"), ("a b", "a b\r", "a b", "a b␍"),
      ("a b", "a \u{200B}b", "a b", "a <U+200B>b"),
      ("a b c", "a\u{A0}b c", "a b c", "a<U+A0>b c"),
      ("a \u{FEFF}", "a  ", "a <U+FEFF>", "a␠␠"),
      ("caf\u{E9} x", "cafe\u{301} x", "caf<U+00E9> x", "cafe<U+0301> x"),
    ])
  func invisible(expected: String, actual: String, old: String, new: String) {
    let lines = drawn([expected], [actual])

    #expect(lines.contains("  - " + old.replacing("<U+A0>", with: "<U+00A0>")))
    #expect(lines.contains("  + " + new.replacing("<U+A0>", with: "<U+00A0>")))
  }

  @Test("long stretches as expected are counted, and so is what is too much to show")
  func long() {
    let lines = (1...50).map { "line \($0) of many" }
    var changed = lines
    changed[24] = "no"

    #expect(
      drawn(lines, changed) == [
        "    (21 lines as expected)", "    line 22 of many", "    line 23 of many",
        "    line 24 of many", "  - line 25 of many", "  + no", "    line 26 of many",
        "    line 27 of many", "    line 28 of many", "    (22 lines as expected)",
      ])
    #expect(drawn([], (1...300).map { "\($0)" }).last == "    (200 more lines)")
  }

  @Test("what … stands for is counted")
  func anyLines() {
    #expect(
      drawn(["a", "…", "c"], ["a", "x", "y", "d"]) == ["    a", "  - c", "    … (3 lines)"])
  }

  @Test("where order means nothing, only what is missing and what is too much is shown")
  func unordered() {
    #expect(
      drawn(["a", "b", "c"], ["c", "d", "a"], unordered: true) == [
        "  - b", "  + d", "    a", "    c",
      ])
  }

  @Test("of very many lines, too, those that did not change are found")
  func many() {
    let lines = (0..<20_000).map { "line \($0)" }
    var changed = lines
    changed[10] = "no"
    changed[19_990] = "no"

    #expect(
      drawn(lines, changed) == [
        "    (7 lines as expected)", "    line 7", "    line 8", "    line 9", "  - line 10",
        "  + no",
        "    line 11", "    line 12", "    line 13", "    (19973 lines as expected)",
        "    line 19987", "    line 19988", "    line 19989", "  - line 19990", "  + no",
        "    line 19991", "    line 19992", "    line 19993", "    (6 lines as expected)",
      ])
  }

  @Test("of very many lines that all differ a hundred are shown")
  func manyDifferent() {
    #expect(drawn((0..<20_000).map { "a \($0)" }, (0..<20_000).map { "b \($0)" }).count == 101)
  }

  @Test("on a terminal the words are coloured, and nothing stands under them")
  func color() {
    let lines = DiffRenderer(usesColor: true).lines(
      of: OutputDiff(OutputMismatch(expected: ["a b c"], actual: ["a b d"])))

    #expect(
      lines == [
        "\u{1B}[31m  - \u{1B}[0m\u{1B}[31ma b \u{1B}[0m\u{1B}[1;7;31mc\u{1B}[0m",
        "\u{1B}[32m  + \u{1B}[0m\u{1B}[32ma b \u{1B}[0m\u{1B}[1;7;32md\u{1B}[0m",
      ])
  }
}
