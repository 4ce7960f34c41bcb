import GoldenTesting
import ScriptSyntax

/// Prints the results of tests on standard output.
struct TestReporter {
  enum Form {
    case text(OutcomeText)
    case json
    /// Nothing is printed.
    case silent
  }

  let output: Output
  let form: Form
  /// Whether each test is printed when it ends, for a person or a tool.
  ///
  /// Otherwise tests are printed in their order, so that the output can be compared.
  let isLive: Bool
  /// Whether nothing is written.
  var isDryRun = false

  func report(_ outcome: GoldenOutcome) {
    switch form {
    case .text(let text):
      for line in text.lines(of: outcome) {
        output.write(painted: line, isColored: text.usesColor)
      }
    case .json:
      for line in JSONReport().lines(of: outcome) { output.write(line) }
    case .silent: break
    }
    if isLive { output.flush() }
  }

  /// Reports a test that was stopped, or that still runs because it does not stop.
  func report(unfinished path: String, after duration: Duration, isRunning: Bool) {
    switch form {
    case .text:
      output.write(
        "\(path): \(isRunning ? "did not stop" : "stopped") after \(duration.tenths) s")
    case .json:
      output.write(
        JSONReport().line(onUnfinished: path, after: duration, isRunning: isRunning))
    case .silent: break
    }
  }

  /// Reports a golden file without a script.
  func report(strayGolden path: String) {
    switch form {
    case .text: output.write("\(path): a golden file beside no script")
    case .json: output.write(JSONReport().line(onStrayGolden: path))
    case .silent: break
    }
  }

  func report(updated path: String) {
    switch form {
    case .text: output.write(isDryRun ? "would update \(path)" : "updated \(path)")
    case .json: output.write(JSONReport().line(onUpdated: path, isDryRun: isDryRun))
    case .silent: break
    }
  }

  /// Reports the tests that took longest.
  func report(slowest outcomes: [GoldenOutcome]) {
    guard case .text = form, !outcomes.isEmpty else { return }
    output.write("slowest:")
    let width = outcomes.map(\.duration.milliseconds.count).max() ?? 0
    for outcome in outcomes {
      let seconds = outcome.duration.milliseconds
      let blanks = String(repeating: " ", count: width - seconds.count)
      output.write("  \(blanks)\(seconds) s  \(outcome.source.name)")
    }
  }

  /// Reports the sums at the end.
  func report(_ report: SuiteReport) {
    switch form {
    case .text:
      if report.sums.isInterrupted { output.write("interrupted") }
      if report.sums.updated > 0 { output.write(report.updates.words) }
      output.write(report.sums.words)
    case .json: output.write(JSONReport().line(on: report.sums))
    case .silent: break
    }
  }
}

extension Duration {
  /// The number of seconds with one decimal.
  var tenths: String {
    let (seconds, rest) = components
    return "\(seconds).\(rest / 100_000_000_000_000_000)"
  }
}
