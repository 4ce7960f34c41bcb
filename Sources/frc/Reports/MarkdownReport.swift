import Basics
import GoldenTesting
import ScriptSyntax

/// A report in Markdown: the sums, each failure with its difference, and what was skipped or failed
/// as expected.
struct MarkdownReport {
  /// The largest number of bytes.
  ///
  /// Entries that do not fit are only counted.
  private let mostBytes: Int

  init(mostBytes: Int = .max) { self.mostBytes = mostBytes }

  func text(of report: SuiteReport) -> String {
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
        let place = failure.place.asCode
        let lines = OutcomeText.ofReports.lines(of: failure, in: outcome)
        return "\n### \(place): \(failure.description.asMarkdown)\n\n" + fenced(lines)
      }
    }
      + report.strayGoldens.map { "\n### \($0.asCode): \(SuiteReport.strayGoldenWords)\n" }
  }

  /// Returns lines in a code block whose fence is longer than any fence in them.
  private func fenced(_ lines: [String]) -> String {
    let text = ShownText.lines(lines.joined(separator: "\n"))
    var fence = "```"
    while text.contains(fence) { fence += "`" }
    return "\(fence)\n\(text)\n\(fence)\n"
  }

  private func excused(_ report: SuiteReport) -> String {
    let outcomes = report.outcomes.flatMap { outcome -> [String] in
      let place = "\(outcome.source.name):\(outcome.line)".asCodeInTable
      let blocks =
        outcome.notes.map { note in
          let verb =
            switch note.kind {
            case .skipped: "skipped"
            case .expectedFailure: "failed as expected"
            }
          let store = note.store.map { " (store \($0))" } ?? ""
          let place = "\(outcome.source.name):\(note.lines.lowerBound)".asCodeInTable
          return "| \(place) | \(verb) | "
            + note.reason.asMarkdown + store + " |"
        } + (outcome.isFlaky ? [flaky(outcome)] : [])
      switch outcome.verdict {
      case .passed, .failed: return blocks
      case .skipped(let reason): return ["| \(place) | skipped | \(reason.asMarkdown) |"]
      case .expectedFailure(let reason):
        return ["| \(place) | failed as expected | \(reason.asMarkdown) |"]
      }
    }
    let unread = report.unread.map {
      "| \($0.path.asCodeInTable) | not read | \($0.reason.asMarkdown) |"
    }
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
    let place = failure?.place ?? outcome.source.name
    return "| \(place.asCodeInTable) | flaky | \(outcome.flakyWords)\(before) |"
  }
}

extension String {
  /// The text on one line as a code span, in whose fence are more backticks than it has in a row.
  fileprivate var asCode: String {
    let line = String(map { $0.isNewline ? " " : $0 }).escapingControls()
    guard line.contains("`") else { return "`\(line)`" }
    var fence = "``"
    while line.contains(fence) { fence += "`" }
    return "\(fence) \(line) \(fence)"
  }

  /// As ``asCode``, in a cell of a table: there even code has no `|` without a backslash.
  fileprivate var asCodeInTable: String { asCode.replacing("|", with: "\\|") }

  /// The text on one line, escaped for Markdown.
  fileprivate var asMarkdown: String {
    var result = ""
    for character in self {
      switch character {
      case "\n", "\r\n": result += " "
      case "|", "*", "_", "`", "[", "]", "<", ">", "\\", "#": result += "\\" + String(character)
      default: result += String(character).escapingControls()
      }
    }
    return result
  }
}
