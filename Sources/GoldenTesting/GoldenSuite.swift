import Basics
import Foundation
package import ScriptRuntime
import Synchronization

/// A suite of tests that run together, on several threads.
package struct GoldenSuite: Sendable {
  /// The options for running tests.
  package struct Options: Sendable {
    /// The number of tests that run at the same time.
    package var threads = 1
    /// The locale of localized sorts.
    package var locale = "en"
    /// The stores of a test that names none.
    package var stores: [TestStore] = [.memory]
    /// The longest time that any run may take, and the limit for scripts without one of their own;
    /// nil for the scripts' limits alone.
    package var timeout: TimeLimit?
    /// The limits on other resources.
    package var limits: [ByteLimit] = []
    /// The number of times that a failed test is run again.
    package var retries = 0
    /// The number of times that each test is run.
    package var repetitions = 1
    /// Whether the suite stops after the first failure: no other test starts, and running ones are
    /// stopped.
    package var stopsAtFailure = false
    /// The indices of the tests in the order in which they start; nil for the suite's order.
    package var order: [Int]?

    package init() {}
  }

  /// A test that did not end, because the run was stopped.
  package struct Unfinished: Hashable, Sendable {
    /// The index of the test in the suite.
    package let index: Int
    /// How long it ran.
    package let duration: Duration
    /// Whether it was still running when the suite ended, because it did not stop.
    package let isRunning: Bool
  }

  /// The progress of a suite.
  package struct Progress: Sendable {
    /// The number of test runs that have ended.
    package let ended: Int
    /// The number of all test runs.
    package let count: Int
    /// The test that has been running longest, with its index and duration.
    package let slowest: (index: Int, duration: Duration)?
  }

  let tests: [PreparedTest]
  let options: Options
  let isInterrupted: @Sendable () -> Bool
  let environment: @Sendable () -> any ScriptEnvironment
  /// Makes the executor that runs the tests of one thread.
  private let executor: @Sendable () -> any TestExecutor

  /// The number of tests that a thread takes at a time.
  ///
  /// There are several if they are sent to another process.
  private let batch: Int

  /// Creates a suite.
  ///
  /// - Parameters:
  ///   - tests: The tests.
  ///   - options: The options for running them.
  ///   - isInterrupted: Returns whether all tests must stop.
  ///   - executor: Makes the executor that runs the tests of one thread; called on that thread. By default,
  ///     the thread runs them itself.
  ///   - environment: Makes the environment that provides a test's files.
  package init(
    _ tests: [PreparedTest], options: Options = Options(),
    isInterrupted: @escaping @Sendable () -> Bool = { false },
    executor: (@Sendable () -> any TestExecutor)? = nil,
    environment: @escaping @Sendable () -> any ScriptEnvironment
  ) {
    self.tests = tests
    self.options = options
    self.isInterrupted = isInterrupted
    self.environment = environment
    batch = executor == nil ? 1 : 32
    self.executor = executor ?? { LocalExecutor(tests, options, environment: environment) }
  }

  /// Runs all tests, and reports each outcome when the test ends.
  ///
  /// - Parameters:
  ///   - isTwice: Whether each test is run twice, the second time in the opposite order, to find
  ///     output that changes between runs.
  ///   - tick: Called about ten times a second; returns whether to keep waiting for tests that are
  ///     stopping.
  ///   - deliver: Called with the index of each test and its outcome, in the order in which they
  ///     end; returns whether to continue. If it returns false, no other test starts, and running
  ///     ones are stopped.
  /// - Returns: The tests that had started and did not end.
  package func run(
    isTwice: Bool = false, tick: (Progress) -> Bool = { _ in true },
    deliver: (Int, GoldenOutcome) -> Bool
  ) -> [Unfinished] {
    run(isTwice: isTwice, tick: tick, finish: { $0 }, deliver: deliver)
  }

  /// Runs all tests, and reports a result that is made from each outcome.
  ///
  /// - Parameter finish: Makes the result from an outcome, on the test's thread.
  package func run<Finished: Sendable>(
    isTwice: Bool = false, tick: (Progress) -> Bool,
    finish: @escaping @Sendable (GoldenOutcome) -> Finished, deliver: (Int, Finished) -> Bool
  ) -> [Unfinished] {
    let state = RunState(count: tests.count * (isTwice ? 2 : 1), isInterrupted)
    let order = options.order ?? Array(tests.indices)
    var unfinished: [Unfinished] = []
    var again: [Int: [GoldenRun]] = [:]
    if isTwice {
      perform(order.reversed(), state, &unfinished, tick) { executor, index in
        runs(index, executor, state)
      } deliver: { index, runs in
        again[index] = runs
        return true
      }
    }
    let secondRuns = again
    perform(order, state, &unfinished, tick) { executor, index in
      outcome(index, again: secondRuns[index] ?? [], executor, state).map(finish)
    } deliver: { index, finished in
      deliver(index, finished)
    }
    let left = state.running.map {
      Unfinished(index: $0.index, duration: $0.duration, isRunning: true)
    }
    return (unfinished + left).ordered { $0.index < $1.index }
  }

  /// The end of a piece of work: a result, or nothing because it was stopped.
  private enum Ended<Result: Sendable>: Sendable {
    case result(Result)
    case stopped(Duration)
    case notBegun
  }

  private func perform<Result: Sendable>(
    _ order: [Int], _ state: RunState, _ unfinished: inout [Unfinished],
    _ tick: (Progress) -> Bool, work: @escaping @Sendable (any TestExecutor, Int) -> Result?,
    deliver: (Int, Result) -> Bool
  ) {
    guard !state.isStopped else { return }
    ParallelWork.perform(
      order, threads: options.threads, batch: batch, executor: executor
    ) { executor, tests in
      if !state.isStopped { executor.prepare(for: tests) }
    } work: { executor, index -> Ended<Result> in
      guard let start = state.begin(index) else { return .notBegun }
      defer { state.end(index) }
      return work(executor, index).map(Ended.result) ?? .stopped(ContinuousClock.now - start)
    } tick: {
      tick(state.progress)
    } deliver: { index, ended in
      switch ended {
      case .result(let result): if !deliver(index, result) { state.stop() }
      case .stopped(let duration):
        unfinished.append(Unfinished(index: index, duration: duration, isRunning: false))
      case .notBegun: break
      }
      return !state.isStopped
    }
  }

  /// Returns the outcome of a test, run as often as the options say; nil if it was stopped.
  private func outcome(
    _ index: Int, again: [GoldenRun], _ executor: any TestExecutor, _ state: RunState
  ) -> GoldenOutcome? {
    var duration = Duration.zero
    var outcome: GoldenOutcome
    var failedTries: [GoldenOutcome] = []
    var tries = 0
    while true {
      guard let runs = runs(index, executor, state) else { return nil }
      let start = ContinuousClock.now
      outcome = tests[index].outcome(of: runs, again: again) { state.isStopped }
      if outcome.isStopped { return nil }
      // Another process may have run the test before its result was asked for.
      duration += runs.reduce(ContinuousClock.now - start) { $0 + $1.duration }
      tries += 1
      let failed = outcome.verdict == .failed
      guard failed ? tries <= options.retries : tries < options.repetitions else { break }
      if failed, outcome.failures != failedTries.last?.failures { failedTries.append(outcome) }
    }
    outcome.tries = tries
    if outcome.passed { outcome.failedTries = failedTries }
    outcome.began = Date() - duration / .seconds(1)
    outcome.duration = duration
    // This is done here, and not where the outcome is reported, so that no other test starts
    // before.
    if options.stopsAtFailure, !outcome.passed { state.stop() }
    return outcome
  }

  /// Runs a test once on each of its stores; returns nil if a run was stopped.
  private func runs(_ index: Int, _ executor: any TestExecutor, _ state: RunState) -> [GoldenRun]? {
    let runs = executor.runs(of: index) { state.isStopped }
    return runs.contains { $0.end == .stopped } ? nil : runs
  }
}

/// The shared state of a run's threads: which tests are running, and whether they must stop.
private final class RunState: Sendable {
  private struct Shared {
    var began: [Int: ContinuousClock.Instant] = [:]
    var ended = 0
  }

  private let shared = Mutex(Shared())
  private let isRaised = Atomic(false)
  private let isInterrupted: @Sendable () -> Bool
  private let count: Int

  init(count: Int, _ isInterrupted: @escaping @Sendable () -> Bool) {
    self.count = count
    self.isInterrupted = isInterrupted
  }

  /// Whether the running tests must stop.
  var isStopped: Bool { isRaised.load(ordering: .relaxed) || isInterrupted() }

  func stop() { isRaised.store(true, ordering: .relaxed) }

  /// Records that a test starts and returns the time; nil if no more tests may start.
  func begin(_ index: Int) -> ContinuousClock.Instant? {
    guard !isStopped else { return nil }
    let now = ContinuousClock.now
    shared.withLock { $0.began[index] = now }
    return now
  }

  func end(_ index: Int) {
    shared.withLock {
      $0.began[index] = nil
      $0.ended += 1
    }
  }

  /// The running tests, in the order in which they started.
  var running: [(index: Int, duration: Duration)] {
    let now = ContinuousClock.now
    let began = shared.withLock { $0.began }
    return began.ordered { $0.value < $1.value }.map { ($0.key, now - $0.value) }
  }

  var progress: GoldenSuite.Progress {
    let ended = shared.withLock { $0.ended }
    return GoldenSuite.Progress(ended: ended, count: count, slowest: running.first)
  }
}
