import Foundation

/// The processor time of this thread, on which other programs have little influence.
enum CoreTime {
  /// Returns the seconds that a piece of work takes.
  static func seconds(of body: () throws -> Void) rethrows -> Double {
    let start = now
    try body()
    return now - start
  }

  /// Returns the shortest of several runs, which are repeated for a while.
  static func fastest(runs: Int, for limit: Double, _ body: () throws -> Void) rethrows -> Double {
    var best = Double.infinity
    var total = 0.0
    var count = 0
    while count < runs || total < limit {
      let time = try seconds(of: body)
      best = min(best, time)
      total += time
      count += 1
    }
    return best
  }

  private static var now: Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
