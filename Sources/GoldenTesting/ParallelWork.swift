import Foundation
import ScriptRuntime
import Synchronization

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

    /// Gives out no more work.
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
