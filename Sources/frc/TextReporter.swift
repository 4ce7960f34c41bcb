import GoldenTesting
import ScriptSyntax

/// Tells a person how tests went: each failure in place, then the sums.
struct TextReporter: TestReporter {
  private let output: Output
  private let diagnostics: DiagnosticRenderer
  private let diffs: DiffRenderer

  /// How many lines of a long block are shown.
  private static let mostSourceLines = 8

  init(output: Output, usesColor: Bool) {
    self.output = output
    diagnostics = DiagnosticRenderer(usesColor: usesColor)
    diffs = DiffRenderer(usesColor: usesColor)
  }

  func report(_ outcome: GoldenOutcome) {
    let source = outcome.source
    for warning in outcome.warnings { output.write(diagnostics.render(warning, in: source)) }
    switch outcome.verdict {
    case .passed: break
    case .failed: for failure in outcome.failures { report(failure, of: outcome) }
    case .skipped(let reason):
      let line = outcome.prepared.directives.skip?.line ?? 1
      output.write("\(source.name):\(line): skipped: \(reason)")
    case .expectedFailure(let reason):
      let line = outcome.prepared.directives.xfail?.line ?? 1
      output.write("\(source.name):\(line): failed as expected: \(reason)")
    }
  }

  private func report(_ failure: GoldenFailure, of outcome: GoldenOutcome) {
    let source = outcome.source
    let place = "\(failure.file):\(failure.lines.lowerBound): "
    switch failure.kind {
    case .diagnostic(let diagnostic): output.write(diagnostics.render(diagnostic, in: source))
    case .uncaught(let error):
      output.write(diagnostics.render(error.diagnostic, in: error.source))
      guard error.source.name != source.name else { break }
      output.write(place + "that ended this block")
      write(source, failure.lines)
    case .output(let mismatch):
      output.write(place + failure.description)
      if failure.file == source.name {
        write(source, failure.lines)
      } else if let block = outcome.block(printing: failure.lines.lowerBound) {
        output.write("    printed by \(source.name):\(block.lowerBound)")
        write(source, block)
      }
      write(mismatch)
    case .unstable(let mismatch):
      output.write(place + failure.description)
      write(source, failure.lines)
      write(mismatch)
    case .strayExpectation(let text):
      output.write(place + failure.description)
      write(OutputMismatch(expected: [text], actual: []))
    case .replay, .timedOut:
      output.write(place + failure.description)
      write(source, failure.lines)
    case .unreached:
      let isExpectedToFail = outcome.prepared.directives.xfail != nil
      output.write(
        place + failure.description + (isExpectedToFail ? ", which xfail does not excuse" : ""))
    case .conflictMarker, .unexpectedPass, .update: output.write(place + failure.description)
    }
  }

  /// Writes source lines, of many only the first and the last.
  private func write(_ source: SourceText, _ lines: ClosedRange<Int>) {
    let left = lines.count - Self.mostSourceLines
    let width = "\(lines.upperBound)".count
    for line in lines {
      if left > 1, line > lines.lowerBound + Self.mostSourceLines - 2, line < lines.upperBound {
        if line == lines.upperBound - 1 { output.write("    (\(left) more lines)") }
        continue
      }
      let number = "\(line)"
      let blanks = String(repeating: " ", count: width - number.count)
      output.write("  \(blanks)\(number) | " + source.text(ofLine: line))
    }
  }

  private func write(_ mismatch: OutputMismatch) {
    for line in diffs.lines(of: OutputDiff(mismatch)) { output.write(line) }
  }

  func report(strayGolden path: String) {
    output.write("\(path): a golden file beside no script")
  }

  func report(updated path: String) { output.write("updated \(path)") }

  func report(_ sums: TestSums) {
    if sums.updated > 0 { output.write("\(sums.updated) updated") }
    var words = "\(sums.passed) passed, \(sums.failed) failed"
    if sums.skipped > 0 { words += ", \(sums.skipped) skipped" }
    if sums.expectedFailures > 0 { words += ", \(sums.expectedFailures) failed as expected" }
    output.write(words)
  }
}

extension GoldenOutcome {
  /// The lines of the block that printed a line of the whole output, counted
  /// from 1; nil where none did.
  fileprivate func block(printing line: Int) -> ClosedRange<Int>? {
    var rest = line
    for (group, block) in zip(prepared.script.groups, blocks) {
      if rest <= block.output.count { return group.lines }
      rest -= block.output.count
    }
    return nil
  }
}
