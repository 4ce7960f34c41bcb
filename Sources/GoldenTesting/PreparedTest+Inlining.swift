package import ScriptSyntax

extension PreparedTest {
  /// Returns the script with the lines of its golden file under the statements that print them; nil
  /// if it has no golden file.
  ///
  /// A line that was not printed stays where it was expected. If a `…` stands for output of several
  /// statements, it is under each of them. So the same statements fail as before, and each can be
  /// reviewed separately.
  package func inlinedGolden(after run: GoldenRun) -> SourceText? {
    guard let golden = test.golden else { return nil }
    let expected = ExpectedOutput(golden.expectedLines)
    let output = run.blocks.enumerated().flatMap { index, block in
      block.output.map { (line: $0, block: index) }
    }
    var lines = Array(repeating: [String](), count: script.groups.count)
    let alignment = LineAlignment(expected, output.map(\.line))
    let last = max(run.blocks.count - 1, 0)
    var old = 0
    var new = 0
    var isAnyLines = false
    while old < expected.lines.count || new < output.count {
      let block = new < output.count ? output[new].block : last
      guard lines.indices.contains(block) else { break }
      if old < expected.lines.count, alignment.isRemoved[old] {
        isAnyLines = isAnyLines || expected.lines[old].isAnyLines
        if !expected.lines[old].isAnyLines { lines[block].append(expected.lines[old]) }
        old += 1
      } else if new < output.count, alignment.isAdded[new] {
        if isAnyLines, lines[block].last != ExpectedOutput.anyLines {
          lines[block].append(ExpectedOutput.anyLines)
        }
        new += 1
      } else {
        isAnyLines = false
        lines[block].append(expected.lines[old])
        old += 1
        new += 1
      }
    }
    var rewriting = Rewriting(test.source)
    for (block, lines) in zip(script.groups, lines) { rewriting.expect(lines, of: block) }
    return SourceText(name: test.source.name, bytes: rewriting.result.bytes)
  }
}
