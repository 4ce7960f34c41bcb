import Basics
package import Foundation
import PredicateSyntax
package import ScriptSyntax

/// The outcome of one test.
package struct GoldenOutcome: Sendable {
  /// The verdict under which a test is counted.
  package enum Verdict: Hashable, Sendable {
    case passed
    case failed
    case skipped(reason: String)
    /// The test failed, as its `xfail` expects.
    case expectedFailure(reason: String)
  }

  package internal(set) var prepared: PreparedTest
  package internal(set) var verdict: Verdict = .passed
  /// The failures in the order of their places, also those of an expected failure.
  package internal(set) var failures: [GoldenFailure] = []
  /// Blocks that were skipped or failed as expected, in the order of their places.
  package internal(set) var notes: [BlockNote] = []
  /// Whether the test passed, but only checked that nothing is printed.
  package internal(set) var assertsNothing = false
  /// The warnings, in the order of their places.
  package internal(set) var warnings: [Diagnostic] = []
  /// When the test began; nil if no suite ran it.
  package internal(set) var began: Date?
  /// The duration of all runs.
  package internal(set) var duration: Duration = .zero
  /// The number of times that the test was run.
  package internal(set) var tries = 1
  /// The outcomes of the tries before one that did not fail.
  ///
  /// Of tries with the same failures, only the first is kept.
  package internal(set) var failedTries: [GoldenOutcome] = []
  /// Whether the comparison was stopped, so that there is no result.
  package internal(set) var isStopped = false
  /// The output of each block in the first run; empty if there was no run.
  package internal(set) var blocks: [GoldenRun.Block] = []

  package var source: SourceText { prepared.test.source }

  package var passed: Bool { verdict != .failed }

  /// Whether the test failed at first, and passed when it was tried again.
  package var isFlaky: Bool { !failedTries.isEmpty }

  /// The outcome if warnings count as errors.
  package var withWarningsAsErrors: GoldenOutcome {
    guard passed, !warnings.isEmpty else { return self }
    var outcome = self
    outcome.warnings = []
    outcome.failures = warnings.map { warning in
      var error = warning
      error.severity = .error
      let line = source.line(of: warning.range.lowerBound)
      return GoldenFailure(.diagnostic(error), in: source.name, line...line)
    }
    outcome.verdict = .failed
    return outcome
  }

  /// Whether the output was not expected because the script has no expected line and no golden
  /// file.
  package var mayMissGolden: Bool {
    prepared.test.golden == nil && !GoldenTest.isMarkdown(source.name)
      && prepared.script.groups.allSatisfy(\.expected.isEmpty)
      && prepared.script.strayExpectations.isEmpty && failures.contains(where: \.isNewOutput)
  }

  /// The outcome if the golden file is missing.
  ///
  /// Nothing can be said of the output then, and an update must not write it into the script.
  package var withMissingGolden: GoldenOutcome {
    var outcome = self
    outcome.failures.removeAll(where: \.isNewOutput)
    let path = GoldenTest.goldenPath(of: source.name)
    outcome.failures.insert(
      GoldenFailure(.missingGolden(path: path), in: source.name, 1...1), at: 0)
    return outcome
  }
}

/// A block that a directive excused.
package struct BlockNote: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// The block was not run.
    case skipped
    case expectedFailure
  }

  package let kind: Kind
  package let reason: String
  /// The lines of the block, counted from 1.
  package let lines: ClosedRange<Int>
  /// The store, if only one of several is affected.
  package var store: TestStore?

  /// The note in words: `failed as expected: a known fault (store sqlite)`.
  package var words: String {
    let verb =
      switch kind {
      case .skipped: "skipped"
      case .expectedFailure: "failed as expected"
      }
    return "\(verb): \(reason)" + (store.map { " (store \($0))" } ?? "")
  }
}

/// One failure of a test.
package struct GoldenFailure: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// The output is not as expected: that of a block, or the whole output if there is a golden
    /// file.
    case output(OutputMismatch)
    /// An expected line that does not follow a statement.
    case strayExpectation(String)
    /// The callbacks do not lead from the sections before to those after.
    case replay(breach: String)
    /// An error that no `try` caught.
    case uncaught(GoldenRun.UncaughtError)
    case timedOut(TimeLimit)
    /// A run used more of a resource than it may.
    case exceeded(ByteLimit)
    /// The program itself crashed during the test; the text is the reason.
    case crashed(String)
    /// Blocks that did not run, because the script ended before them.
    case unreached(blocks: Int)
    /// A second run printed something else.
    case unstable(OutputMismatch)
    /// The script or its directives contain an error.
    case diagnostic(Diagnostic)
    case conflictMarker
    /// There is nothing to run.
    case empty
    /// The golden file was deleted, so that its output looks like new output.
    case missingGolden(path: String)
    /// The test passed, although it was expected to fail.
    case unexpectedPass(reason: String)
    /// The file could not be updated.
    case update(reason: String)
  }

  package let kind: Kind
  /// The file with the failure: the script, or its golden file.
  package let file: String
  /// The lines where a reader should look, counted from 1.
  package let lines: ClosedRange<Int>
  /// The store, if only one of several fails.
  package var store: TestStore?
  /// Whether it is unknown in which block a run ended.
  package var isOfWholeScript = false
  /// For a prediction, how it compares with what happened, with the rules; otherwise nil.
  package var reasons: [String]?

  /// The place for people: the file, and the first line if the failure has one.
  package var place: String { isOfWholeScript ? file : "\(file):\(lines.lowerBound)" }

  /// Whether a block printed something, and nothing was expected.
  fileprivate var isNewOutput: Bool {
    if case .output(let mismatch) = kind { mismatch.expected.isEmpty } else { false }
  }

  package init(_ kind: Kind, in file: String, _ lines: ClosedRange<Int>) {
    self.kind = kind
    self.file = file
    self.lines = lines
  }
}

/// Output that differs from the expected output.
package struct OutputMismatch: Hashable, Sendable {
  package let expected: [String]
  package let actual: [String]
  /// Whether the lines may be in any order.
  package let isUnordered: Bool
  /// The texts of captured names from earlier blocks that this block reuses, and such names in its
  /// output without a text.
  package let captured: CapturedTexts

  package init(
    expected: [String], actual: [String], isUnordered: Bool = false,
    captured: CapturedTexts = CapturedTexts()
  ) {
    self.expected = expected
    self.actual = actual
    self.isUnordered = isUnordered
    self.captured = captured
  }

  /// The expected output, for comparison with other output.
  package var expectation: ExpectedOutput {
    ExpectedOutput(expected, isUnordered: isUnordered, captured: captured)
  }
}

extension GoldenFailure {
  /// The word for this kind of failure in reports for tools.
  package var code: String {
    switch kind {
    case .output: reasons == nil ? "output" : "prediction"
    case .strayExpectation: "strayExpectation"
    case .replay: "replay"
    case .uncaught: "error"
    case .timedOut: "timeout"
    case .exceeded(let limit): limit.resource.rawValue + "Limit"
    case .crashed: "crash"
    case .unreached: "unreached"
    case .unstable: "unstable"
    case .diagnostic: "syntax"
    case .conflictMarker: "conflict"
    case .empty: "empty"
    case .missingGolden: "missingGolden"
    case .unexpectedPass: "unexpectedPass"
    case .update: "update"
    }
  }
}

extension GoldenFailure: CustomStringConvertible {
  /// The message, on one line without the place.
  package var description: String {
    let words =
      switch kind {
      case .output where reasons != nil: "the prediction differs"
      case .output(let mismatch):
        mismatch.expected.isEmpty
          ? "output without an expectation"
          : mismatch.actual.isEmpty ? "nothing is printed" : "output differs"
      case .strayExpectation:
        "this '#>' line must directly follow a statement; remove the empty line or comment above it"
      case .replay(let breach): "callbacks break the replay law: \(breach)"
      case .uncaught(let error): "uncaught error: \(error.diagnostic.message)"
      case .timedOut(let limit):
        limit.words
      case .exceeded(let limit): limit.words
      case .crashed(let reason): "frc crashed: \(reason)"
      case .unreached(let blocks): "\(blocks) \(blocks == 1 ? "block" : "blocks") not reached"
      case .unstable: "a second run prints something else, so it cannot be accepted"
      case .diagnostic(let diagnostic): diagnostic.message
      case .conflictMarker: "a conflict marker that a merge left"
      case .empty: "there is no statement; write one, or '#@ skip REASON'"
      case .missingGolden(let path):
        "the golden file '\(path)' is missing, but git has it; restore it, or remove it with 'git rm'"
      case .unexpectedPass(let reason): "passes, though it was expected to fail: \(reason)"
      case .update(let reason): "not updated: \(reason)"
      }
    return words + (store.map { " (store \($0))" } ?? "")
  }
}

extension Duration {
  var words: String {
    let (seconds, rest) = components
    return rest == 0
      ? "\(seconds) s" : "\(seconds * 1000 + rest / 1_000_000_000_000_000) ms"
  }
}

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
    let place = "\(failure.place.escapingControls()): "
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
      return [place + failure.description]
        + (failure.isOfWholeScript ? [] : lines(failure.lines, of: source))
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
      result.append(
        "  " + "\(line)".rightAligned(toColumns: width) + " | "
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
