import Basics
import PredicateSyntax
package import ScriptSyntax

/// Describes an outcome for people: each failure with its place, the lines of the script, and the
/// difference.
package struct OutcomeText {
  private let diagnostics: DiagnosticRenderer
  private let diffs: DiffRenderer

  /// The number of lines that are shown of a long block.
  private static let mostSourceLines = 8

  /// Whether the lines contain escape sequences for colours.
  package let usesColor: Bool

  /// The largest number of lines of a difference that is shown as a whole.
  package static let wholeDiff = 10_000

  /// Descriptions for the files of reports, with whole differences.
  package static let ofReports = OutcomeText(mostDiffLines: wholeDiff)

  package init(usesColor: Bool = false, mostDiffLines: Int = 100) {
    self.usesColor = usesColor
    diagnostics = DiagnosticRenderer(usesColor: usesColor)
    diffs = DiffRenderer(usesColor: usesColor, mostLines: mostDiffLines)
  }

  /// Returns the lines about an outcome; none if the test passed without a warning.
  package func lines(of outcome: GoldenOutcome) -> [String] {
    let name = outcome.source.name.escapingControls()
    let warnings =
      outcome.warnings.flatMap { lines(of: $0, in: outcome) }
      + outcome.notes.map { "\(name):\($0.lines.lowerBound): \($0.words)" }
      + lines(ofTriesOf: outcome)
    switch outcome.verdict {
    case .passed: return warnings
    case .failed:
      return warnings + outcome.failures.flatMap { lines(of: $0, in: outcome) }
        + (outcome.triesWords.map { ["\(name): \($0)"] } ?? [])
    case .skipped(let reason):
      return warnings + ["\(name):\(outcome.line): skipped: \(reason.escapingControls())"]
    case .expectedFailure(let reason):
      return warnings + [
        "\(name):\(outcome.line): failed as expected: \(reason.escapingControls())"
      ]
    }
  }

  /// Returns the lines about the failed tries before one that passed.
  package func lines(ofTriesOf outcome: GoldenOutcome) -> [String] {
    guard outcome.isFlaky else { return [] }
    return outcome.failedTries.flatMap { failed in
      failed.failures.flatMap { lines(of: $0, in: failed) }
    } + ["\(outcome.source.name.escapingControls()): flaky: \(outcome.flakyWords)"]
  }

  /// Returns the lines about a warning.
  package func lines(of warning: Diagnostic, in outcome: GoldenOutcome) -> [String] {
    [diagnostics.render(warning, in: outcome.prepared.test.file)]
  }

  /// Returns the lines about one failure.
  package func lines(of failure: GoldenFailure, in outcome: GoldenOutcome) -> [String] {
    let source = outcome.source
    let place = "\(failure.file.escapingControls()):\(failure.lines.lowerBound): "
    switch failure.kind {
    case .diagnostic(let diagnostic): return [diagnostics.render(diagnostic, in: source)]
    case .uncaught(let error):
      let said = [diagnostics.render(error.diagnostic, in: error.source)]
      guard error.source.name != source.name else { return said }
      return said + [place + "that ended this block"] + lines(failure.lines, of: source)
    case .output(let mismatch):
      return [place + failure.description] + statement(of: failure, in: outcome)
        + diffs.lines(of: OutputDiff(mismatch))
        + (failure.reasons ?? []).map { "      \($0.shortened().escapingControls())" }
        + mismatch.captured.known.map {
          "      [\($0.name)] is '\($0.text.shortened().escapingControls())'"
        }
    case .unstable(let mismatch):
      return [place + failure.description] + lines(failure.lines, of: source)
        + diffs.lines(of: OutputDiff(mismatch))
    case .strayExpectation(let text):
      let mismatch = OutputMismatch(expected: [text], actual: [])
      return [place + failure.description] + diffs.lines(of: OutputDiff(mismatch))
    case .replay, .timedOut, .exceeded, .crashed:
      return [place + failure.description] + lines(failure.lines, of: source)
    case .unreached:
      let isExpectedToFail = outcome.prepared.directives.xfail != nil
      return [
        place + failure.description + (isExpectedToFail ? ", which xfail does not excuse" : "")
      ]
    case .conflictMarker, .empty, .missingGolden, .unexpectedPass, .update:
      return [place + failure.description]
    }
  }

  /// Returns the statement whose output differs.
  private func statement(of failure: GoldenFailure, in outcome: GoldenOutcome) -> [String] {
    let source = outcome.source
    guard failure.file != source.name else { return lines(failure.lines, of: source) }
    guard let block = outcome.block(printing: failure.lines.lowerBound) else { return [] }
    return ["    printed by \(source.name.escapingControls()):\(block.lowerBound)"]
      + lines(block, of: source)
  }

  /// Returns source lines; if there are many, only the first and the last.
  private func lines(_ lines: ClosedRange<Int>, of source: SourceText) -> [String] {
    let left = lines.count - Self.mostSourceLines
    let width = "\(lines.upperBound)".count
    var result: [String] = []
    for line in lines {
      if left > 1, line > lines.lowerBound + Self.mostSourceLines - 2, line < lines.upperBound {
        if line == lines.upperBound - 1 { result.append("    (\(left) more lines)") }
        continue
      }
      let number = "\(line)"
      let blanks = String(repeating: " ", count: width - number.count)
      result.append(
        "  \(blanks)\(number) | "
          + source.text(ofLine: line).shortened().escapingControls(except: ["\t"]))
    }
    return result
  }
}

extension GoldenOutcome {
  /// The note on a flaky test: `passed when it ran for the 3rd time`.
  package var flakyWords: String { "passed when it ran for the \(tries.ordinal) time" }

  /// The note on a test that failed after it was run several times; nil if it was run once.
  package var triesWords: String? {
    verdict == .failed && tries > 1 ? "failed when it ran for the \(tries.ordinal) time" : nil
  }

  /// The number of the line that says why a test is skipped or expected to fail, counted from 1.
  package var line: Int {
    prepared.directives.skip?.line ?? prepared.directives.xfail?.line ?? 1
  }

  /// Returns the lines of the block that printed a line of the whole output; nil if none did.
  ///
  /// All are counted from 1.
  fileprivate func block(printing line: Int) -> ClosedRange<Int>? {
    var rest = line
    for (group, block) in zip(prepared.script.groups, blocks) {
      if rest <= block.output.count { return group.lines }
      rest -= block.output.count
    }
    return nil
  }
}

extension Int {
  /// The number as an ordinal: `2nd`, `3rd`, `11th`.
  fileprivate var ordinal: String {
    let isTeen = (11...13).contains(self % 100)
    return switch self % 10 {
    case 1 where !isTeen: "\(self)st"
    case 2 where !isTeen: "\(self)nd"
    case 3 where !isTeen: "\(self)rd"
    default: "\(self)th"
    }
  }
}
