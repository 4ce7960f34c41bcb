import Foundation
package import ScriptRuntime
import Synchronization

/// Tests that are run together, on several threads.
package struct GoldenSuite: Sendable {
  /// How tests are run, whatever they are.
  package struct Options: Sendable {
    /// How many tests run at a time.
    package var threads = 1
    /// The locale of localized sorts.
    package var locale = "en"
    /// The stores of a test that names none.
    package var stores: [TestStore] = [.memory]
    /// The longest that a run may take, and how long it may take if its script
    /// does not say; nil for the script's limit alone.
    package var timeout: TimeLimit?
    /// How much a run may take of what.
    package var limits: [ByteLimit] = []
    /// How often a test that failed is run again.
    package var retries = 0
    /// How often each test is run.
    package var repetitions = 1
    /// Whether no other test begins after one that failed, and those that run are
    /// stopped.
    package var stopsAtFailure = false
    /// The indices of the tests in the order in which they begin; nil for their
    /// own order.
    package var order: [Int]?

    package init() {}
  }

  /// A test that did not end, because the run was stopped.
  package struct Unfinished: Hashable, Sendable {
    /// The test's place in the suite.
    package let index: Int
    /// How long it ran.
    package let duration: Duration
    /// Whether it still ran when the run ended, deaf to the wish to stop.
    package let isRunning: Bool
  }

  /// How far a run is.
  package struct Progress: Sendable {
    /// How many runs of tests have ended.
    package let ended: Int
    /// How many there are.
    package let count: Int
    /// The test that has been running longest: its index, and for how long.
    package let slowest: (index: Int, duration: Duration)?
  }

  let tests: [PreparedTest]
  let options: Options
  let isInterrupted: @Sendable () -> Bool
  let environment: @Sendable () -> any ScriptEnvironment
  /// Makes what runs the tests of one thread.
  private let hand: @Sendable () -> any TestHand

  /// How many tests a thread takes at a time: several where they are sent to another process.
  private let batch: Int

  /// Creates a suite.
  ///
  /// - Parameters:
  ///   - tests: What to run.
  ///   - options: How to run it.
  ///   - isInterrupted: Whether all tests are to stop.
  ///   - hand: Makes what runs the tests of one thread, on that thread; by default
  ///     the thread runs them itself.
  ///   - environment: Makes what brings one test its files.
  package init(
    _ tests: [PreparedTest], options: Options = Options(),
    isInterrupted: @escaping @Sendable () -> Bool = { false },
    hand: (@Sendable () -> any TestHand)? = nil,
    environment: @escaping @Sendable () -> any ScriptEnvironment
  ) {
    self.tests = tests
    self.options = options
    self.isInterrupted = isInterrupted
    self.environment = environment
    batch = hand == nil ? 1 : 32
    self.hand = hand ?? { LocalHand(tests, options, environment: environment) }
  }

  /// Runs every test, and hands over what came of it when it ends.
  ///
  /// - Parameters:
  ///   - isTwice: Whether each test is run twice, the second time in the opposite
  ///     order, to find output that is not the same each time.
  ///   - tick: Called about ten times a second; says whether to go on waiting for
  ///     tests that are to stop.
  ///   - deliver: Called with the place of each test and its outcome, in the order in which they
  ///     end; says whether to continue. If not, no other test begins, and those that run are
  ///     stopped.
  /// - Returns: The tests that had begun and did not end.
  package func run(
    isTwice: Bool = false, tick: (Progress) -> Bool = { _ in true },
    deliver: (Int, GoldenOutcome) -> Bool
  ) -> [Unfinished] {
    run(isTwice: isTwice, tick: tick, finish: { $0 }, deliver: deliver)
  }

  /// Runs every test, and hands over what is made of its outcome.
  ///
  /// - Parameter finish: Makes something of an outcome, on the thread of the test.
  package func run<Finished: Sendable>(
    isTwice: Bool = false, tick: (Progress) -> Bool,
    finish: @escaping @Sendable (GoldenOutcome) -> Finished, deliver: (Int, Finished) -> Bool
  ) -> [Unfinished] {
    let state = RunState(count: tests.count * (isTwice ? 2 : 1), isInterrupted)
    let order = options.order ?? Array(tests.indices)
    var unfinished: [Unfinished] = []
    var again: [Int: [GoldenRun]] = [:]
    if isTwice {
      perform(order.reversed(), state, &unfinished, tick) { hand, index in
        runs(index, hand, state)
      } deliver: { index, runs in
        again[index] = runs
        return true
      }
    }
    let secondRuns = again
    perform(order, state, &unfinished, tick) { hand, index in
      outcome(index, again: secondRuns[index] ?? [], hand, state).map(finish)
    } deliver: { index, finished in
      deliver(index, finished)
    }
    let left = state.running.map {
      Unfinished(index: $0.index, duration: $0.duration, isRunning: true)
    }
    return (unfinished + left).sorted { $0.index < $1.index }
  }

  /// What a piece of work came to: a result, or nothing because it was stopped.
  private enum Ended<Result: Sendable>: Sendable {
    case result(Result)
    case stopped(Duration)
    case notBegun
  }

  private func perform<Result: Sendable>(
    _ order: [Int], _ state: RunState, _ unfinished: inout [Unfinished],
    _ tick: (Progress) -> Bool, work: @escaping @Sendable (any TestHand, Int) -> Result?,
    deliver: (Int, Result) -> Bool
  ) {
    guard !state.isStopped else { return }
    ParallelWork.perform(
      order, threads: options.threads, batch: batch, hand: hand
    ) { hand, tests in
      if !state.isStopped { hand.prepare(for: tests) }
    } work: { hand, index -> Ended<Result> in
      guard let start = state.begin(index) else { return .notBegun }
      defer { state.end(index) }
      return work(hand, index).map(Ended.result) ?? .stopped(ContinuousClock.now - start)
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

  /// What came of a test, run as often as the options ask; nil if it was stopped.
  private func outcome(
    _ index: Int, again: [GoldenRun], _ hand: any TestHand, _ state: RunState
  ) -> GoldenOutcome? {
    var duration = Duration.zero
    var outcome: GoldenOutcome
    var failedTries: [GoldenOutcome] = []
    var tries = 0
    while true {
      guard let runs = runs(index, hand, state) else { return nil }
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
    // Here rather than where it is handed over, before another test begins.
    if options.stopsAtFailure, !outcome.passed { state.stop() }
    return outcome
  }

  /// The runs of a test, one on each of its stores; nil if one was stopped.
  private func runs(_ index: Int, _ hand: any TestHand, _ state: RunState) -> [GoldenRun]? {
    let runs = hand.runs(of: index) { state.isStopped }
    return runs.contains { $0.end == .stopped } ? nil : runs
  }
}

/// What the threads of one run share: which tests run, and whether they are to
/// stop.
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

  /// Whether the tests that run are to stop.
  var isStopped: Bool { isRaised.load(ordering: .relaxed) || isInterrupted() }

  func stop() { isRaised.store(true, ordering: .relaxed) }

  /// Notes that a test begins, and when; nil if none is to begin any more.
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

  /// The tests that run, the one that began first in front.
  var running: [(index: Int, duration: Duration)] {
    let now = ContinuousClock.now
    let began = shared.withLock { $0.began }
    return began.sorted { $0.value < $1.value }.map { ($0.key, now - $0.value) }
  }

  var progress: GoldenSuite.Progress {
    let ended = shared.withLock { $0.ended }
    return GoldenSuite.Progress(ended: ended, count: count, slowest: running.first)
  }
}
