import Foundation
import Synchronization

/// Independent pieces of work, done on several threads.
package enum ParallelWork {
  /// The stack of a thread, larger than threads have as a rule.
  ///
  /// Scripts nest deep. Only what is used of it takes memory.
  private static let stackSize = 64 << 20

  /// How often the caller is asked whether it still waits, in milliseconds.
  private static let tickLength = 100

  /// Does pieces of work and hands each result over when it is there.
  ///
  /// - Parameters:
  ///   - order: The numbers of the pieces, in the order in which they begin.
  ///   - threads: How many are worked on at a time; at least one.
  ///   - work: Called on threads of their own.
  ///   - tick: Called on the caller's thread about ten times a second; says whether
  ///     to go on waiting. If not, the work that has begun is abandoned.
  ///   - deliver: Called on the caller's thread, in the order in which the pieces
  ///     end; says whether to begin others. Work that has begun is then still
  ///     waited for and handed over.
  package static func perform<Result: Sendable>(
    _ order: [Int], threads: Int, work: @escaping @Sendable (Int) -> Result,
    tick: () -> Bool = { true }, deliver: (Int, Result) -> Bool
  ) {
    perform(
      order, threads: threads, batch: 1, hand: {}, prepare: { _, _ in },
      work: { _, number in work(number) }, tick: tick, deliver: deliver)
  }

  /// Does pieces of work with what each thread has of its own, such as a process.
  ///
  /// - Parameters:
  ///   - batch: How many pieces a thread takes at a time, at most; fewer at the beginning, towards
  ///     the end, and where pieces take long.
  ///   - hand: Makes what a thread has of its own, on that thread.
  ///   - prepare: Called with the pieces that a thread has taken, before the first is done.
  package static func perform<Hand, Result: Sendable>(
    _ order: [Int], threads: Int, batch: Int, hand: @escaping @Sendable () -> Hand,
    prepare: @escaping @Sendable (Hand, [Int]) -> Void,
    work: @escaping @Sendable (Hand, Int) -> Result,
    tick: () -> Bool = { true }, deliver: (Int, Result) -> Bool
  ) {
    let count = max(1, min(threads, order.count))
    let desk = Desk<Result>(order, threads: count, batch: batch)
    let workers = DispatchGroup()
    for _ in 0..<count {
      workers.enter()
      let thread = Thread {
        // What a thread has of its own goes before the others are told.
        do {
          let hand = hand()
          desk.work {
            prepare(hand, $0)
          } work: {
            work(hand, $0)
          }
        }
        workers.leave()
      }
      thread.stackSize = stackSize
      thread.start()
    }
    while true {
      switch desk.next(waiting: tickLength) {
      case .result(let number, let result): if !deliver(number, result) { desk.close() }
      case .nothingYet: break
      case .end:
        // What work makes in passing, such as folders, goes at its end.
        workers.wait()
        return
      }
      if !tick() { return desk.close() }
    }
  }

  /// Does pieces of work, numbered from 0, and hands each result over as soon as
  /// those before it were.
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

  /// Where threads take work and leave results.
  private final class Desk<Result: Sendable>: Sendable {
    enum Next {
      case result(Int, Result)
      case nothingYet
      case end
    }

    private struct State {
      /// How many pieces were taken, from the front of the order.
      var taken = 0
      var delivered = 0
      var isClosed = false
      /// Results that nobody has fetched, the oldest first.
      var results: [(number: Int, result: Result)] = []
      var fetched = 0
    }

    private let order: [Int]
    private let threads: Int
    private let batch: Int
    private let state = Mutex(State())
    /// Signalled once a result.
    private let done = DispatchSemaphore(value: 0)

    init(_ order: [Int], threads: Int, batch: Int) {
      self.order = order
      self.threads = threads
      self.batch = batch
    }

    /// Takes and does work until none is left.
    func work(prepare: ([Int]) -> Void, work: (Int) -> Result) {
      // A piece that takes long keeps those after it from other threads, so many are taken only
      // where they are short.
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

    /// In less time pieces that were taken together were short.
    private static var shortTime: Duration { .milliseconds(50) }

    private func take(atMost most: Int) -> [Int]? {
      state.withLock { state in
        let left = order.count - state.taken
        guard !state.isClosed, left > 0 else { return nil }
        // Near the end no thread is left with many while others have none.
        let count = max(1, min(most, left / (4 * threads)))
        defer { state.taken += count }
        return Array(order[state.taken..<state.taken + count])
      }
    }

    /// Gives no more work away.
    func close() { state.withLock { $0.isClosed = true } }

    /// Fetches a result, and waits for it if need be.
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
        // What was fetched goes as a whole, so that a long run keeps none of it.
        if state.fetched == state.results.count {
          state.results.removeAll(keepingCapacity: true)
          state.fetched = 0
        }
        return .result(number, result)
      }
    }
  }
}
