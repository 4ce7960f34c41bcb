import GoldenTesting
import LineEditor
import ScriptSyntax

/// One run of some tests: runs them, tells about each when it ends, and keeps what ended.
struct TestRun {
  /// What is done with output that is not as expected.
  enum Update: Sendable {
    case none
    /// Blocks are accepted as this says, and files written unless it is a dry run.
    case accept(isDryRun: Bool, @Sendable (GoldenUpdate.Proposal) -> [String]?)
  }

  let reporter: TestReporter
  /// The reports that are written beside what is told.
  var reports: RunReports?
  var options = GoldenSuite.Options()
  /// What scripts may read, and an update may write.
  var permissions: Permissions
  var update = Update.none
  var stopsAtFailure = false
  var warningsAreErrors = false
  /// Whether tests run in processes of their own, so that a crash is one test's failure.
  var isIsolated = false

  /// How long tests that were told to stop are waited for.
  private static let grace = Duration.milliseconds(500)

  /// What came of a run.
  struct Result {
    var report = SuiteReport()
    /// The indices of the tests that ended.
    var ended: Set<Int> = []
    /// Whether a test still runs, which did not stop when it was told to.
    var isRunning = false
  }

  /// Runs the tests.
  func perform(_ tests: [PreparedTest]) -> Result {
    let isTwice = if case .accept = update { true } else { false }
    var options = options
    // What is accepted is not a failure.
    options.stopsAtFailure = stopsAtFailure && !isTwice
    let settings = WorkerSettings(options, permissions)
    var hand: (@Sendable () -> any TestHand)?
    if isIsolated { hand = { WorkerHand(tests, settings) } }
    let suite = GoldenSuite(
      tests, options: options, isInterrupted: { InterruptFlag.isRaised },
      hand: hand,
      environment: { [permissions] in
        FileEnvironment(permissions: permissions, storeFolder: ScratchFolder())
      })
    var record = RunRecord(tests, reporter, reports)
    var stopped: ContinuousClock.Instant?
    let line = StatusLine(patience: .milliseconds(500))
    let ending = Ending(
      update: update, permissions: permissions, warningsAreErrors: warningsAreErrors)
    let unfinished = suite.run(isTwice: isTwice) { progress in
      line.show { record.words(progress) }
      guard stopped != nil || InterruptFlag.isRaised else { return true }
      let since = stopped ?? ContinuousClock.now
      stopped = since
      return ContinuousClock.now - since < Self.grace
    } finish: {
      ending.ended($0)
    } deliver: { index, ended in
      line.erase()
      let passed = record.add(ended, at: index)
      guard stopsAtFailure, !passed else { return true }
      stopped = stopped ?? ContinuousClock.now
      return false
    }
    line.end()
    return record.result(unfinished)
  }
}

/// Does to outcomes what a run is asked for: accepts output, and takes warnings for
/// errors.
private struct Ending: Sendable {
  let update: TestRun.Update
  let permissions: Permissions
  let warningsAreErrors: Bool

  func ended(_ outcome: GoldenOutcome) -> RunRecord.Ended {
    var ended = RunRecord.Ended(outcome: outcome)
    if case .accept(let isDryRun, let choose) = update {
      let update = GoldenUpdate(outcome, choosing: choose)
      if let path = update.file?.path {
        do {
          if !isDryRun { try FileReplacement.perform(update, permissions) }
          ended.updated = (path, update.accepted)
          // What a dry run would accept is still wrong.
          if !isDryRun { ended.outcome = update.outcome }
        } catch {
          ended.outcome = outcome.refusing(update: error.reason)
        }
      }
    }
    if warningsAreErrors { ended.outcome = ended.outcome.withWarningsAsErrors }
    return ended
  }
}

/// What of a run has ended, and what of that was told.
private struct RunRecord {
  /// A test that ended.
  struct Ended: Sendable {
    var outcome: GoldenOutcome
    /// The file that was updated, and the blocks.
    var updated: (path: String, blocks: [GoldenUpdate.Proposal])?
  }

  private let tests: [PreparedTest]
  private let reporter: TestReporter
  private let reports: RunReports?
  private var ended: [Int: Ended] = [:]
  /// How many tests, from the first on, were told about; where they are told in order.
  private var told = 0
  private var failed = 0

  init(_ tests: [PreparedTest], _ reporter: TestReporter, _ reports: RunReports?) {
    self.tests = tests
    self.reporter = reporter
    self.reports = reports
  }

  /// Adds a test that ended.
  ///
  /// - Returns: Whether it passed.
  mutating func add(_ test: Ended, at index: Int) -> Bool {
    ended[index] = test
    if !test.outcome.passed { failed += 1 }
    reports?.add(test.outcome, updated: test.updated?.path)
    if reporter.isLive {
      tell(test)
    } else {
      while let next = ended[told] {
        tell(next)
        told += 1
      }
    }
    return test.outcome.passed
  }

  private func tell(_ test: Ended) {
    if let path = test.updated?.path { reporter.report(updated: path) }
    reporter.report(test.outcome)
  }

  /// The line of a terminal: `12 of 60, 2 failed; t/slow.frc for 3 s`.
  func words(_ progress: GoldenSuite.Progress) -> String {
    RunWords.line(
      progress, failed: failed,
      slowest: progress.slowest.map { tests[$0.index].test.source.name })
  }

  /// Tells of what was not told yet, and returns the whole.
  func result(_ unfinished: [GoldenSuite.Unfinished]) -> TestRun.Result {
    var result = TestRun.Result()
    for (index, test) in ended.sorted(by: { $0.key < $1.key }) {
      if !reporter.isLive, index >= told { tell(test) }
      result.report.add(test.outcome)
      result.ended.insert(index)
      if let updated = test.updated {
        result.report.sums.updated += 1
        result.report.updates.add(updated.blocks)
      }
    }
    for test in unfinished {
      let path = tests[test.index].test.source.name
      reporter.report(unfinished: path, after: test.duration, isRunning: test.isRunning)
      reports?.add(unfinished: path, after: test.duration, isRunning: test.isRunning)
    }
    result.isRunning = unfinished.contains(where: \.isRunning)
    result.report.sums.notRun = tests.count - ended.count
    result.report.sums.isInterrupted = InterruptFlag.isRaised
    return result
  }
}

/// What a terminal shows of a run that continues.
enum RunWords {
  /// `12 of 60, 2 failed; t/slow.frc for 3 s`.
  static func line(
    _ progress: GoldenSuite.Progress, failed: Int, slowest: String?
  ) -> String {
    var words = "\(progress.ended) of \(progress.count)"
    if failed > 0 { words += ", \(failed) failed" }
    if let slowest, let duration = progress.slowest?.duration, duration >= .seconds(1) {
      words += "; \(slowest) for \(duration.components.seconds) s"
    }
    return words
  }
}
