import Basics
import GoldenTesting
import ScriptSyntax

/// A report in the Test Anything Protocol, version 14.
///
/// It has a line for each script, and under a failed one a YAML block with the message for people.
struct TAPReport {

  func text(of report: SuiteReport) -> String {
    var count = report.outcomes.count + report.strayGoldens.count
    let unread = report.unread.map { file -> [String] in
      count += 1
      let name = "\(count) - \(file.path.escaped)"
      let words = "not read: \(file.reason)"
      return file.isError
        ? ["not ok \(name)"] + yaml([("message", [words])]) : ["ok \(name) # SKIP \(words)"]
    }
    var lines = ["TAP version 14", "1..\(count)"]
    for (index, outcome) in report.outcomes.enumerated() {
      lines += self.lines(of: outcome, number: index + 1)
    }
    for (index, path) in report.strayGoldens.enumerated() {
      lines.append("not ok \(report.outcomes.count + index + 1) - \(path.escaped)")
      lines += yaml([("message", [SuiteReport.strayGoldenWords])])
    }
    lines += unread.flatMap(\.self)
    if report.sums.isInterrupted { lines.append("Bail out! interrupted") }
    return lines.map { ShownText.line($0) + "\n" }.joined()
  }

  private func lines(of outcome: GoldenOutcome, number: Int) -> [String] {
    let name = "\(number) - \(outcome.source.name.escaped)"
    switch outcome.verdict {
    case .passed: return ["ok \(name)"] + yaml(fields(ofPassed: outcome))
    case .skipped(let reason): return ["ok \(name) # SKIP \(reason)"]
    case .expectedFailure(let reason): return ["not ok \(name) # TODO \(reason)"]
    case .failed:
      return ["not ok \(name)"]
        + yaml([
          ("seconds", [outcome.duration.microseconds]),
          (
            "message", outcome.failures.flatMap { OutcomeText.ofReports.lines(of: $0, in: outcome) }
          ),
        ])
    }
  }

  private typealias Field = (name: String, lines: [String])

  private func fields(ofPassed outcome: GoldenOutcome) -> [Field] {
    var fields: [Field] = [("seconds", [outcome.duration.microseconds])]
    if outcome.isFlaky { fields += [("flaky", ["true"]), ("tries", ["\(outcome.tries)"])] }
    let notes = OutcomeText.ofReports.lines(of: outcome)
    if !notes.isEmpty { fields.append(("message", notes)) }
    return fields
  }

  /// Returns a YAML block; messages are literal blocks.
  private func yaml(_ fields: [Field]) -> [String] {
    ["  ---"]
      + fields.flatMap { name, lines in
        if name != "message" { return ["  \(name): \(lines.joined())"] }
        // The indentation is given explicitly, because a message may begin with blanks.
        return ["  \(name): |2"] + lines.flatMap { $0.split(separator: "\n") }.map { "    \($0)" }
      } + ["  ..."]
  }
}

extension String {
  /// The text escaped for a description, where `#` begins a directive.
  fileprivate var escaped: String {
    replacing("\n", with: " ").escapingControls()
      .replacing("\\", with: "\\\\").replacing("#", with: "\\#")
  }
}
