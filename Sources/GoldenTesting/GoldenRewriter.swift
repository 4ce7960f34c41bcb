import FetchedResults
import ScriptSyntax

/// Puts a script's output into its expectations, and touches nothing else.
package enum GoldenRewriter {
  /// Returns the script's bytes with the expectations that its outcome asks
  /// for, or nil where they are right already.
  ///
  /// Only blocks that were compared and reached are rewritten; a block whose
  /// script ended in an uncaught error keeps its expectations.
  ///
  /// - Complexity: O(*n*), where *n* is the length of the script.
  package static func rewrite(_ outcome: GoldenOutcome) -> [UInt8]? {
    let script = ScriptParser.parse(outcome.test.source)
    let source = outcome.test.source
    let reached = outcome.uncaught == nil ? outcome.outputs.count : outcome.outputs.count - 1
    var bytes: [UInt8] = []
    var copied = 0
    for (group, output) in zip(script.groups, outcome.outputs).prefix(max(0, reached)) {
      if let line = outcome.test.line, !group.lines.contains(line) { continue }
      guard !group.expected.map(\.text).hasSameScalars(as: output) else { continue }
      bytes += source.bytes[copied..<group.expectedOffset]
      let ending = lineEnding(of: source)
      if let last = bytes.last, last != UInt8(ascii: "\n"), !output.isEmpty { bytes += ending }
      for line in output { bytes += Array((line.isEmpty ? "#>" : "#> \(line)").utf8) + ending }
      copied = group.expected.last?.range.upperBound ?? group.expectedOffset
    }
    guard copied > 0 || !bytes.isEmpty else { return nil }
    bytes += source.bytes[copied...]
    return bytes == source.bytes ? nil : bytes
  }

  /// The line end that the script itself uses.
  private static func lineEnding(of source: SourceText) -> [UInt8] {
    guard let first = source.bytes.firstIndex(of: UInt8(ascii: "\n")), first > 0,
      source.bytes[first - 1] == UInt8(ascii: "\r")
    else { return [UInt8(ascii: "\n")] }
    return [UInt8(ascii: "\r"), UInt8(ascii: "\n")]
  }
}
