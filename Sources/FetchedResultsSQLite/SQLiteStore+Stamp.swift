package import FetchedResults
import Foundation
import GRDB
import Platform

extension SQLiteStore {
  package var stamp: StoreStamp? {
    isReadOnly ? copiedStamp : StoreStamp(database: path)
  }

  /// Brings the log into the file, if it is not in use elsewhere, and waits until a
  /// later write will show.
  package func checkpoint() -> StoreStamp? {
    if isReadOnly { return copiedStamp }
    try? queue.writeWithoutTransaction { database in
      try database.execute(sql: "PRAGMA busy_timeout = 100")
      _ = try Row.fetchAll(database, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
      try database.execute(sql: "PRAGMA busy_timeout = \(Int(OpenedFile.patience * 1000))")
    }
    if let stamp { return stamp }
    guard let status = try? FileStatus(path) else { return nil }
    // A time that is to come, by another machine's clock, is not waited for.
    Thread.sleep(forTimeInterval: min(2, max(0, status.secondsUntilCertain)))
    return stamp
  }
}
