import ScriptSyntax
import Testing

@Suite("Source texts")
struct SourceTextTests {
  @Test("lines and columns count from 1, columns in characters")
  func positions() {
    let source = SourceText(name: "a", text: "ab\n本e\u{301}x\n\nz")
    let places = (0...source.bytes.count).map { source.position(of: $0).description }
    #expect(places.first == "1:1")
    #expect(source.position(of: 3).description == "2:1")
    #expect(source.position(of: 6).description == "2:2")
    #expect(source.position(of: 9).description == "2:3")
    #expect(source.position(of: 11).description == "3:1")
    #expect(places.last == "4:2")
    #expect(source.lineCount == 4)
  }

  @Test("lines come with and without their ends")
  func lines() {
    let source = SourceText(name: "a", text: "a\r\nb\r\r\n\nc\n")
    #expect((1...5).map(source.text(ofLine:)) == ["a", "b\r", "", "c", ""])
    #expect(
      (1...5).map { source.text(in: source.rangeWithEnd(ofLine: $0)) }
        == ["a\r\n", "b\r\r\n", "\n", "c\n", ""])
    #expect(source.text(ofLine: 0) == "")
    #expect(source.text(ofLine: 9) == "")
  }

  @Test("any bytes have lines and positions")
  func anyBytes() {
    let source = SourceText(name: "a", bytes: [0xFF, 0x0A, 0x80, 0x00, 0xC3, 0x0A])
    #expect(source.lineCount == 3)
    for offset in -1...10 { _ = source.position(of: offset) }
    #expect(source.text(ofLine: 1) == "\u{FFFD}")
  }

  @Test("a byte order mark belongs to no line")
  func byteOrderMark() {
    let source = SourceText(name: "a", text: "\u{FEFF}ab\nc")
    #expect(source.text(ofLine: 1) == "ab")
    #expect(source.position(of: 3).description == "1:1")
    #expect(source.position(of: 0).description == "1:1")
  }

  @Test("columns of a long line are those that counting from its start gives")
  func longLine() {
    let parts = ["a\\q", "e\u{301}", "👩‍👩‍👧", "本", "\r", "🇩🇪🇩🇪", " x", "\u{0}"]
    let line = (0..<4000).map { parts[$0 * 7 % 11 % parts.count] }.joined()
    let bytes = Array(line.utf8) + [0xFF] + Array(repeating: UInt8(ascii: "z"), count: 5000)
    let source = SourceText(name: "a", bytes: Array("first\n".utf8) + bytes)
    let offsets = [1, 40, 2047, 2049, 3000, 9001, 17, bytes.count, 12_345, 20_000, 5000]
    for offset in offsets {
      let before = String(decoding: bytes[..<min(offset, bytes.count)], as: UTF8.self)
      #expect(source.position(of: 6 + offset).column == before.count + 1)
      #expect(source.position(of: 6 + offset).line == 2)
    }
    #expect(source == SourceText(name: "a", bytes: source.bytes))
  }
}
