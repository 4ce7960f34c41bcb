package import FetchedResults
import Foundation
import GRDB

extension SQLiteStore {
  package var stamp: StoreStamp? {
    isReadOnly ? copiedStamp : StoreStamp(database: path)
  }

  /// Brings the log into the file, if nobody else uses it, and waits until a
  /// later write will show.
  package func settle() -> StoreStamp? {
    if isReadOnly { return copiedStamp }
    try? queue.writeWithoutTransaction { database in
      try database.execute(sql: "PRAGMA busy_timeout = 100")
      _ = try Row.fetchAll(database, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
      try database.execute(sql: "PRAGMA busy_timeout = \(Int(OpenedFile.patience * 1000))")
    }
    if let stamp { return stamp }
    Thread.sleep(forTimeInterval: StoreStamp.tick)
    return stamp
  }
}
