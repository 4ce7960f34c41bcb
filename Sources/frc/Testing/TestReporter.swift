import Basics
import GoldenTesting
import ScriptRuntime
import ScriptSyntax

/// Prints the results of tests on standard output.
///
/// A ``RunLog`` decides what is shown to people.
final class TestReporter {
  enum Form {
    case text(RunLog)
    case json
    /// Nothing is printed.
    case silent
  }

  private let output: Output
  private var form: Form
  /// Whether each test is printed when it ends, for a person or a tool.
  ///
  /// Otherwise tests are printed in their order, so that the output can be compared.
  let isLive: Bool
  /// Whether nothing is written.
  private let isDryRun: Bool

  init(output: Output, form: Form, isLive: Bool, isDryRun: Bool = false) {
    self.output = output
    self.form = form
    self.isLive = isLive
    self.isDryRun = isDryRun
  }

  func report(_ outcome: GoldenOutcome) {
    switch form {
    case .text(var log):
      write(log.lines(of: outcome), of: log)
      form = .text(log)
    case .json:
      for line in JSONReport().lines(of: outcome) { output.write(line) }
    case .silent: break
    }
    if isLive { output.flush() }
  }

  private func write(_ lines: [String], of log: RunLog) {
    for line in lines { output.write(painted: line, isColored: log.usesColor) }
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

  func report(updated path: String) {
    switch form {
    case .text(let log):
      if log.detail == .ending { break }
      output.write(isDryRun ? "would update \(path)" : "updated \(path)")
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
      let seconds = outcome.duration.milliseconds.rightAligned(toColumns: width)
      output.write("  \(seconds) s  \(outcome.source.name)")
    }
  }

  /// Reports the end of a run: what failed or was left out, and the sums.
  ///
  /// - Parameter reports: The files with the whole text.
  func end(_ report: SuiteReport, reports: [String]) {
    switch form {
    case .text(let log):
      write(log.ending(of: report, reports: reports), of: log)
      if report.sums.isInterrupted { output.write("interrupted") }
      if report.sums.updated > 0 { output.write(report.updates.words) }
      output.write(report.sums.words)
    case .json:
      let json = JSONReport()
      for path in report.strayGoldens { output.write(json.line(onStrayGolden: path)) }
      for file in report.unread { output.write(json.line(onUnread: file)) }
      output.write(json.line(on: report.sums))
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

/// Lists tests without running any.
struct TestListing {
  enum Form: String {
    case text
    case json
  }

  let form: Form
  let history: LastRunFile
  /// The stores of a test that names none.
  let stores: [TestStore]
  let permissions: Permissions

  /// Returns the lines about some tests, one for each.
  func lines(on tests: [PreparedTest]) -> [String] {
    switch form {
    case .text: return tests.map(\.test.source.name)
    case .json:
      let run = history.read() ?? LastRun()
      let reached = ReachedFiles(permissions)
      return tests.map { test in
        line(
          on: test, reached.reach(of: test),
          seconds: run.seconds(of: history.key(test.test.source.name)))
      }
    }
  }

  private func line(
    on test: PreparedTest, _ reach: ReachedFiles.Reach, seconds: Double?
  ) -> String {
    let directives = test.directives
    let blocks = test.script.groups.map { block in
      let line = block.lines.lowerBound
      let skip = directives.skippedBlocks[line].map { [("skip", JSON.string($0.text))] } ?? []
      let xfail = directives.xfailBlocks[line].map { [("xfail", JSON.string($0.text))] } ?? []
      return JSON.object(
        [
          ("line", number(line)), ("endLine", number(block.lines.upperBound)),
          ("expected", number(block.expected.count)),
        ] + skip + xfail)
    }
    let stores = directives.namesStores ? directives.stores : stores
    var fields: [(String, JSON)] = [
      ("file", .string(test.test.source.name)), ("blocks", .array(blocks)),
      ("tags", .array(directives.tags.sorted().map(JSON.string))),
      ("stores", .array(stores.map { .string($0.rawValue) })),
      ("includes", .array(reach.includes.map(JSON.string))),
    ]
    if let golden = test.test.golden { fields.append(("golden", .string(golden.name))) }
    if let skip = directives.skip { fields.append(("skip", .string(skip.text))) }
    if let xfail = directives.xfail { fields.append(("xfail", .string(xfail.text))) }
    if directives.namesTimeout {
      fields.append(("timeout", .number(directives.timeout.milliseconds)))
    }
    if let seconds { fields.append(("seconds", .number("\(seconds)"))) }
    return JSON.object(fields).description
  }

  private func number(_ value: Int) -> JSON { .number("\(value)") }
}
