import Dispatch
import Foundation

/// Runs an actor's jobs on a queue of its own, and knows the longest one.
///
/// While a job runs, everyone else who needs the actor waits. So the longest job is the number to
/// watch in a service: a turn that merges too much at once shows here.
final class TimedQueue: SerialExecutor, @unchecked Sendable {
  private let queue: DispatchQueue
  /// The thread sanitizer on Linux does not know `Synchronization.Mutex`.
  private let lock = NSLock()
  // Accessed only while the lock is held.
  private var longest = LongestJob()

  init(label: String) { queue = DispatchQueue(label: label) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async {
      let start = (clock: Self.now(CLOCK_MONOTONIC), work: Self.now(CLOCK_THREAD_CPUTIME_ID))
      job.runSynchronously(on: self.asUnownedSerialExecutor())
      let clock = Self.now(CLOCK_MONOTONIC) - start.clock
      let work = Self.now(CLOCK_THREAD_CPUTIME_ID) - start.work
      self.lock.withLock {
        self.longest.milliseconds = max(self.longest.milliseconds, clock)
        self.longest.millisecondsOfProcessor = max(self.longest.millisecondsOfProcessor, work)
      }
    }
  }

  /// The longest job since the last call.
  func takeLongest() -> LongestJob {
    lock.withLock {
      defer { longest = LongestJob() }
      return longest
    }
  }

  private static func now(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
  }
}

/// How long the longest job of an actor took.
public struct LongestJob: Hashable, Sendable, Codable {
  /// By the clock, in which other threads may have had the processor.
  public internal(set) var milliseconds = 0.0
  /// The time of the processor alone.
  public internal(set) var millisecondsOfProcessor = 0.0
}
