import ScriptSyntax

/// A report for GitHub Actions: annotations as workflow commands, and a summary
/// of the step.
package struct GitHubReport {
  /// How many annotations of one kind GitHub shows of a step.
  private static let mostAnnotations = 10
  /// How many bytes the summary of a step may have.
  package static let mostSummaryBytes = 1 << 20
  /// How many bytes of a message are shown; GitHub cuts what is much longer.
  private static let mostMessageBytes = 4096

  package init() {}

  /// The annotations, a line each: failures first, then warnings, at most ten of
  /// each, of which the last counts those that are left out.
  package func annotations(of report: SuiteReport) -> [String] {
    limited(errors(report), "error", "failures; the summary of the step has them")
      + limited(warnings(report), "warning", "warnings; the log of the step has them")
  }

  /// The summary, in Markdown.
  package func summary(of report: SuiteReport) -> String {
    MarkdownReport(mostBytes: Self.mostSummaryBytes).text(of: report)
  }

  private func limited(_ lines: [String], _ kind: String, _ rest: String) -> [String] {
    guard lines.count > Self.mostAnnotations else { return lines }
    let shown = lines.prefix(Self.mostAnnotations - 1)
    return shown + [command(kind, [], "\(lines.count - shown.count) more \(rest)")]
  }

  private func errors(_ report: SuiteReport) -> [String] {
    report.outcomes.filter { $0.verdict == .failed }.flatMap { outcome in
      outcome.failures.map { failure in
        var place = [("file", failure.file), ("line", "\(failure.lines.lowerBound)")]
        if failure.lines.count > 1 { place.append(("endLine", "\(failure.lines.upperBound)")) }
        place.append(("title", failure.description))
        let lines = OutcomeText().lines(of: failure, in: outcome)
        return command("error", place, lines.joined(separator: "\n"))
      }
    }
      + report.strayGoldens.map { path in
        command(
          "error", [("file", path), ("line", "1"), ("title", "a golden file beside no script")],
          "\(path): a golden file beside no script")
      }
  }

  private func warnings(_ report: SuiteReport) -> [String] {
    report.outcomes.flatMap { outcome in
      outcome.warnings.map { warning in
        let position = outcome.source.position(of: warning.range.lowerBound)
        return command(
          "warning",
          [
            ("file", outcome.source.name), ("line", "\(position.line)"),
            ("col", "\(position.column)"),
          ], warning.message)
      }
    }
  }

  private func command(
    _ kind: String, _ properties: [(String, String)], _ message: String
  ) -> String {
    let named = properties.map { "\($0)=\($1.escapedProperty)" }.joined(separator: ",")
    let text = message.cut(toBytes: Self.mostMessageBytes)
    return "::\(kind)" + (named.isEmpty ? "" : " \(named)") + "::\(text.escapedMessage)"
  }
}

extension String {
  fileprivate func cut(toBytes count: Int) -> String {
    guard utf8.count > count else { return self }
    var result = ""
    var bytes = 0
    for character in self {
      bytes += character.utf8.count
      if bytes > count { break }
      result.append(character)
    }
    return result + "…"
  }

  /// The text as a workflow command's message has it.
  fileprivate var escapedMessage: String {
    var result = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "%": result += "%25"
      case "\r": result += "%0D"
      case "\n": result += "%0A"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// The text as a property of a workflow command has it.
  fileprivate var escapedProperty: String {
    var result = ""
    for scalar in escapedMessage.unicodeScalars {
      switch scalar {
      case ":": result += "%3A"
      case ",": result += "%2C"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
