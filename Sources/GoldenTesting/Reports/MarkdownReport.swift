import ScriptSyntax

/// A report in Markdown: the sums, each failure with its difference, and what was skipped or failed
/// as expected.
package struct MarkdownReport {
  /// The largest number of bytes.
  ///
  /// Entries that do not fit are only counted.
  private let mostBytes: Int

  package init(mostBytes: Int = .max) { self.mostBytes = mostBytes }

  package func text(of report: SuiteReport) -> String {
    var text = "## frc test: \(report.sums.words)\n"
    if report.sums.isInterrupted { text += "\nThe run was interrupted.\n" }
    let tail = excused(report)
    let failures = failures(report)
    var left = failures.count
    // This leaves room for the line that counts the omitted entries.
    let room = mostBytes - 200 - tail.utf8.count
    for failure in failures {
      guard text.utf8.count + failure.utf8.count <= room else { break }
      text += failure
      left -= 1
    }
    if left > 0 {
      text += "\n\(left) more \(left == 1 ? "failure is" : "failures are") not shown.\n"
    }
    return text.utf8.count + tail.utf8.count <= mostBytes ? text + tail : text
  }

  private func failures(_ report: SuiteReport) -> [String] {
    report.outcomes.filter { $0.verdict == .failed }.flatMap { outcome in
      outcome.failures.map { failure in
        let place = "\(failure.file):\(failure.lines.lowerBound)"
        let lines = OutcomeText.ofReports.lines(of: failure, in: outcome)
        return "\n### `\(place)`: \(failure.description.asMarkdown)\n\n" + fenced(lines)
      }
    }
      + report.strayGoldens.map { "\n### `\($0)`: \(SuiteReport.strayGoldenWords)\n" }
  }

  /// Returns lines in a code block whose fence is longer than any fence in them.
  private func fenced(_ lines: [String]) -> String {
    let text = lines.joined(separator: "\n")
    var fence = "```"
    while text.contains(fence) { fence += "`" }
    return "\(fence)\n\(text)\n\(fence)\n"
  }

  private func excused(_ report: SuiteReport) -> String {
    let outcomes = report.outcomes.flatMap { outcome -> [String] in
      let place = "`\(outcome.source.name):\(outcome.line)`"
      let blocks =
        outcome.notes.map { note in
          let verb =
            switch note.kind {
            case .skipped: "skipped"
            case .expectedFailure: "failed as expected"
            }
          let store = note.store.map { " (store \($0))" } ?? ""
          return "| `\(outcome.source.name):\(note.lines.lowerBound)` | \(verb) | "
            + note.reason.asMarkdown + store + " |"
        } + (outcome.isFlaky ? [flaky(outcome)] : [])
      switch outcome.verdict {
      case .passed, .failed: return blocks
      case .skipped(let reason): return ["| \(place) | skipped | \(reason.asMarkdown) |"]
      case .expectedFailure(let reason):
        return ["| \(place) | failed as expected | \(reason.asMarkdown) |"]
      }
    }
    let unread = report.unread.map { "| `\($0.path)` | not read | \($0.reason.asMarkdown) |" }
    let rows = outcomes + unread
    guard !rows.isEmpty else { return "" }
    return "\n| Script | | Reason |\n| --- | --- | --- |\n" + rows.map { $0 + "\n" }.joined()
  }
}

extension MarkdownReport {
  /// Returns the table row about a test that passed after it had failed.
  private func flaky(_ outcome: GoldenOutcome) -> String {
    let failure = outcome.failedTries.first?.failures.first
    let before = failure.map { "; before: \($0.description.asMarkdown)" } ?? ""
    let place = failure.map { "\($0.file):\($0.lines.lowerBound)" } ?? outcome.source.name
    return "| `\(place)` | flaky | \(outcome.flakyWords)\(before) |"
  }
}

extension String {
  /// The text on one line, escaped for Markdown.
  fileprivate var asMarkdown: String {
    var result = ""
    for character in self {
      switch character {
      case "\n", "\r\n": result += " "
      case "|", "*", "_", "`", "[", "]", "<", ">", "\\", "#": result += "\\" + String(character)
      default: result.append(character)
      }
    }
    return result
  }
}

/// A report in the Test Anything Protocol, version 14.
///
/// It has a line for each script, and under a failed one a YAML block with the message for people.
package struct TAPReport {
  package init() {}

  package func text(of report: SuiteReport) -> String {
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
    return lines.map { $0 + "\n" }.joined()
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
    replacing("\\", with: "\\\\").replacing("#", with: "\\#").replacing("\n", with: " ")
  }
}
