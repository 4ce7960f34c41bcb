import Foundation
import Synchronization

/// Independent pieces of work, done on several threads and handed over in
/// order.
package enum OrderedWork {
  /// The stack of a thread, larger than threads have as a rule.
  ///
  /// Scripts nest deep. Only what is used of it takes memory.
  private static let stackSize = 64 << 20

  /// Does pieces of work, numbered from 0, and hands each result over as soon
  /// as those before it were.
  ///
  /// - Parameters:
  ///   - count: How many pieces there are.
  ///   - threads: How many are worked on at a time; at least one.
  ///   - reversed: Whether work begins with the last.
  ///   - work: Called on threads of their own.
  ///   - deliver: Called on the caller's thread, in the order of the numbers; says
  ///     whether to go on. Work that has begun is then still done, and waited for.
  package static func perform<Result: Sendable>(
    _ count: Int, threads: Int, reversed: Bool = false,
    work: @escaping @Sendable (Int) -> Result, deliver: (Result) -> Bool
  ) {
    let desk = Desk<Result>(count: count, reversed: reversed)
    let workers = DispatchGroup()
    for _ in 0..<max(1, min(threads, count)) {
      workers.enter()
      let thread = Thread {
        desk.work(work)
        workers.leave()
      }
      thread.stackSize = stackSize
      thread.start()
    }
    // What work makes in passing, such as folders, goes at its end.
    defer { workers.wait() }
    for number in 0..<count where !deliver(desk.waitForResult(number)) {
      desk.close()
      return
    }
  }

  /// Returns the results of pieces of work in order.
  package static func results<Result: Sendable>(
    _ count: Int, threads: Int, reversed: Bool = false,
    work: @escaping @Sendable (Int) -> Result
  ) -> [Result] {
    var results: [Result] = []
    perform(count, threads: threads, reversed: reversed, work: work) {
      results.append($0)
      return true
    }
    return results
  }

  /// Where threads take work and leave results.
  private final class Desk<Result: Sendable>: Sendable {
    private struct State {
      var taken = 0
      var results: [Result?]
    }

    private let count: Int
    private let isReversed: Bool
    private let state: Mutex<State>
    /// Signalled once a result.
    private let done = DispatchSemaphore(value: 0)

    init(count: Int, reversed: Bool) {
      self.count = count
      isReversed = reversed
      state = Mutex(State(results: Array(repeating: nil, count: count)))
    }

    /// Takes and does work until none is left.
    func work(_ work: (Int) -> Result) {
      while let number = take() {
        let result = work(number)
        state.withLock { $0.results[number] = result }
        done.signal()
      }
    }

    private func take() -> Int? {
      state.withLock { state in
        guard state.taken < count else { return nil }
        defer { state.taken += 1 }
        return isReversed ? count - 1 - state.taken : state.taken
      }
    }

    /// Gives no more work away.
    func close() { state.withLock { $0.taken = count } }

    /// Waits for a result and gives it away.
    func waitForResult(_ number: Int) -> Result {
      while true {
        let result = state.withLock { state in
          defer { state.results[number] = nil }
          return state.results[number]
        }
        if let result { return result }
        done.wait()
      }
    }
  }
}
