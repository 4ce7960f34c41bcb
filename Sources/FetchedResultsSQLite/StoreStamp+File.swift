import FetchedResults
import Foundation

extension StoreStamp {
  /// How long a file system may give one time to two writes.
  static let tick = 0.02

  /// Tells the state of a database by its file: which one it is, how long, and
  /// when it was last written.
  ///
  /// Nothing is opened, for closing a file of SQLite's lets go of its locks.
  ///
  /// - Returns: Nil where part of the state is in a log, or the file was
  ///   written a moment ago, so that another write might not show.
  init?(database path: String) {
    for log in ["-wal", "-journal"] {
      if let status = FileStatus(path + log), status.size > 0 { return nil }
    }
    guard let status = FileStatus(path), status.age >= Self.tick else { return nil }
    self.init(text: status.text)
  }
}

/// What a file system knows of a file.
private struct FileStatus {
  let size: Int
  let text: String
  /// How long ago the file was last written, in seconds.
  let age: Double

  init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    size = Int(status.st_size)
    let times = [status.st_mtim, status.st_ctim]
    text =
      "\(status.st_dev) \(status.st_ino) \(size) "
      + times.map { "\($0.tv_sec).\($0.tv_nsec)" }.joined(separator: " ")
    age =
      times.map { Double(now.tv_sec - $0.tv_sec) + Double(now.tv_nsec - $0.tv_nsec) / 1e9 }.min()
      ?? 0
  }
}
