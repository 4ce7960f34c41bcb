import FetchedResults
import Foundation
package import ScriptRuntime
import ScriptSyntax

/// Runs scripts in sessions of their own and compares what they print with
/// what they say they print.
package struct GoldenRunner {
  private let environment: any ScriptEnvironment
  private var evaluation: EvaluationEnvironment

  /// Creates a runner.
  ///
  /// A test begins at 2026-01-01T00:00:00Z, and its `random()` says 0.5, for
  /// its output may depend on nothing but its text.
  ///
  /// - Parameters:
  ///   - environment: Where included files come from.
  ///   - locale: The locale of localized sorts.
  package init(environment: any ScriptEnvironment, locale: String = "en") {
    self.environment = environment
    evaluation = EvaluationEnvironment(now: { Self.clock }, locale: locale)
    evaluation.random = { 0.5 }
  }

  private static let clock = Date(timeIntervalSince1970: 1_767_225_600)

  /// Runs a test.
  package func run(_ test: GoldenTest) -> GoldenOutcome {
    let script = ScriptParser.parse(test.source)
    var outcome = GoldenOutcome(test: test)
    outcome.diagnostics = script.diagnostics
    guard !script.hasErrors else { return outcome }
    perform(script, &outcome)
    if let golden = test.golden {
      compare(outcome.outputs.flatMap(\.self), with: golden, &outcome)
    } else {
      compareBlocks(of: script, &outcome)
    }
    return outcome
  }

  private func perform(_ script: ParsedScript, _ outcome: inout GoldenOutcome) {
    var lines: [String] = []
    let interpreter = Interpreter(environment: environment, evaluation: evaluation) { event in
      lines += EventFormatter.text.lines(for: event).map(Self.written)
    }
    for (index, group) in script.groups.enumerated() {
      if let line = outcome.test.line, group.lines.lowerBound > line { return }
      lines = []
      do {
        for statement in script.statements[group.statements] {
          try interpreter.run(statement, in: script.source)
        }
      } catch {
        outcome.uncaught = DiagnosticRenderer().render(error.diagnostic, in: error.source)
        outcome.outputs.append(lines)
        outcome.unreached = script.groups[(index + 1)...].map(\.lines.lowerBound)
          .filter { $0 <= outcome.test.line ?? .max }
        return
      }
      outcome.outputs.append(lines)
    }
  }

  /// An output line as a file gives it back, where a carriage return at the
  /// end belongs to the line end.
  private static func written(_ line: String) -> String {
    line.hasSuffix("\r") ? String(line.dropLast()) : line
  }

  private func compareBlocks(of script: ParsedScript, _ outcome: inout GoldenOutcome) {
    for (group, output) in zip(script.groups, outcome.outputs) {
      if let line = outcome.test.line, !group.lines.contains(line) { continue }
      outcome.blocks += 1
      let expected = group.expected.map(\.text)
      guard !expected.hasSameScalars(as: output) else { continue }
      outcome.mismatches.append(
        Mismatch(
          kind: .block(lines: group.lines), line: group.lines.lowerBound, expected: expected,
          actual: output))
    }
    guard outcome.test.line == nil else { return }
    for stray in script.strayExpectations {
      outcome.mismatches.append(
        Mismatch(kind: .stray, line: stray.line, expected: [stray.text], actual: []))
    }
  }

  private func compare(
    _ actual: [String], with golden: String, _ outcome: inout GoldenOutcome
  ) {
    outcome.blocks += 1
    var expected = golden.linesOfText
    if expected.last == "" { expected.removeLast() }
    guard !expected.hasSameScalars(as: actual) else { return }
    let line = zip(expected, actual).prefix { $0.hasSameScalars(as: $1) }.count + 1
    outcome.mismatches.append(
      Mismatch(kind: .file, line: line, expected: expected, actual: actual))
  }
}
