import Foundation

/// Measures the processor time of this thread.
///
/// Other tests and programs, which take the processor meanwhile, do not lengthen it. Use it for laws
/// of how time grows.
package enum ThreadClock {
  /// The time that the processor has given this thread.
  package static var now: Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  /// Returns the time that `body` takes of this thread.
  package static func measure(_ body: () throws -> Void) rethrows -> Duration {
    let start = now
    try body()
    return now - start
  }
}
