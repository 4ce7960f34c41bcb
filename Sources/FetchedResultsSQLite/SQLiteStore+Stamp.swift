package import FetchedResults
import Foundation
import GRDB
import Platform

extension SQLiteStore {
  package var stamp: StoreStamp? {
    isReadOnly ? copiedStamp : StoreStamp(database: path)
  }

  /// Writes the log into the file, if no other process uses it, and waits until a later write would
  /// be detected.
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
    // If another machine's clock runs ahead, a time in the future is not waited for.
    Thread.sleep(forTimeInterval: min(2, max(0, status.secondsUntilCertain)))
    return stamp
  }
}
