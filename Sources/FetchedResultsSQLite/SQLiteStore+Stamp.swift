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
      let patience = busyWait.patience
      defer { busyWait.patience = patience }
      busyWait.patience = min(patience, 100)
      _ = try Row.fetchAll(database, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
    }
    if let stamp { return stamp }
    guard let status = try? FileStatus(path) else { return nil }
    // A time that is to come, by another machine's clock, is not waited for.
    Thread.sleep(forTimeInterval: min(2, max(0, status.secondsUntilCertain)))
    return stamp
  }
}
