import GoldenTesting
import ScriptSyntax

/// What a run in the background found out about a version of a document.
struct LiveResults {
  let outcome: GoldenOutcome
  /// What the script with an `explain` after each block printed.
  let explanations: [GoldenRun.Block]

  private var script: ParsedScript { outcome.prepared.script }

  /// Returns the script with an `explain` after each block, which explains its callbacks; nil if
  /// the lines of the script are not its expected output.
  static func explained(_ test: GoldenTest) -> GoldenTest? {
    guard test.golden == nil, !GoldenTest.isMarkdown(test.file.name) else { return nil }
    let script = ScriptParser.parse(test.source)
    guard !script.hasErrors else { return nil }
    var bytes: [UInt8] = []
    var copied = 0
    for group in script.groups {
      let end = group.expected.last?.range.upperBound ?? group.expectedOffset
      bytes += test.source.bytes[copied..<end]
      if let last = bytes.last, last != UInt8(ascii: "\n") { bytes.append(UInt8(ascii: "\n")) }
      bytes += Array("explain\n".utf8)
      copied = end
    }
    bytes += test.source.bytes[copied...]
    return GoldenTest(source: SourceText(name: test.source.name, bytes: bytes))
  }

  /// What a block's callbacks report.
  struct BlockCallbacks {
    let group: StatementGroup
    /// The kinds of changes, each once, in order.
    let kinds: [String]
    let count: Int

    /// `2 callbacks: insert, move`.
    var words: String {
      "\(count) \(count == 1 ? "callback" : "callbacks"): \(kinds.joined(separator: ", "))"
    }
  }

  /// The callbacks of each block that reports a change.
  var callbacks: [BlockCallbacks] {
    zip(script.groups, outcome.blocks).compactMap { group, block in
      let changes = block.output.compactMap(\.reportedChange)
      guard !changes.isEmpty else { return nil }
      var kinds: [String] = []
      for change in changes where !kinds.contains(change) { kinds.append(change) }
      return BlockCallbacks(group: group, kinds: kinds, count: changes.count)
    }
  }

  /// The output that can be accepted, block by block, as `frc review` asks for it.
  var proposals: [GoldenUpdate.Proposal] { GoldenUpdate(outcome).accepted }

  /// Returns the text of the script with accepted output; nil if nothing changes, or if the
  /// expected output is in another file.
  ///
  /// - Parameter choose: Returns the new expected lines of a block; nil leaves it unchanged.
  func accepted(_ choose: (GoldenUpdate.Proposal) -> [String]?) -> [UInt8]? {
    guard outcome.prepared.test.golden == nil else { return nil }
    return GoldenUpdate(outcome, choosing: choose).file?.bytes
  }

  /// Returns why the callback of an expected line was sent, as Markdown; nil if no rule is known.
  ///
  /// - Parameter page: The address of Rules.md, for a link; nil if it is not installed.
  func rule(ofExpectedLine line: Int, in script: ParsedScript, page: String?) -> String? {
    guard let (rules, name) = explanation(ofExpectedLine: line) else { return nil }
    let link =
      name.map { name in
        "\n\n" + (page.map { "[Rules.md: \(name)](\($0)#\(name))" } ?? "Rules.md: \(name)")
      } ?? ""
    return "```\n" + rules.joined(separator: "\n") + "\n```" + link
  }

  private func explanation(ofExpectedLine line: Int) -> (lines: [String], rule: String?)? {
    let found = script.groups.enumerated().lazy.compactMap { index, group in
      group.expected.firstIndex { $0.line == line }.map { (index, $0) }
    }.first
    guard let (block, place) = found, outcome.blocks.indices.contains(block),
      explanations.indices.contains(2 * block + 1)
    else { return nil }
    let output = outcome.blocks[block].output
    let expected = script.groups[block].expected[place].text
    // A line with a pattern is the one at the same place.
    let wanted =
      output.contains(expected) ? expected : place < output.count ? output[place] : expected
    let explanation = explanations[2 * block + 1].output
    guard let heading = explanation.firstIndex(of: wanted) else { return nil }
    let rest = explanation[(heading + 1)...].prefix { $0.hasPrefix(" ") }
    guard !rest.isEmpty else { return nil }
    let rule = rest.first { $0.hasPrefix("  rule ") }.map { line in
      String(line.dropFirst("  rule ".count).prefix { $0 != ":" })
    }
    return ([wanted] + rest, rule)
  }

  /// Returns the explanation of a block that contains a line.
  func explanation(ofBlockAt line: Int) -> [String]? {
    guard
      let block = script.groups.firstIndex(where: { group in
        (group.lines.lowerBound...(group.expected.last?.line ?? group.lines.upperBound))
          .contains(line)
      }), explanations.indices.contains(2 * block + 1)
    else { return nil }
    return explanations[2 * block + 1].output
  }
}

extension String {
  /// The kind of change that an output line reports: `move` for `books didChange object move …`, and
  /// `section insert` for a section; nil for other lines.
  fileprivate var reportedChange: String? {
    let words = split(separator: " ", maxSplits: 4)
    guard words.count > 3, words[1] == "didChange" else { return nil }
    return words[2] == "section" ? "section \(words[3])" : String(words[3])
  }
}
