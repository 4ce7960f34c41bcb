import Basics
import PredicateSyntax
import RandomLaws
import Testing

/// Laws over random trees and texts.
@Suite("Random predicates")
struct RandomTests {
  @Test("a printed tree is parsed to an equal tree")
  func roundTrip() throws {
    for seed in LawSeeds(seconds: 0.6, atLeast: 100) {
      var random = RandomTree(seed: seed)
      let tree = random.predicate(depth: Int.random(in: 0...5, using: &random.generator))

      let text = tree.description
      let parsed = try? PredicateParser.parse(format: text)

      guard parsed == tree else {
        Issue.record("seed \(seed): \(text) became \(parsed?.description ?? "an error")")
        return
      }
    }
  }

  @Test("a tree printed in a script's line is parsed to an equal tree")
  func embeddedRoundTrip() throws {
    for seed in LawSeeds(seconds: 0.3, atLeast: 100) {
      var random = RandomTree(seed: seed)
      let tree = random.predicate(depth: 4)

      let source = Array("where \(tree) { x }".utf8)
      let parsed = try? PredicateParser.parseEmbedded(in: source, from: 6)

      guard parsed?.predicate == tree, parsed?.end == source.count - 6 else {
        Issue.record("seed \(seed): \(tree)")
        return
      }
    }
  }

  @Test("a garbled text gives a tree or an error inside the text, and never crashes")
  func garbledTexts() throws {
    for seed in LawSeeds(seconds: 0.6, atLeast: 100) {
      var random = RandomTree(seed: seed)
      var text = Array(random.predicate(depth: 3).description.utf8)
      for _ in 0..<Int.random(in: 1...4, using: &random.generator) {
        garble(&text, using: &random.generator)
      }

      let places = [
        place(of: { () throws(PredicateSyntaxError) in
          _ = try PredicateParser.parse(format: String(decoding: text, as: UTF8.self))
        }),
        place(of: { () throws(PredicateSyntaxError) in
          _ = try PredicateParser.parseEmbedded(in: text, from: 0)
        }),
      ]

      let length = String(decoding: text, as: UTF8.self).utf8.count
      for place in places.compactMap({ $0 }) {
        guard place.lowerBound >= 0, place.upperBound <= length else {
          Issue.record("seed \(seed): \(place) in \(length) bytes")
          return
        }
      }
    }
  }

  private func place(of parse: () throws(PredicateSyntaxError) -> Void) -> Range<Int>? {
    do {
      try parse()
      return nil
    } catch {
      _ = error.description
      return error.range
    }
  }

  private func garble(_ text: inout [UInt8], using generator: inout SeededGenerator) {
    let pieces = [
      "(", ")", "{", "}", "[", "]", "'", "\"", "\\", "#", "@", "$", "%", ".", ",", "\n", " AND ",
      " NOT ", "==", "-", "**", "é", "SUBQUERY(", "CAST(", "0x", "1e", ":=", "\u{0}", "[cd]",
    ]
    let offset = Int.random(in: 0...text.count, using: &generator)
    switch Int.random(in: 0..<4, using: &generator) {
    case 0 where offset < text.count: text.remove(at: offset)
    case 1 where offset < text.count:
      text[offset] = UInt8.random(in: 0...255, using: &generator)
    case 2: text.removeSubrange(offset...)
    default:
      let piece = pieces.randomElement(using: &generator) ?? "("
      text.insert(contentsOf: piece.utf8, at: offset)
    }
  }

  @Test("a megabyte of predicate is parsed and printed")
  func megabyte() throws {
    let list = (0..<100_000).map { "'s\($0)'" }.joined(separator: ",")
    let text = "a IN {\(list)}" + String(repeating: " OR (b.c = 1 AND x > 2.5)", count: 20_000)

    let tree = try PredicateParser.parse(format: text)

    #expect(text.utf8.count > 1_000_000)
    #expect(try PredicateParser.parse(format: tree.description) == tree)
  }
}
