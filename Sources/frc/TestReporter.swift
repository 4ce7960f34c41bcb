import GoldenTesting
import ScriptSyntax

/// Tells on standard output how tests went, each as it ends.
struct TestReporter {
  enum Form {
    case text(OutcomeText)
    case json
  }

  let output: Output
  let form: Form

  func report(_ outcome: GoldenOutcome) {
    let lines =
      switch form {
      case .text(let text): text.lines(of: outcome)
      case .json: JSONReport().lines(of: outcome)
      }
    for line in lines { output.write(line) }
  }

  /// A golden file that stands beside no script.
  func report(strayGolden path: String) {
    switch form {
    case .text: output.write("\(path): a golden file beside no script")
    case .json: output.write(JSONReport().line(onStrayGolden: path))
    }
  }

  func report(updated path: String) {
    switch form {
    case .text: output.write("updated \(path)")
    case .json: output.write(JSONReport().line(onUpdated: path))
    }
  }

  /// The tests that took longest.
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

  /// The sums, at the end.
  func report(_ sums: TestSums) {
    switch form {
    case .text:
      if sums.isInterrupted { output.write("interrupted") }
      if sums.updated > 0 { output.write("\(sums.updated) updated") }
      output.write(sums.words)
    case .json: output.write(JSONReport().line(on: sums))
    }
  }
}
