import ScriptSyntax

/// Why the callbacks of a block that changed were sent.
package struct BlockExplanation: Sendable {
  /// The rules: each callback that changed, and under it the rule that sent it.
  package let lines: [String]

  /// Runs a test up to a block, and asks for the reasons.
  ///
  /// - Parameters:
  ///   - block: The block; nothing is run if it has no callback that changed.
  ///   - runner: Runs the script.
  package init(of block: GoldenUpdate.Proposal, in test: PreparedTest, _ runner: GoldenRunner) {
    let changed = Set(block.mismatch.actual).subtracting(block.mismatch.expected)
    guard test.test.golden == nil, changed.contains(where: \.isCallback),
      let group = test.script.groups.first(where: { $0.lines == block.lines })
    else {
      lines = []
      return
    }
    let file = test.test.file
    var bytes = Array(file.bytes[..<group.expectedOffset])
    if bytes.last != UInt8(ascii: "\n") { bytes.append(UInt8(ascii: "\n")) }
    let line = SourceText(name: file.name, bytes: bytes).lineCount
    bytes += Array("explain\n".utf8)
    let asking = PreparedTest(
      GoldenTest(source: SourceText(name: file.name, bytes: bytes), lines: [line]))
    let explanation = runner.runs(of: asking).first?.blocks.last?.output ?? []
    lines = Self.rules(in: explanation, of: changed)
  }

  /// The callbacks in an explanation that are among some lines, each with its rule.
  static func rules(in explanation: [String], of callbacks: Set<String>) -> [String] {
    var result: [String] = []
    var isWanted = false
    for line in explanation {
      if !line.hasPrefix(" ") {
        isWanted = callbacks.contains(line)
        if isWanted { result.append(line) }
      } else if isWanted, line.hasPrefix("  rule ") {
        result.append(line)
      }
    }
    return result
  }
}

extension String {
  /// Whether an output line is a callback: `books didChange object …`.
  fileprivate var isCallback: Bool {
    let words = split(separator: " ", maxSplits: 2)
    return words.count > 1
      && ["willChangeContent", "didChangeContent", "didChange"].contains(words[1])
  }
}
