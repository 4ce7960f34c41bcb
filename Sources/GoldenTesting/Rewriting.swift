import ScriptSyntax

/// Builds the bytes of a script with other expected lines, and records where its text moves.
struct Rewriting {
  private let source: SourceText
  private let lineEnding: [UInt8]
  private var bytes: [UInt8] = []
  /// The offset up to which the source was copied.
  private var copied = 0
  private var relocation = Relocation()

  init(_ source: SourceText) {
    self.source = source
    lineEnding = source.lineEnding
  }

  /// Writes new expected lines for a block.
  mutating func expect(_ lines: [String], of block: StatementGroup) {
    bytes += source.bytes[copied..<block.expectedOffset]
    if let last = bytes.last, last != UInt8(ascii: "\n"), !lines.isEmpty { bytes += lineEnding }
    for line in lines { bytes += Array((line.isEmpty ? "#>" : "#> \(line)").utf8) + lineEnding }
    copied = block.expected.last?.range.upperBound ?? block.expectedOffset
    relocation.moves.append((from: copied, by: bytes.count - copied))
  }

  mutating func remove(_ range: Range<Int>) {
    bytes += source.bytes[copied..<range.lowerBound]
    copied = range.upperBound
    relocation.moves.append((from: copied, by: bytes.count - copied))
  }

  var result: (bytes: [UInt8], relocation: Relocation) {
    (bytes + source.bytes[copied...], relocation)
  }
}

extension SourceText {
  /// The line end that the text uses.
  var lineEnding: [UInt8] {
    guard let first = bytes.firstIndex(of: UInt8(ascii: "\n")), first > 0,
      bytes[first - 1] == UInt8(ascii: "\r")
    else { return [UInt8(ascii: "\n")] }
    return [UInt8(ascii: "\r"), UInt8(ascii: "\n")]
  }
}
