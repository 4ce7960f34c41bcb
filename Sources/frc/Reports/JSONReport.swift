import GoldenTesting
import ScriptRuntime
import ScriptSyntax

/// A report for tools: one JSON object per line.
struct JSONReport {

  private func line(_ event: String, _ fields: [(String, JSON)]) -> String {
    JSON.object([("event", .string(event))] + fields).description
  }

  /// Returns the lines about an outcome; none if the test passed without a warning.
  func lines(of outcome: GoldenOutcome) -> [String] {
    let lines = self.lines(onVerdictOf: outcome)
    guard outcome.isFlaky else { return lines }
    return lines + [
      line(
        "flaky", [("file", .string(outcome.source.name)), ("tries", number(outcome.tries))])
    ]
  }

  private func lines(onVerdictOf outcome: GoldenOutcome) -> [String] {
    let source = outcome.source
    let warnings =
      outcome.warnings.map { warning in
        line(
          "warning",
          place(source.name, source.position(of: warning.range.lowerBound)) + [
            ("message", .string(warning.message))
          ])
      } + outcome.notes.map { line(on: $0, in: source) }
    switch outcome.verdict {
    case .passed: return warnings
    case .failed: return warnings + outcome.failures.map { line(on: $0, in: source) }
    case .skipped(let reason):
      let fields = place(source.name, outcome.line) + [("reason", .string(reason))]
      return warnings + [line("skipped", fields)]
    case .expectedFailure(let reason):
      let fields = place(source.name, outcome.line) + [("reason", .string(reason))]
      return warnings + [line("expectedFailure", fields)]
    }
  }

  /// Returns the line about a block that was skipped or failed as expected.
  private func line(on note: BlockNote, in source: SourceText) -> String {
    let event =
      switch note.kind {
      case .skipped: "skipped"
      case .expectedFailure: "expectedFailure"
      }
    var fields = place(source.name, note.lines.lowerBound)
    fields.append(("endLine", number(note.lines.upperBound)))
    if let store = note.store { fields.append(("store", .string(store.rawValue))) }
    return line(event, fields + [("block", .boolean(true)), ("reason", .string(note.reason))])
  }

  private func line(on failure: GoldenFailure, in source: SourceText) -> String {
    var fields: [(String, JSON)] = [("kind", .string(failure.code))]
    switch failure.kind {
    case .diagnostic(let diagnostic):
      fields += place(source.name, source.position(of: diagnostic.range.lowerBound))
    case .uncaught(let error):
      let position = error.source.position(of: error.diagnostic.range.lowerBound)
      fields += place(error.source.name, position)
      if error.source.name != source.name {
        fields += [
          ("script", .string(source.name)), ("scriptLine", number(failure.lines.lowerBound)),
        ]
      }
    case .output, .strayExpectation, .replay, .timedOut, .exceeded, .crashed, .unreached, .unstable,
      .conflictMarker,
      .empty, .missingGolden, .unexpectedPass, .update:
      fields += place(failure.file, failure.lines.lowerBound)
      if failure.lines.count > 1 { fields.append(("endLine", number(failure.lines.upperBound))) }
    }
    if let store = failure.store { fields.append(("store", .string(store.rawValue))) }
    fields.append(("message", .string(failure.description)))
    switch failure.kind {
    case .output(let mismatch), .unstable(let mismatch):
      fields += [("expected", text(mismatch.expected)), ("actual", text(mismatch.actual))]
      if let reasons = failure.reasons { fields.append(("reasons", text(reasons))) }
    case .strayExpectation(let line): fields += [("expected", text([line])), ("actual", text([]))]
    case .replay, .uncaught, .timedOut, .exceeded, .crashed, .unreached, .diagnostic,
      .conflictMarker, .empty, .missingGolden,
      .unexpectedPass, .update:
      break
    }
    return line("failure", fields)
  }

  /// Returns the line about a golden file without a script.
  func line(onStrayGolden path: String) -> String {
    line(
      "failure",
      [("kind", .string("strayGolden"))] + place(path, 1) + [
        ("message", .string(SuiteReport.strayGoldenWords))
      ])
  }

  /// Returns the line about a file that looks like a test and was not read.
  func line(onUnread file: UnreadFile) -> String {
    line(
      "notRead",
      [("file", .string(file.path))] + (file.isError ? [("error", .boolean(true))] : [])
        + [("reason", .string(file.reason))])
  }

  /// Returns the line about a test that was stopped, or that still runs because it does not stop.
  func line(onUnfinished path: String, after duration: Duration, isRunning: Bool) -> String {
    line(
      isRunning ? "running" : "stopped",
      [("file", .string(path)), ("seconds", .number(duration.microseconds))])
  }

  /// Returns the line about a file that an update wrote, or would write.
  func line(onUpdated path: String, isDryRun: Bool = false) -> String {
    line(isDryRun ? "wouldUpdate" : "updated", [("file", .string(path))])
  }

  /// Returns the last line of a report.
  func line(on sums: TestSums) -> String {
    var fields = [
      ("passed", number(sums.passed)), ("failed", number(sums.failed)),
      ("skipped", number(sums.skipped)), ("expectedFailures", number(sums.expectedFailures)),
      ("updated", number(sums.updated)),
    ]
    if sums.expectedFailureBlocks > 0 {
      fields.append(("expectedFailureBlocks", number(sums.expectedFailureBlocks)))
    }
    if sums.skippedBlocks > 0 { fields.append(("skippedBlocks", number(sums.skippedBlocks))) }
    if sums.assertingNothing > 0 {
      fields.append(("assertingNothing", number(sums.assertingNothing)))
    }
    if sums.unread > 0 { fields.append(("notRead", number(sums.unread))) }
    if sums.notRun > 0 { fields.append(("notRun", number(sums.notRun))) }
    if sums.isInterrupted { fields.append(("interrupted", .boolean(true))) }
    return line("summary", fields)
  }

  /// Returns the line about a test that ended, with its verdict and its duration.
  func line(onTest outcome: GoldenOutcome) -> String {
    var fields: [(String, JSON)] = [
      ("file", .string(outcome.source.name)), ("verdict", .string(outcome.verdict.word)),
      ("seconds", .number(outcome.duration.microseconds)),
    ]
    if outcome.assertsNothing { fields.append(("assertsNothing", .boolean(true))) }
    if outcome.tries > 1 { fields.append(("tries", number(outcome.tries))) }
    if outcome.isFlaky { fields.append(("flaky", .boolean(true))) }
    return line("test", fields)
  }

  private func place(_ file: String, _ line: Int) -> [(String, JSON)] {
    [("file", .string(file)), ("line", number(line))]
  }

  private func place(_ file: String, _ position: SourcePosition) -> [(String, JSON)] {
    place(file, position.line) + [("column", number(position.column))]
  }

  private func number(_ value: Int) -> JSON { .number("\(value)") }

  /// Returns lines as one text, each with its line end.
  private func text(_ lines: [String]) -> JSON { .string(lines.map { $0 + "\n" }.joined()) }
}
