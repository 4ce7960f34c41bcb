import GoldenTesting
import ScriptRuntime
import ScriptSyntax

/// Tells tools how tests went: one JSON object a line.
struct JSONReporter: TestReporter {
  let output: Output

  private func write(_ event: String, _ fields: [(String, JSON)]) {
    output.write(JSON.object([("event", .string(event))] + fields).description)
  }

  func report(_ outcome: GoldenOutcome) {
    let source = outcome.source
    for warning in outcome.warnings {
      write(
        "warning",
        place(source.name, source.position(of: warning.range.lowerBound)) + [
          ("message", .string(warning.message))
        ])
    }
    switch outcome.verdict {
    case .passed: break
    case .failed: for failure in outcome.failures { report(failure, in: source) }
    case .skipped(let reason):
      let line = outcome.prepared.directives.skip?.line ?? 1
      write("skipped", place(source.name, line) + [("reason", .string(reason))])
    case .expectedFailure(let reason):
      let line = outcome.prepared.directives.xfail?.line ?? 1
      write("expectedFailure", place(source.name, line) + [("reason", .string(reason))])
    }
  }

  private func report(_ failure: GoldenFailure, in source: SourceText) {
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
    default:
      fields += place(failure.file, failure.lines.lowerBound)
      if failure.lines.count > 1 { fields.append(("endLine", number(failure.lines.upperBound))) }
    }
    if let store = failure.store { fields.append(("store", .string(store.rawValue))) }
    fields.append(("message", .string(failure.description)))
    switch failure.kind {
    case .output(let mismatch), .unstable(let mismatch):
      fields += [("expected", text(mismatch.expected)), ("actual", text(mismatch.actual))]
    case .strayExpectation(let line): fields += [("expected", text([line])), ("actual", text([]))]
    default: break
    }
    write("failure", fields)
  }

  func report(strayGolden path: String) {
    write(
      "failure",
      [("kind", .string("strayGolden"))] + place(path, 1) + [
        ("message", .string("a golden file beside no script"))
      ])
  }

  func report(updated path: String) { write("updated", [("file", .string(path))]) }

  func report(_ sums: TestSums) {
    write(
      "summary",
      [
        ("passed", number(sums.passed)), ("failed", number(sums.failed)),
        ("skipped", number(sums.skipped)), ("expectedFailures", number(sums.expectedFailures)),
        ("updated", number(sums.updated)),
      ])
  }

  private func place(_ file: String, _ line: Int) -> [(String, JSON)] {
    [("file", .string(file)), ("line", number(line))]
  }

  private func place(_ file: String, _ position: SourcePosition) -> [(String, JSON)] {
    place(file, position.line) + [("column", number(position.column))]
  }

  private func number(_ value: Int) -> JSON { .number("\(value)") }

  /// Lines as text, each with its line end.
  private func text(_ lines: [String]) -> JSON { .string(lines.map { $0 + "\n" }.joined()) }
}
