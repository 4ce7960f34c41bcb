import Dispatch
import Foundation
import Synchronization

/// The measurements of one side for one import.
struct Measurement {
  /// Seconds until the last transaction was written.
  var written = 0.0
  /// Seconds until the list had all rows.
  var delivered = 0.0
  /// How many differences the list received.
  var batches = 0
  /// The longest time in which the main actor could do nothing else, in milliseconds.
  var longestHold = 0.0
  /// The same as processor time, which does not depend on other programs.
  var longestHoldOfProcessor = 0.0
  /// How long the main thread used a processor, in seconds.
  var mainSeconds = 0.0

  static let heading =
    "            written s  delivered s  batches  longest hold ms  of processor ms  main s"

  var line: String {
    String(
      format: "%10.2f %12.2f %8d %16.1f %16.1f %7.2f", written, delivered, batches, longestHold,
      longestHoldOfProcessor, mainSeconds)
  }

  static func median(_ all: [Measurement]) -> Measurement {
    func median<Number: Comparable>(_ numbers: [Number]) -> Number {
      numbers.sorted()[numbers.count / 2]
    }
    return Measurement(
      written: median(all.map(\.written)), delivered: median(all.map(\.delivered)),
      batches: median(all.map(\.batches)), longestHold: median(all.map(\.longestHold)),
      longestHoldOfProcessor: median(all.map(\.longestHoldOfProcessor)),
      mainSeconds: median(all.map(\.mainSeconds)))
  }
}

/// Calls the main actor about every millisecond, and notes how long the call had to wait.
@MainActor
final class MainWatch {
  private let isOver = Atomic(false)
  private var longestWait = 0.0
  private var longestWork = 0.0
  private var lastWork = processorTime()
  private let firstWork = processorTime()
  private let start = ContinuousClock.now

  init() {
    let thread = Thread { [self] in
      while !isOver.load(ordering: .relaxed) {
        let asked = ContinuousClock.now
        let answered = DispatchSemaphore(value: 0)
        DispatchQueue.main.async {
          MainActor.assumeIsolated { self.note(asked) }
          answered.signal()
        }
        answered.wait()
        Thread.sleep(forTimeInterval: 0.001)
      }
    }
    thread.start()
  }

  /// Seconds since the watch began.
  nonisolated var seconds: Double { (ContinuousClock.now - start) / .seconds(1) }

  /// Ends the watch, and adds its results.
  func end(_ measurement: inout Measurement) {
    isOver.store(true, ordering: .relaxed)
    note(ContinuousClock.now)
    measurement.longestHold = longestWait * 1_000
    measurement.longestHoldOfProcessor = longestWork * 1_000
    measurement.mainSeconds = processorTime() - firstWork
  }

  private func note(_ asked: ContinuousClock.Instant) {
    longestWait = max(longestWait, (ContinuousClock.now - asked) / .seconds(1))
    let work = processorTime()
    longestWork = max(longestWork, work - lastWork)
    lastWork = work
  }
}

/// The processor time of the calling thread, in seconds.
private func processorTime() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
