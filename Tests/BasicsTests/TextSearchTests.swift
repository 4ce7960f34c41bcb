import Basics
import Testing

/// Searches by bytes, compared with those of the standard library.
@Suite("Searches in texts")
struct TextSearchTests {
  private static let texts = [
    "", "a", "ab", "aab", "aaab", "abab", "Fatal error: é", "é", "éé", "日本語", "a\u{301}", "👩‍👩‍👧 b",
  ]

  @Test("a text is found where the standard library finds its bytes")
  func texts() throws {
    for line in Self.texts {
      for text in Self.texts + ["b", "aa", ": ", "r: é"] {
        let found = line.firstRange(ofBytes: text)
        let expected = Array(line.utf8).firstRange(of: Array(text.utf8))

        #expect((found != nil) == (expected != nil), "\(text) in \(line)")
        #expect(line.contains(bytesOf: text) == (expected != nil), "\(text) in \(line)")
        guard let found, let expected else { continue }
        #expect(
          line.utf8.distance(from: line.startIndex, to: found.lowerBound) == expected.lowerBound)
        #expect(line[found].utf8.elementsEqual(text.utf8))
      }
    }
    let part = "xx aab".dropFirst(3)
    let found = try #require(part.firstRange(ofBytes: "ab"))
    #expect(part[..<found.lowerBound] == "a")
  }

  @Test("bytes are found where the standard library finds them")
  func bytes() {
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<2_000 {
      let line = (0..<Int.random(in: 0...9, using: &generator)).map { _ in
        UInt8.random(in: 0...2, using: &generator)
      }
      let start = Int.random(in: 0...line.count, using: &generator)
      let part = line[start...]
      let other = (0..<Int.random(in: 0...3, using: &generator)).map { _ in
        UInt8.random(in: 0...2, using: &generator)
      }

      #expect(part.firstRange(ofBytes: other) == part.firstRange(of: other), "\(other) in \(part)")
      #expect(part.contains(byte: 1) == part.contains(1), "\(part)")
      let text = line.map { [0x61, 0x0A, 0x0D][Int($0)] as UInt8 }[start...]
      #expect(text.firstLineEnd == text.firstIndex { $0 != 0x61 }, "\(text)")
    }
  }

  @Test("scalars are counted where they begin, in any part of a text")
  func scalars() {
    let text = Self.texts.joined() + "😀\u{10FFFF}\u{FFFF}\u{7FF}\u{800}"
    let bytes = Array(text.utf8)
    let starts = text.unicodeScalars.indices.map { index in
      (offset: text.utf8.distance(from: text.startIndex, to: index), text.unicodeScalars[index])
    }
    for start in 0...bytes.count {
      for end in start...bytes.count {
        let scalars = starts.filter { (start..<end).contains($0.offset) }.map(\.1)
        let counts = bytes[start..<end].scalarCounts
        #expect(counts.all == scalars.count, "\(start)..<\(end)")
        #expect(counts.pairs == scalars.count { $0.value > 0xFFFF }, "\(start)..<\(end)")
      }
    }
  }
}
