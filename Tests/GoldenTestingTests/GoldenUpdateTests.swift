import GoldenTesting
import RandomLaws
import Testing

/// What an update writes: expected output, and no other byte.
struct GoldenUpdateTests {
  @Test(
    "expected lines are added, replaced and removed",
    arguments: [
      ("print 1\n", "print 1\n#> 1\n"), ("print 1\n#> 2\n", "print 1\n#> 1\n"),
      ("let x = 1\n#> 1\n", "let x = 1\n"), ("print 1\n#> 1\n#> 2\n", "print 1\n#> 1\n"),
      ("print 1; print 2\n#> 2\n", "print 1; print 2\n#> 1\n#> 2\n"),
      ("if true {\n  print 1\n}\n", "if true {\n  print 1\n}\n#> 1\n"),
      ("print \"\\na\"\n", "print \"\\na\"\n#>\n#> a\n"), ("print 1\n#>0\n", "print 1\n#> 1\n"),
      ("print 1 # why\n\nprint 2\n", "print 1 # why\n#> 1\n\nprint 2\n#> 2\n"),
    ])
  func blocks(text: String, expected: String) throws {
    let result = try #require(updated(text))

    #expect(result == expected)
    #expect(outcome(of: result).passed)
    #expect(updated(result) == nil)
  }

  @Test(
    "where the expectations are right nothing is written",
    arguments: ["print 1\n#> 1\n", "print 1\n#> 1", "", "# only\n", "print \"\"\n#> \n"])
  func unchanged(text: String) {
    #expect(updated(text) == nil)
  }

  @Test("everything outside the blocks stays, byte for byte")
  func surroundings() {
    let before = "\u{FEFF}# head \t\n#@ tag odd\n\n   let x = 1   # odd\t\n;;\nprint x\n"
    let after = "\n\n# between\u{3000}\n\tprint  \"日本\"  \n#> 日本\n# tail, no line end"

    #expect(updated(before + "#> 2\n" + after) == before + "#> 1\n" + after)
  }

  @Test("the script's own line ends are used")
  func lineEnds() {
    #expect(updated("print 1\r\nlet x = 2\r\n") == "print 1\r\n#> 1\r\nlet x = 2\r\n")
    #expect(updated("print 1\r\n#> 2\r\n") == "print 1\r\n#> 1\r\n")
  }

  @Test(
    "output that looks like a kept name gets a backslash",
    arguments: [
      ("print \"[id]\"\n", "print \"[id]\"\n#> \\[id]\n"),
      ("print \"[id] [other]\"\n#> x\n", "print \"[id] [other]\"\n#> \\[id] [other]\n"),
      ("print \"\\\\[id]\"\n", "print \"\\\\[id]\"\n#> \\\\\\[id]\n"),
      ("print \"2 [id]\"\n#> 1 \\[id]\n", "print \"2 [id]\"\n#> 2 \\[id]\n"),
      ("print \"2 5\"\n#> 1 [id]\n", "print \"2 5\"\n#> 2 [id]\n"),
    ])
  func keptNames(text: String, expected: String) {
    let head = "print 5\n#> [id=int]\n"

    #expect(updated(head + text) == head + expected)
    #expect(outcome(of: head + expected).passed)
  }

  @Test("a name that is no longer kept by the block needs no backslash")
  func lostName() {
    let text = "print \"y\"; print \"[id]\"\n"

    #expect(updated(text + "#> x [id=int]\n#> z\n") == text + "#> y\n#> [id]\n")
  }

  @Test("a golden file keeps its line ends and its mark, too")
  func goldenFile() {
    #expect(updated("print 1\nprint 2\n", golden: "\u{FEFF}1\r\n3\r\n") == "\u{FEFF}1\r\n2\r\n")
    #expect(updated("print 1\n", golden: "") == "1\n")
  }

  @Test("a last line without a line end gets one, and only where something follows it")
  func lastLine() {
    #expect(updated("print 1") == "print 1\n#> 1\n")
    #expect(updated("let x = 1\r\nprint x") == "let x = 1\r\nprint x\r\n#> 1\r\n")
    #expect(updated("print 1\n#> 2") == "print 1\n#> 1\n")
    #expect(updated("let x = 1\n#> 2") == "let x = 1\n")
  }

  @Test("a block that ends in an uncaught error keeps its expectations, as do those behind")
  func uncaught() throws {
    let text = "print 1\n#> 0\nprint 2; print 1 / 0\n#> 0\nprint 3\n#> 0\n"

    let result = try #require(updated(text))

    #expect(result == "print 1\n#> 1\nprint 2; print 1 / 0\n#> 0\nprint 3\n#> 0\n")
    #expect(!outcome(of: result).passed)
  }

  @Test("expected lines apart from a block that is accepted go, others stay and go on failing")
  func stray() throws {
    let text = "#> 0\nprint 1\n\n#> 1\n# why\n#> 2\nprint 2\n#> 2\n\n#> 3\n"

    let result = try #require(updated(text))

    #expect(result == "#> 0\nprint 1\n#> 1\n\n# why\nprint 2\n#> 2\n\n#> 3\n")
    #expect(outcome(of: result).words == ["1 strayExpectation", "9 strayExpectation"])
    #expect(GoldenUpdate(outcome(of: text)).outcome.words == outcome(of: result).words)
  }

  @Test("what is left of very many failures has its place in the new file")
  func manyBlocks() throws {
    let count = 2_000
    let text = (0..<count).map { "print \($0)\n" }.joined() + "\n#> stray\nprint 1 / 0\n"

    let update = GoldenUpdate(outcome(of: text))

    #expect(
      update.file.map { String(decoding: $0.bytes, as: UTF8.self) }
        == (0..<count).map { "print \($0)\n#> \($0)\n" }.joined() + "\nprint 1 / 0\n")
    #expect(update.accepted.count == count)
    #expect(update.outcome.words == ["\(2 * count + 2) error"])
  }

  @Test("with a line only its block is rewritten")
  func line() {
    #expect(
      updated("print 1\n#> 0\nprint 2\n#> 0\n", lines: [3]) == "print 1\n#> 0\nprint 2\n#> 2\n")
  }

  @Test("a script that does not parse is left alone")
  func syntax() {
    #expect(updated("print 1\n#> 0\nprnt 2\n") == nil)
  }

  @Test("an update of a garbled golden changes expected lines only, and then passes")
  func law() throws {
    for seed in LawSeeds(seconds: 0.6, atLeast: 20) {
      var random = LineGenerator(state: seed &* 0x9E37_79B9_7F4A_7C15)
      let text = (0...random.next(12)).map { _ in random.line() }.joined(separator: random.end())

      let result = updated(text) ?? text

      let label = "seed \(seed): \(text.debugDescription)"
      #expect(statements(of: result) == statements(of: text), "\(label)")
      #expect(outcome(of: result).mismatches.isEmpty, "\(label)")
      #expect(updated(result) == nil, "\(label)")
    }
  }

  /// Returns what an update must not change: the text without expected lines.
  ///
  /// The last line end is excluded, because an update may add it.
  private func statements(of text: String) -> [UInt8] {
    var lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    lines.removeAll { $0.starts(with: "#>".utf8) }
    var bytes = Array(lines.joined(separator: [UInt8(ascii: "\n")]))
    while let last = bytes.last, last <= UInt8(ascii: "\r") { bytes.removeLast() }
    return bytes
  }
}

/// Makes lines of goldens.
private struct LineGenerator {
  var state: UInt64

  mutating func next(_ count: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(state >> 33) % count
  }

  mutating func end() -> String { ["\n", "\r\n"][next(2)] }

  mutating func line() -> String {
    [
      "print 1", "print \"a\\nb\"", "let x = 1", "print 1; print 2", "#> 1", "#> 2", "#>", "#> a",
      "", "# comment", "if true { print 3 }", "  print \"\"",
    ][next(12)]
  }
}
