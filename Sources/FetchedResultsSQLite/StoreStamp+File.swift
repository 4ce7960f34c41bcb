import FetchedResults
import Platform

extension StoreStamp {
  /// Tells the state of a database by its file: which one it is, how long, and
  /// when it was last written.
  ///
  /// Nothing is opened, for closing a file of SQLite's lets go of its locks.
  ///
  /// - Returns: Nil if part of the state is in a log, or the file was written a moment ago, so that
  ///   another write might not show.
  init?(database path: String) {
    for log in ["-wal", "-journal"] {
      if let status = try? FileStatus(path + log), status.size > 0 { return nil }
    }
    guard let status = try? FileStatus(path), status.secondsUntilCertain <= 0 else { return nil }
    let identity = status.identity
    self.init(
      text: "\(identity.device) \(identity.inode) \(status.size) "
        + status.times.map { "\($0.seconds).\($0.nanoseconds)" }.joined(separator: " "))
  }
}

extension FileStatus {
  /// The times that tell about a write.
  fileprivate var times: [Time] { [modified, changed] }

  /// How many seconds have to pass until another write is sure to show another
  /// time; at most 0 where they have passed.
  var secondsUntilCertain: Double {
    let now = Time.now
    return times.map { $0.tick - $0.seconds(until: now) }.max() ?? 0
  }
}

extension FileStatus.Time {
  /// How many seconds a file system may give one time to two writes.
  ///
  /// One that keeps no parts of a second may give it for two seconds.
  fileprivate var tick: Double { nanoseconds == 0 ? 2 : 0.02 }
}
