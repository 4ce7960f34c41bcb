import Terminal
import Testing

@Suite("Keys")
struct KeyDecoderTests {
  @Test(
    "each key",
    arguments: [
      ("a", [Key.character("a")]), ("é", [.character("é")]), ("書", [.character("書")]),
      ("\r", [.enter]), ("\t", [.tab]), ("\u{7F}", [.backspace]), ("\u{3}", [.control("C")]),
      ("\u{1B}", [.escape]), ("\u{1B}[A", [.up]), ("\u{1B}OB", [.down]), ("\u{1B}[5~", [.pageUp]),
      ("\u{1B}[6~", [.pageDown]), ("\u{1B}[H", [.home]), ("\u{1B}[F", [.end]),
      ("\u{1B}[999z", []), ("a\u{1B}[Ab", [.character("a"), .up, .character("b")]),
    ])
  func keys(text: String, keys: [Key]) {
    var decoder = KeyDecoder()
    #expect(decoder.keys(from: text.utf8) == keys)
  }

  @Test("a key that comes in two reads")
  func split() {
    var decoder = KeyDecoder()
    #expect(decoder.keys(from: [0x1B, 0x5B]) == [])
    #expect(decoder.keys(from: [0x42]) == [.down])
    #expect(decoder.keys(from: [0xC3]) == [])
    #expect(decoder.keys(from: [0xA9]) == [.character("é")])
  }

  @Test("bytes that are no text are skipped, and random bytes do no harm")
  func noText() {
    var decoder = KeyDecoder()
    #expect(decoder.keys(from: [0x80, 0xFF, 0x61]) == [.character("a")])
    for _ in 0..<1_000 {
      _ = decoder.keys(from: (0..<20).map { _ in UInt8.random(in: 0...255) })
    }
  }
}
