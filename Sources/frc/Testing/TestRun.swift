import GoldenTesting
import LineEditor
import Platform
import ScriptSyntax
import Synchronization

/// A run of some tests: runs them, reports each when it ends, and collects the results.
struct TestRun {
  /// The handling of output that is not as expected.
  enum Update: Sendable {
    case none
    /// The function decides which blocks are accepted. Files are written unless it is a dry run.
    case accept(isDryRun: Bool, @Sendable (GoldenUpdate.Proposal) -> [String]?)
  }

  let reporter: TestReporter
  /// The reports that are written in addition to the printed output.
  var reports: RunReports?
  var options = GoldenSuite.Options()
  /// The permissions: what scripts may read, and what an update may write.
  var permissions: Permissions
  var update = Update.none
  var stopsAtFailure = false
  var warningsAreErrors = false
  /// Whether tests run in other processes, so that a crash fails only one test.
  var isIsolated = false

  /// How long to wait for tests that were told to stop.
  private static let grace = Duration.milliseconds(500)

  /// The result of a run.
  struct Result {
    var report = SuiteReport()
    /// The indices of the tests that ended.
    var ended: Set<Int> = []
    /// Why no process could be started for some tests, which then did not run.
    var startFailure: SystemError?
    /// Whether a test is still running, because it did not stop when it was told to.
    var isRunning = false
  }

  /// Runs the tests.
  func perform(_ tests: [PreparedTest]) -> Result {
    let isTwice = if case .accept = update { true } else { false }
    var options = options
    // Accepted output is not a failure.
    options.stopsAtFailure = stopsAtFailure && !isTwice
    let settings = WorkerSettings(options, permissions)
    let failure = StartFailure()
    let isEnding: @Sendable () -> Bool = { InterruptFlag.isRaised || failure.reason != nil }
    var executor: (@Sendable () -> any TestExecutor)?
    if isIsolated { executor = { WorkerExecutor(tests, settings, failure) } }
    let suite = GoldenSuite(
      tests, options: options, isInterrupted: isEnding,
      executor: executor,
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
      guard stopped != nil || isEnding() else { return true }
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
    var result = record.result(unfinished)
    result.startFailure = failure.reason
    return result
  }
}

/// Applies the options of a run to outcomes: accepts output, and turns warnings into errors.
private final class Ending: Sendable {
  let update: TestRun.Update
  let permissions: Permissions
  let warningsAreErrors: Bool
  /// The bytes of the paths of the repository's deleted files; nil if they were not needed yet.
  private let deleted = Mutex<Set<[UInt8]>?>(nil)

  init(update: TestRun.Update, permissions: Permissions, warningsAreErrors: Bool) {
    self.update = update
    self.permissions = permissions
    self.warningsAreErrors = warningsAreErrors
  }

  /// Whether the script printed what a golden file contains that was deleted.
  private func isGoldenMissing(_ outcome: GoldenOutcome) -> Bool {
    guard outcome.mayMissGolden else { return false }
    let golden = RealPath.bytes(GoldenTest.goldenPath(of: outcome.source.name))
    return deleted.withLock { deleted in
      let files = deleted ?? ChangedFiles.deleted()
      deleted = files
      return files.contains(golden)
    }
  }

  func ended(_ outcome: GoldenOutcome) -> RunRecord.Ended {
    let outcome = isGoldenMissing(outcome) ? outcome.withMissingGolden : outcome
    var ended = RunRecord.Ended(outcome: outcome)
    if case .accept(let isDryRun, let choose) = update {
      let update = GoldenUpdate(outcome, choosing: choose)
      if let path = update.file?.path {
        do {
          if !isDryRun { try FileReplacement.perform(update, permissions) }
          ended.updated = (path, update.accepted)
          // Output that a dry run would accept is still a failure.
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

/// The results of a run so far, and which of them were printed.
private struct RunRecord {
  /// A test that has ended.
  struct Ended: Sendable {
    var outcome: GoldenOutcome
    /// The file that was updated, with the blocks.
    var updated: (path: String, blocks: [GoldenUpdate.Proposal])?
  }

  private let tests: [PreparedTest]
  private let reporter: TestReporter
  private let reports: RunReports?
  /// The tests that have ended, each at its index in `tests`.
  private var ended: [Ended?]
  /// The number of tests, from the first on, that were printed; only used if they are printed in
  /// order.
  private var told = 0
  private var failed = 0

  init(_ tests: [PreparedTest], _ reporter: TestReporter, _ reports: RunReports?) {
    self.tests = tests
    self.reporter = reporter
    self.reports = reports
    ended = Array(repeating: nil, count: tests.count)
  }

  /// Adds a test that has ended.
  ///
  /// - Returns: Whether it passed.
  mutating func add(_ test: Ended, at index: Int) -> Bool {
    ended[index] = test
    if !test.outcome.passed { failed += 1 }
    reports?.add(test.outcome, updated: test.updated?.path)
    if reporter.isLive {
      tell(test)
    } else {
      while told < ended.count, let next = ended[told] {
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

  /// Returns the status line: `12 of 60, 2 failed; t/slow.frc for 3 s`.
  func words(_ progress: GoldenSuite.Progress) -> String {
    RunWords.line(
      progress, failed: failed,
      slowest: progress.slowest.map { tests[$0.index].test.source.name })
  }

  /// Prints what was not printed yet, and returns the whole result.
  func result(_ unfinished: [GoldenSuite.Unfinished]) -> TestRun.Result {
    var result = TestRun.Result()
    for index in ended.indices {
      guard let test = ended[index] else { continue }
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
    result.report.sums.notRun = tests.count - result.ended.count
    result.report.sums.isInterrupted = InterruptFlag.isRaised
    return result
  }
}

/// The text of the status line during a run.
enum RunWords {
  /// Returns a line such as `12 of 60, 2 failed; t/slow.frc for 3 s`.
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
