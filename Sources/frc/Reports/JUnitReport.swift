import Basics
import Foundation
import GoldenTesting
import ScriptSyntax

/// A report in JUnit's XML.
///
/// It is valid for the schemas of Jenkins (junit-10) and of Ant (by windyroad), and has a suite and
/// a test case for each script.
///
/// Neither schema allows a file for a test case, so the file is a property of the suite.
struct JUnitReport {

  func text(of report: SuiteReport) -> String {
    var lines = [#"<?xml version="1.0" encoding="UTF-8"?>"#, "<testsuites>"]
    var number = 0
    for outcome in report.outcomes {
      lines += suite(Suite(outcome), number, isInterrupted: report.sums.isInterrupted)
      number += 1
    }
    for path in report.strayGoldens {
      lines += suite(Suite(strayGolden: path), number, isInterrupted: report.sums.isInterrupted)
      number += 1
    }
    for file in report.unread {
      lines += suite(Suite(file), number, isInterrupted: report.sums.isInterrupted)
      number += 1
    }
    return (lines + ["</testsuites>"]).map { $0 + "\n" }.joined()
  }

  /// The elements for one file.
  private struct Suite {
    let path: String
    var time = Duration.zero
    var began: Date?
    /// The contents of the test case if it did not pass.
    var result: Result?
    /// Warnings, excused blocks, and failed tries.
    var output: [String] = []
    /// The number of times that a flaky test was run.
    ///
    /// Neither schema has an element for it.
    var tries: Int?

    struct Result {
      let element: String
      let type: String
      let message: String
      var text: [String] = []
    }

    init(_ outcome: GoldenOutcome) {
      path = outcome.source.name
      time = outcome.duration
      began = outcome.began
      switch outcome.verdict {
      case .passed: break
      case .failed: result = Self.failure(of: outcome)
      case .skipped(let reason):
        result = Result(element: "skipped", type: "skip", message: reason)
      case .expectedFailure(let reason):
        result = Result(
          element: "skipped", type: "xfail", message: "failed as expected: \(reason)")
      }
      let path = path
      let warnings = outcome.warnings.map {
        "\(path):\(outcome.source.line(of: $0.range.lowerBound)): warning: \($0.message)"
      }
      let notes = outcome.notes.map { "\(path):\($0.lines.lowerBound): \($0.words)" }
      output = warnings + notes + OutcomeText.ofReports.lines(ofTriesOf: outcome)
      if outcome.isFlaky { tries = outcome.tries }
    }

    init(strayGolden path: String) {
      self.path = path
      result = Result(
        element: "failure", type: "strayGolden", message: SuiteReport.strayGoldenWords)
    }

    init(_ file: UnreadFile) {
      path = file.path
      result = Result(
        element: file.isError ? "error" : "skipped", type: "notRead",
        message: "not read: \(file.reason)")
    }

    /// Returns all failures as one, because most systems show only the first of several.
    private static func failure(of outcome: GoldenOutcome) -> Result? {
      guard let first = outcome.causes.first else { return nil }
      let rest = outcome.failures.count - 1
      return Result(
        element: "failure", type: first.code,
        message: "\(first.place): \(first.description)"
          + (rest > 0 ? ", and \(rest) more" : ""),
        text: outcome.failures.flatMap { OutcomeText.ofReports.lines(of: $0, in: outcome) })
    }
  }

  private func suite(_ suite: Suite, _ number: Int, isInterrupted: Bool) -> [String] {
    let time = suite.time.microseconds
    let began = suite.began ?? Date(timeIntervalSince1970: 0)
    let head = attributes([
      ("name", suite.path), ("package", suite.path.package), ("id", "\(number)"),
      // Both schemas require a time without a zone.
      ("timestamp", String(began.formatted(.iso8601).dropLast())), ("hostname", "localhost"),
      ("tests", "1"), ("failures", suite.result?.element == "failure" ? "1" : "0"),
      ("errors", suite.result?.element == "error" ? "1" : "0"),
      ("skipped", suite.result?.element == "skipped" ? "1" : "0"),
      ("time", time),
    ])
    var lines = [
      "  <testsuite\(head)>", "    <properties>",
      "      <property" + attributes([("name", "file"), ("value", suite.path)]) + "/>",
    ]
    if let tries = suite.tries {
      lines.append(#"      <property name="flaky" value="true"/>"#)
      lines.append(
        "      <property" + attributes([("name", "tries"), ("value", "\(tries)")]) + "/>")
    }
    if isInterrupted { lines.append(#"      <property name="interrupted" value="true"/>"#) }
    lines.append("    </properties>")
    let test =
      "    <testcase"
      + attributes([
        ("name", suite.path.fileName), ("classname", suite.path.package), ("time", time),
      ])
    if let result = suite.result {
      lines += [test + ">", element(result), "    </testcase>"]
    } else {
      lines.append(test + "/>")
    }
    let output = suite.output.joined(separator: "\n").escaped
    return lines + [
      "    <system-out>\(output)</system-out>", "    <system-err></system-err>", "  </testsuite>",
    ]
  }

  private func element(_ result: Suite.Result) -> String {
    let head =
      "      <\(result.element)"
      + attributes([("type", result.type), ("message", result.message)])
    let text = result.text.joined(separator: "\n").escaped
    return text.isEmpty ? head + "/>" : head + ">" + text + "</\(result.element)>"
  }

  private func attributes(_ attributes: [(String, String)]) -> String {
    attributes.map { " \($0)=\"\($1.escaped)\"" }.joined()
  }
}

extension String {
  fileprivate var fileName: String {
    lastIndex(of: "/").map { String(self[index(after: $0)...]) } ?? self
  }

  /// The folder with dots, as systems show it that expect package names.
  fileprivate var package: String {
    let parts = split(separator: "/").dropLast().filter { $0 != "." && $0 != ".." }
    return parts.isEmpty ? "frc" : parts.joined(separator: ".")
  }

  /// The text escaped for XML.
  ///
  /// Control characters become codes, and others that XML does not allow question marks.
  fileprivate var escaped: String {
    escapingControls(except: ["\n", "\t", "\r"]).replacing([
      "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;",
      "\n": "&#10;", "\t": "&#9;", "\r": "&#13;", "\u{FFFE}": "?", "\u{FFFF}": "?",
    ])
  }
}
