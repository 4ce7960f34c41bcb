import GoldenTesting
import ScriptSyntax

/// A report for GitHub Actions: annotations as workflow commands, and the summary of a step.
struct GitHubReport {
  /// The number of annotations of one kind that GitHub shows for a step.
  private static let mostAnnotations = 10
  /// The largest size of a step's summary, in bytes.
  static let mostSummaryBytes = 1 << 20
  /// The largest size of a message, in bytes.
  ///
  /// GitHub cuts messages that are much longer.
  private static let mostMessageBytes = 4096

  private let paths: WorkspacePaths

  /// - Parameter paths: Converts the paths of scripts to those in the workspace, which annotations
  ///   need.
  init(paths: WorkspacePaths = WorkspacePaths()) { self.paths = paths }

  /// Returns the annotations, one per line: failures first, then warnings.
  ///
  /// There are at most ten of each, and the last one counts those that are left out. Each file gets
  /// its first annotation before any gets a second one.
  func annotations(of report: SuiteReport) -> [String] {
    limited(errors(report), "error", "failures; the summary of the step has them")
      + limited(warnings(report), "warning", "warnings; the log of the step has them")
  }

  /// An annotation that may be shown.
  private struct Annotation {
    let file: String
    let line: () -> String
  }

  /// Returns the summary, in Markdown.
  func summary(of report: SuiteReport) -> String {
    MarkdownReport(mostBytes: Self.mostSummaryBytes).text(of: report)
  }

  private func limited(_ all: [Annotation], _ kind: String, _ rest: String) -> [String] {
    guard all.count > Self.mostAnnotations else { return all.map { $0.line() } }
    var rounds: [String: Int] = [:]
    let numbered = all.enumerated().map { index, annotation in
      rounds[annotation.file, default: 0] += 1
      return (rounds[annotation.file] ?? 0, index)
    }
    let shown = numbered.sorted(by: <).prefix(Self.mostAnnotations - 1)
    return shown.map { all[$0.1].line() }
      + [command(kind, [], "\(all.count - shown.count) more \(rest)")]
  }

  /// A cause of failures, which may affect several tests.
  private struct Cause: Hashable {
    let file: String
    let line: Int
    let endLine: Int
    let title: String
  }

  private func errors(_ report: SuiteReport) -> [Annotation] {
    var causes: [(cause: Cause, message: () -> String, scripts: [String])] = []
    var places: [Cause: Int] = [:]
    for outcome in report.outcomes where outcome.verdict == .failed {
      for failure in outcome.causes {
        let cause = cause(of: failure, in: outcome)
        if let place = places[cause] {
          if causes[place].scripts.last != outcome.source.name {
            causes[place].scripts.append(outcome.source.name)
          }
          continue
        }
        places[cause] = causes.count
        let message = { OutcomeText().lines(of: failure, in: outcome).joined(separator: "\n") }
        causes.append((cause, message, [outcome.source.name]))
      }
    }
    return causes.map { cause, message, scripts in
      var place = [("file", paths.path(of: cause.file)), ("line", "\(cause.line)")]
      if cause.endLine > cause.line { place.append(("endLine", "\(cause.endLine)")) }
      place.append(("title", cause.title))
      let rest = scripts.count - 1
      let others = rest > 0 ? "\nIt breaks \(rest) more \(rest == 1 ? "script" : "scripts")." : ""
      return Annotation(file: cause.file) { command("error", place, message() + others) }
    }
      + report.strayGoldens.map { path in
        let place = [
          ("file", paths.path(of: path)), ("line", "1"), ("title", SuiteReport.strayGoldenWords),
        ]
        return Annotation(file: path) {
          command("error", place, "\(path): \(SuiteReport.strayGoldenWords)")
        }
      }
  }

  /// Returns where a failure has to be fixed.
  ///
  /// For an error in an included file, this is in that file.
  private func cause(of failure: GoldenFailure, in outcome: GoldenOutcome) -> Cause {
    if case .uncaught(let error) = failure.kind, error.source.name != outcome.source.name {
      let line = error.source.line(of: error.diagnostic.range.lowerBound)
      return Cause(
        file: error.source.name, line: line, endLine: line, title: failure.wordsWithoutStore)
    }
    return Cause(
      file: failure.file, line: failure.lines.lowerBound, endLine: failure.lines.upperBound,
      title: failure.wordsWithoutStore)
  }

  private func warnings(_ report: SuiteReport) -> [Annotation] {
    report.outcomes.flatMap { outcome in
      outcome.warnings.map { warning in
        let position = outcome.source.position(of: warning.range.lowerBound)
        let place = [
          ("file", paths.path(of: outcome.source.name)), ("line", "\(position.line)"),
          ("col", "\(position.column)"),
        ]
        return Annotation(file: outcome.source.name) {
          command("warning", place, warning.message)
        }
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

extension GoldenFailure {
  fileprivate var wordsWithoutStore: String {
    var failure = self
    failure.store = nil
    return failure.description
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

  /// The text escaped for the message of a workflow command.
  fileprivate var escapedMessage: String {
    replacing(["%": "%25", "\r": "%0D", "\n": "%0A"])
  }

  /// The text escaped for a property of a workflow command.
  fileprivate var escapedProperty: String {
    escapedMessage.replacing([":": "%3A", ",": "%2C"])
  }

  /// Returns the text with codes in place of some scalars.
  func replacing(_ codes: [Unicode.Scalar: String]) -> String {
    unicodeScalars.map { codes[$0] ?? String($0) }.joined()
  }
}
