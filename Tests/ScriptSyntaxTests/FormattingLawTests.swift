import Basics
import Foundation
import RandomLaws
import RepositoryFiles
import ScriptSyntax
import Testing

/// What formatting must not change, tested on all scripts and on garbled ones.
@Suite("Formatting, by its laws")
struct FormattingLawTests {
  @Test("every script of the repository says the same when it is formatted")
  func scripts() throws {
    var count = 0
    for (name, bytes) in try Self.corpus() {
      let script = ScriptParser.parse(SourceText(name: name, bytes: bytes))
      guard !script.hasErrors else { continue }
      count += 1
      if let fault = Self.fault(script) { Issue.record("\(name): \(fault)") }
    }

    #expect(count > 100)
  }

  @Test("so does a garbled one that still parses")
  func garbled() throws {
    let corpus = try Self.corpus().map(\.bytes)
    var rounds = 0
    var parsed = 0
    for seed in LawSeeds(seconds: 0.6, atLeast: 100) {
      rounds += 1
      var mutation = LayoutMutation(seed: seed)
      let bytes = mutation.garble(corpus)
      let script = ScriptParser.parse(SourceText(name: "garbled.frc", bytes: bytes))
      guard !script.hasErrors else { continue }
      parsed += 1
      if let fault = Self.fault(script) {
        Issue.record("seed \(seed): \(fault)\n\(String(decoding: bytes, as: UTF8.self))")
        return
      }
    }

    #expect(parsed > rounds / 10, "enough of the garbled scripts must still parse")
  }

  /// Returns the violation of a law by formatting; nil if there is none.
  private static func fault(_ script: ParsedScript) -> String? {
    let formatted = ScriptFormatter.format(script)
    let again = ScriptParser.parse(SourceText(name: script.source.name, bytes: formatted))
    let text = String(decoding: formatted, as: UTF8.self)
    if again.hasErrors { return "it does not parse: \(again.diagnostics)\n\(text)" }
    if again.statements.map(\.shape) != script.statements.map(\.shape) {
      return "other statements:\n\(text)"
    }
    if again.groups.map({ $0.expected.map(\.text) })
      != script.groups.map({ $0.expected.map(\.text) })
      || again.strayExpectations.map(\.text) != script.strayExpectations.map(\.text)
      || again.directives.map(\.text) != script.directives.map(\.text)
    {
      return "other expectations:\n\(text)"
    }
    // FILE:LINE refers to the same statement after formatting.
    if again.statements.map({ again.source.line(of: $0.range.lowerBound) })
      != script.statements.map({ script.source.line(of: $0.range.lowerBound) })
    {
      return "other lines:\n\(text)"
    }
    if visible(formatted) != visible(script.source.bytes) { return "something is lost:\n\(text)" }
    let twice = ScriptFormatter.format(again)
    return twice == formatted
      ? nil : "formatted twice it is\n\(String(decoding: twice, as: UTF8.self))\nonce\n\(text)"
  }

  /// The text without its blanks and line ends.
  private static func visible(_ bytes: [UInt8]) -> [Unicode.Scalar] {
    String(decoding: bytes, as: UTF8.self).unicodeScalars.filter {
      !["\n", "\r", " ", "\t", "\u{B}", "\u{C}", "\u{A0}", "\u{3000}"].contains($0)
    }
  }

  private static func corpus() throws -> [(name: String, bytes: [UInt8])] {
    try RepositoryFiles.scripts.map { ($0, Array(try Data(contentsOf: RepositoryFiles.url($0)))) }
  }
}

/// Adds and removes blanks, line ends and comments at unusual places.
private struct LayoutMutation {
  private var generator: SeededGenerator

  init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

  private static let pieces =
    [
      " ", "  ", "\t", "\u{3000}", "\u{A0}", "\n", "\r\n", "\n\n\n", " # note\n",
      "\n  # own line\n",
      " \\\n", ";", " ; ", "\n#> out\n", "\n #> indented\n", "\n#@ tag\n", "{ ", " }", "(", ")",
      ",\n", " -", "!", "AND\n", "\nAND ", "\n  where ", "\nelse ", "Book / 3", "Book/3",
      " 1...-2 ",
    ].map { Array($0.utf8) }

  mutating func garble(_ corpus: [[UInt8]]) -> [UInt8] {
    guard var bytes = corpus.randomElement(using: &generator) else { return [] }
    for _ in 0..<Int.random(in: 1...4, using: &generator) {
      let blanks = bytes.indices.filter { bytes[$0] <= 0x20 || Self.isSign(bytes[$0]) }
      guard let at = blanks.randomElement(using: &generator) else { break }
      switch Int.random(in: 0..<6, using: &generator) {
      case 0 where bytes[at] <= 0x20: bytes.remove(at: at)
      case 1 where bytes[at] == 0x20: bytes[at] = UInt8(ascii: "\n")
      case 2:
        let end = min(bytes.count, at + Int.random(in: 0...30, using: &generator))
        let copy = Array(bytes[at..<end])
        bytes.insert(contentsOf: copy, at: blanks.randomElement(using: &generator) ?? at)
      default:
        guard let piece = Self.pieces.randomElement(using: &generator) else { break }
        bytes.insert(contentsOf: piece, at: Bool.random(using: &generator) ? at : at + 1)
      }
    }
    return bytes
  }

  private static func isSign(_ byte: UInt8) -> Bool {
    "(){}[],;:=+-*/.!<>".utf8.contains(byte)
  }
}
