import Basics
import RandomLaws
import ScriptSyntax
import Testing

@Suite("Any text")
struct MutationTests {
  static let script = """
    # A library.
    entity Author { name: String, books: [Book] inverse author on delete nullify }
    entity Book {
      title: String = "x\\(1)"
      pages: Int = 0    # none
      transient initial: String = uppercase(substring(title, 0, 1))
      display title
    }
    let dune = insert Book(title: "Dune", publisher: 'Ace')
    insert 10 Book(title: "Book \\(i) \\("in\\(n)ner")", pages: i % 7)
    dune.pages += -10 * (3 + 4)
    update Book where publisher == "Ace" AND d > @2026-01-01T10:00:00Z { pages = pages + 1 }
    #> Book/1
    delete Book where pages < 10 OR title == "a\\(1 + 2)"
    if count(Book where a IN {1, 2}) == 0 { include "a.frc" } else { print "there" }
    for b in books.fetchedObjects { print b.title; try delete b }
    request recent = Book where (a == YES AND #size > 3)
      sort by lastModified desc, title using localizedStandard
      limit 100 offset 0 batch 20
    table view = books { insert nothing }
    perform {
      save; 本.題名 = "砂の惑星"
    }
    expect books[0, 1].title == nil AND NOT !x.y(z: [1, 2.5], 1...9)

    """

  private static let pieces: [[UInt8]] =
    [
      "(", ")", "[", "]", "{", "}", "\"", "'", "\\", "\\(", "\n", "\r\n", ";", ",", ":", "=", "==",
      ".", "#", "# ", "#>", "@", "@2026", "$", "/", "Book/3", "-", "!", "NOT ", " where ",
      "\nwhere ", "\nAND ", "sort by", "insert ", "count(", "\u{0}", "本", "\u{301}", "\u{3000}",
      "...", "1_", "0.5e9", "try ", "entity ", "if ", " else ", "%@", "\\u{", "TRUEPREDICATE",
    ].map { Array($0.utf8) } + [[0xFF], [0xE6, 0x9C], [0xC0, 0x80], [0xED, 0xA0, 0x80]]

  private func mutate(_ bytes: [UInt8], with generator: inout SeededGenerator) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...6, using: &generator) {
      let start = Int.random(in: 0...bytes.count, using: &generator)
      let end = min(bytes.count, start + Int.random(in: 0...12, using: &generator))
      switch Int.random(in: 0..<5, using: &generator) {
      case 0: bytes.removeSubrange(start..<end)
      case 1: bytes.insert(contentsOf: bytes[start..<end], at: start)
      case 2: bytes.removeSubrange(start...)
      case 3:
        let other = Int.random(in: 0...bytes.count, using: &generator)
        bytes.insert(contentsOf: bytes[start..<end], at: other)
      default:
        if let piece = Self.pieces.randomElement(using: &generator) {
          bytes.insert(contentsOf: piece, at: start)
        }
      }
    }
    return bytes
  }

  @Test("no mutation of a script makes the parser crash, hang or point outside of the text")
  func mutations() {
    let whole = Array(Self.script.utf8)
    for seed in LawSeeds(seconds: 0.6, atLeast: 40) {
      var generator = SeededGenerator(seed: seed)
      let start = Int.random(in: 0..<whole.count, using: &generator)
      let part = whole[start..<min(whole.count, start + 300)]
      let bytes = mutate(seed % 20 == 0 ? whole : Array(part), with: &generator)
      let source = SourceText(name: "m", bytes: bytes)
      let script = ScriptParser.parse(source)
      let places = script.diagnostics.map(\.range) + script.statements.map(\.range)
      let isInside = places.allSatisfy { $0.lowerBound >= 0 && $0.upperBound <= bytes.count }
      let order = script.statements.map(\.range.lowerBound)
      guard isInside, order == order.sorted() else {
        Issue.record("seed \(seed): \(source.text(in: 0..<bytes.count))")
        return
      }
      if seed % 10 == 0 {
        _ = DiagnosticRenderer().render(script.diagnostics, in: source)
        _ = ScriptParser.completeness(of: source.text(in: 0..<bytes.count))
      }
    }
  }

  @Test("bytes of any kind are survived")
  func noise() {
    for seed in LawSeeds(seconds: 0.3, atLeast: 40) {
      var generator = SeededGenerator(seed: seed)
      let count = Int.random(in: 0...200, using: &generator)
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
      let source = SourceText(name: "m", bytes: bytes)
      _ = DiagnosticRenderer().render(ScriptParser.parse(source).diagnostics, in: source)
    }
  }

  /// Texts with repeated parts, for each of which the parser might search through all the others.
  static let repeated = [
    "insert Book(title: \"Book\", pages: 3)\n", "(", "[", "{", "}", "\"", "\\(", "\"\\(", "# x\n",
    "\n", "\\\n", "print (\n", "print [1\n", "x(\n", "dune.x = f(1 2\n", "fetch Book where (\n",
    "fetch Book where a == 'x\n", "print count(Book where a == 1)\n",
    "let x = (count(Book where a\n",
    "if a { ", "a = ", "print f(count(Book where a == \"\\(1)\"), ", "try ", "else ", "\u{3000}",
    "print \"a\\(b\n", "entity Book { a: (\n", "sort by ", "a, ", "#>\n", "save;", "table {\n",
    "@2026-", "1.", "$", "AND ", "a == 1 AND ", "fetch Book where a == 1 AND ",
  ]

  @Test("time grows with the length of the text, not faster", arguments: repeated)
  func linear(part: String) {
    func time(_ count: Int) -> Duration {
      let source = SourceText(
        name: "l", text: String(repeating: part, count: count / part.utf8.count))
      return ThreadClock.measure { _ = ScriptParser.parse(source) }
    }
    let length = LawForm.isLong ? 4000 : 1000
    let short = time(length)
    let long = time(10 * length)

    // A text of ten times the length may take forty times as long. Quadratic time would be a
    // hundred times as long.
    #expect(long < max(short * 40, .milliseconds(length / 10)), "\(short) and \(long)")
  }
}
