import FetchedResults
import Platform

extension StoreStamp {
  /// Describes the state of a database by its file: its identity, its length, and when it was last
  /// written.
  ///
  /// The file is not opened, because closing it would release SQLite's locks.
  ///
  /// - Returns: Nil if part of the state is in a log, or if the file was written a moment ago, so
  ///   that another write might not be detected.
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
  /// The times that change with a write.
  fileprivate var times: [Time] { [modified, changed] }

  /// How many seconds to wait until another write is sure to have another time; 0 or less if none.
  var secondsUntilCertain: Double {
    let now = Time.now
    return times.map { $0.tick - $0.seconds(until: now) }.max() ?? 0
  }
}

extension FileStatus.Time {
  /// The longest time, in seconds, in which a file system may give two writes the same time.
  ///
  /// A file system without fractions of a second may do so for two seconds.
  fileprivate var tick: Double { nanoseconds == 0 ? 2 : 0.02 }
}
