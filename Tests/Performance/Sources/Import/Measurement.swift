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
  /// How long the calls of the main actor had to wait, in milliseconds of the main thread's
  /// processor time, which depends little on other programs: the median, the 99th of a hundred
  /// and the longest.
  var waits = (median: 0.0, hundredth: 0.0, longest: 0.0)
  /// The longest such time by the clock, in milliseconds.
  var longestByClock = 0.0
  /// How long the main thread used a processor, in seconds.
  var mainSeconds = 0.0

  static let heading =
    "            written s  delivered s  batches  median wait ms  99th ms  longest ms  by clock ms"
    + "  main s"

  var line: String {
    String(
      format: "%10.2f %12.2f %8d %15.2f %8.2f %11.2f %12.1f %7.2f", written, delivered, batches,
      waits.median, waits.hundredth, waits.longest, longestByClock, mainSeconds)
  }

  static func median(_ all: [Measurement]) -> Measurement {
    func median<Number: Comparable>(_ numbers: [Number]) -> Number {
      numbers.sorted()[numbers.count / 2]
    }
    return Measurement(
      written: median(all.map(\.written)), delivered: median(all.map(\.delivered)),
      batches: median(all.map(\.batches)),
      waits: (
        median(all.map(\.waits.median)), median(all.map(\.waits.hundredth)),
        median(all.map(\.waits.longest))
      ), longestByClock: median(all.map(\.longestByClock)),
      mainSeconds: median(all.map(\.mainSeconds)))
  }
}

/// Calls the main actor about every millisecond, and notes how long the call had to wait.
@MainActor
final class MainWatch {
  private let isOver = Atomic(false)
  private let clock = ThreadClock()
  /// The processor time that the main thread used while each call waited, in seconds.
  private var works: [Double] = []
  private var longestWait = 0.0
  private let firstWork: Double
  private let start = ContinuousClock.now

  init() {
    firstWork = clock.seconds
    let thread = Thread { [self] in
      while !isOver.load(ordering: .relaxed) {
        let asked = (time: ContinuousClock.now, work: clock.seconds)
        let answered = DispatchSemaphore(value: 0)
        DispatchQueue.main.async {
          MainActor.assumeIsolated { self.note(asked.time, asked.work) }
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
    let sorted = works.sorted().map { $0 * 1_000 }
    if let longest = sorted.last {
      measurement.waits = (sorted[sorted.count / 2], sorted[sorted.count * 99 / 100], longest)
    }
    measurement.longestByClock = longestWait * 1_000
    measurement.mainSeconds = clock.seconds - firstWork
  }

  private func note(_ asked: ContinuousClock.Instant, _ work: Double) {
    longestWait = max(longestWait, (ContinuousClock.now - asked) / .seconds(1))
    works.append(clock.seconds - work)
  }
}

/// The processor time of the thread that makes it, which any thread may read.
///
/// Where a system has no such clock, it is the time that has passed.
private struct ThreadClock {
  private var identifier = CLOCK_MONOTONIC

  init() {
    #if os(Linux)
    pthread_getcpuclockid(pthread_self(), &identifier)
    #endif
  }

  var seconds: Double {
    var time = timespec()
    clock_gettime(identifier, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
