import Glibc
import LineEditor
import Platform
import Testing

@Suite struct PlainReaderTests {
  @Test("lines end with LF or CRLF, the last one with nothing")
  func lineEnds() throws {
    #expect(
      try read("a\nb\r\n\n\rc\r") == [
        .text("a"), .text("b"), .text(""), .text("\rc\r"), .endOfInput,
      ])
    #expect(try read("") == [.endOfInput])
    #expect(try read("\n") == [.text(""), .endOfInput])
  }

  @Test("NUL and bytes that are no UTF-8 lose nothing around them")
  func bytes() throws {
    let text = Array("a\0b\n".utf8) + [0x63, 0xFF, 0x64, 0x0A] + Array("日本\n".utf8)

    #expect(
      try read(text) == [.text("a\0b"), .text("c\u{FFFD}d"), .text("日本"), .endOfInput])
  }

  @Test("a statement of several lines is joined, and given unfinished at the end")
  func blocks() throws {
    #expect(
      try read("a {\n\nb\n}\nc\n{\r\nd") == [
        .text("a {\n\nb\n}"), .text("c"), .text("{\nd"), .endOfInput,
      ])
  }

  @Test("a line of many megabytes is read")
  func longLine() throws {
    let line = String(repeating: "日本語", count: 500_000)

    #expect(try read(line + "\nb") == [.text(line), .text("b"), .endOfInput])
  }

  private func read(_ text: String) throws -> [ReadResult] {
    try read(Array(text.utf8))
  }

  /// Reads all statements from a file with these bytes.
  private func read(_ bytes: [UInt8]) throws -> [ReadResult] {
    let folder = try TemporaryFolder()
    try folder.write(bytes, to: "input")
    let descriptor = open(folder.file("input"), O_RDONLY)
    defer { close(descriptor) }
    let reader = PlainReader(FileDescriptor(descriptor))
    var results: [ReadResult] = []
    repeat {
      results.append(
        reader.readStatement(prompt: "", continuationPrompt: "") { text in
          text.filter { $0 == "{" }.count <= text.filter { $0 == "}" }.count
        })
    } while results.last != .endOfInput
    return results
  }
}
