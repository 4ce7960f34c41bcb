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

/// Runs independent pieces of work on several threads.
package enum ParallelWork {
  /// The size of a thread's stack, which is larger than usual.
  ///
  /// Scripts may be deeply nested. Only the used part takes memory.
  private static let stackSize = 64 << 20

  /// The time between two calls of `tick`, in milliseconds.
  private static let tickLength = 100

  /// Runs pieces of work and delivers each result as soon as it is there.
  ///
  /// - Parameters:
  ///   - order: The numbers of the pieces, in the order in which they start.
  ///   - threads: The number of pieces that run at the same time; at least one.
  ///   - work: Called on other threads.
  ///   - tick: Called on the caller's thread about ten times a second; returns whether to keep
  ///     waiting. If it returns false, the work that has started is abandoned.
  ///   - deliver: Called on the caller's thread, in the order in which the pieces end; returns
  ///     whether to start others. Work that has started is still waited for and delivered.
  package static func perform<Result: Sendable>(
    _ order: [Int], threads: Int, work: @escaping @Sendable (Int) -> Result,
    tick: () -> Bool = { true }, deliver: (Int, Result) -> Bool
  ) {
    perform(
      order, threads: threads, batch: 1, executor: {}, prepare: { _, _ in },
      work: { _, number in work(number) }, tick: tick, deliver: deliver)
  }

  /// Runs pieces of work on threads with a state of their own, such as a process.
  ///
  /// - Parameters:
  ///   - batch: The largest number of pieces that a thread takes at a time. It takes fewer at the
  ///     start, near the end, and if pieces take long.
  ///   - executor: Makes the state of a thread, on that thread.
  ///   - prepare: Called with the pieces that a thread has taken, before the first one runs.
  package static func perform<Executor, Result: Sendable>(
    _ order: [Int], threads: Int, batch: Int, executor: @escaping @Sendable () -> Executor,
    prepare: @escaping @Sendable (Executor, [Int]) -> Void,
    work: @escaping @Sendable (Executor, Int) -> Result,
    tick: () -> Bool = { true }, deliver: (Int, Result) -> Bool
  ) {
    let count = max(1, min(threads, order.count))
    let queue = WorkQueue<Result>(order, threads: count, batch: batch)
    let workers = DispatchGroup()
    for _ in 0..<count {
      workers.enter()
      let thread = Thread {
        // The thread's state is released before the end is reported.
        do {
          let executor = executor()
          queue.work {
            prepare(executor, $0)
          } work: {
            work(executor, $0)
          }
        }
        workers.leave()
      }
      thread.stackSize = stackSize
      thread.start()
    }
    while true {
      switch queue.next(waiting: tickLength) {
      case .result(let number, let result): if !deliver(number, result) { queue.close() }
      case .nothingYet: break
      case .end:
        // Temporary files and folders of the work are removed when it ends.
        workers.wait()
        return
      }
      if !tick() { return queue.close() }
    }
  }

  /// Runs pieces of work, numbered from 0.
  ///
  /// Delivers each result after those before it.
  package static func performInOrder<Result: Sendable>(
    _ count: Int, threads: Int, work: @escaping @Sendable (Int) -> Result,
    deliver: (Result) -> Void
  ) {
    var early: [Int: Result] = [:]
    var next = 0
    perform(Array(0..<count), threads: threads, work: work) { number, result in
      early[number] = result
      while let result = early.removeValue(forKey: next) {
        deliver(result)
        next += 1
      }
      return true
    }
  }

  /// Returns the results of pieces of work in order.
  package static func results<Result: Sendable>(
    _ count: Int, threads: Int, work: @escaping @Sendable (Int) -> Result
  ) -> [Result] {
    var results: [Result] = []
    performInOrder(count, threads: threads, work: work) { results.append($0) }
    return results
  }

  /// The shared state where threads take work and leave results.
  private final class WorkQueue<Result: Sendable>: Sendable {
    enum Next {
      case result(Int, Result)
      case nothingYet
      case end
    }

    private struct State {
      /// The number of pieces that were taken, from the start of the order.
      var taken = 0
      var delivered = 0
      var isClosed = false
      /// The results that were not delivered yet, the oldest first.
      var results: [(number: Int, result: Result)] = []
      var fetched = 0
    }

    private let order: [Int]
    private let threads: Int
    private let batch: Int
    private let state = Mutex(State())
    /// Signalled once for each result.
    private let done = DispatchSemaphore(value: 0)

    init(_ order: [Int], threads: Int, batch: Int) {
      self.order = order
      self.threads = threads
      self.batch = batch
    }

    /// Takes and runs pieces of work until none is left.
    func work(prepare: ([Int]) -> Void, work: (Int) -> Result) {
      // While a thread runs a long piece, the pieces that it has taken with it have to wait. So it
      // takes several only if they are short.
      var most = 1
      while let numbers = take(atMost: most) {
        let start = ContinuousClock.now
        defer { most = ContinuousClock.now - start < Self.shortTime ? min(2 * most, batch) : 1 }
        prepare(numbers)
        for number in numbers {
          let result = work(number)
          state.withLock { $0.results.append((number, result)) }
          done.signal()
        }
      }
    }

    /// Pieces that were taken together are short if they took less time than this.
    private static var shortTime: Duration { .milliseconds(50) }

    private func take(atMost most: Int) -> [Int]? {
      state.withLock { state in
        let left = order.count - state.taken
        guard !state.isClosed, left > 0 else { return nil }
        // Near the end, no thread may have many pieces while others have none.
        let count = max(1, min(most, left / (4 * threads)))
        defer { state.taken += count }
        return Array(order[state.taken..<state.taken + count])
      }
    }

    /// Gives out no work from now on.
    func close() { state.withLock { $0.isClosed = true } }

    /// Returns the next result, and waits for it if necessary.
    func next(waiting milliseconds: Int) -> Next {
      let isOver = state.withLock { state in
        state.delivered == state.taken && (state.isClosed || state.taken == order.count)
      }
      if isOver { return .end }
      guard done.wait(timeout: .now() + .milliseconds(milliseconds)) == .success else {
        return .nothingYet
      }
      return state.withLock { state in
        guard state.fetched < state.results.count else { return .nothingYet }
        let (number, result) = state.results[state.fetched]
        state.fetched += 1
        state.delivered += 1
        // Delivered results are released together, so that a long run keeps none of them.
        if state.fetched == state.results.count {
          state.results.removeAll(keepingCapacity: true)
          state.fetched = 0
        }
        return .result(number, result)
      }
    }
  }
}

/// Runs the tests of one of a suite's threads: on the thread itself, or in another process.
package protocol TestExecutor: AnyObject {
  /// Called with the tests that the thread will ask for next, in order, so that they can be sent
  /// together.
  func prepare(for tests: [Int])

  /// Runs a test on each of its stores.
  ///
  /// - Parameter isStopped: Returns whether the run was cancelled.
  /// - Returns: An empty array if the test has errors or is skipped. The last run ends as `stopped`
  ///   if the test was stopped by `isStopped`.
  func runs(of test: Int, isStopped: @escaping @Sendable () -> Bool) -> [GoldenRun]
}

/// Runs tests on the thread itself.
final class LocalExecutor: TestExecutor {
  private let tests: [PreparedTest]
  private let options: GoldenSuite.Options
  private let environment: @Sendable () -> any ScriptEnvironment

  init(
    _ tests: [PreparedTest], _ options: GoldenSuite.Options,
    environment: @escaping @Sendable () -> any ScriptEnvironment
  ) {
    self.tests = tests
    self.options = options
    self.environment = environment
  }

  func prepare(for tests: [Int]) {}

  func runs(of test: Int, isStopped: @escaping @Sendable () -> Bool) -> [GoldenRun] {
    GoldenRunner(
      environment: environment(), locale: options.locale, stores: options.stores,
      timeout: options.timeout, limits: options.limits, isStopped: isStopped
    ).runs(of: tests[test])
  }
}
