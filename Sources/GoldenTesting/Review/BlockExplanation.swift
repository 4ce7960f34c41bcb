import ScriptSyntax

/// The reasons why changed callbacks of a block are sent, or no longer sent.
package struct BlockExplanation: Sendable {
  /// The lines: each changed callback with the rule that sent it, and each object that lost its
  /// callback with the reason.
  package let lines: [String]

  /// Runs a test up to a block and collects the reasons.
  ///
  /// - Parameters:
  ///   - block: The block. If none of its callbacks changed, nothing is run.
  ///   - runner: Runs the script.
  package init(of block: GoldenUpdate.Proposal, in test: PreparedTest, _ runner: GoldenRunner) {
    let sent = Set(block.mismatch.actual).subtracting(block.mismatch.expected)
    let lost = Set(block.mismatch.expected).subtracting(block.mismatch.actual)
    guard test.test.golden == nil, sent.union(lost).contains(where: \.isCallback),
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
    lines = Self.rules(in: explanation, sent: sent, lost: lost)
  }

  /// Returns the explained callbacks that are in `lines`, each with its rule, and the objects
  /// without a callback whose callbacks are in the other lines.
  private static func rules(
    in explanation: [String], sent: Set<String>, lost: Set<String>
  ) -> [String] {
    let silent = Set(lost.compactMap(\.headingWithoutCallback))
    var result: [String] = []
    var isWanted = false
    for line in explanation {
      if !line.hasPrefix(" ") {
        let heading = line.split(separator: " ").prefix(5).joined(separator: " ")
        isWanted = sent.contains(line) || silent.contains(heading)
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

  /// The heading under which `explain` lists an object without a callback: `books sends nothing
  /// about Book/1` for the line `books didChange object KIND Book/1 …`.
  fileprivate var headingWithoutCallback: String? {
    let words = split(separator: " ", maxSplits: 5)
    guard words.count > 4, words[1] == "didChange", words[2] == "object" else { return nil }
    return "\(words[0]) sends nothing about \(words[4])"
  }
}
