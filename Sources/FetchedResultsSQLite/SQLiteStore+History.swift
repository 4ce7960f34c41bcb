package import FetchedResults
import GRDB

extension SQLiteStore: HistoryStore {
  package var tracksHistory: Bool { history != nil }

  package func trackHistory() throws(StoreError) {
    guard history == nil else { return }
    if isReadOnly { throw StoreError.noHistory(store: source.name) }
    do {
      history = try queue.writeWithoutTransaction { database in
        try database.inTransaction(.immediate) {
          // Another process may have created them first.
          if try HistoryTables(StoreSchema(database)) == nil {
            try HistoryTables.create(in: database)
          }
          return .commit
        }
        return try HistoryTables(StoreSchema(database))
      }
    } catch {
      throw StoreError(error, store: source.name)
    }
  }

  package func lastTransactionNumber() throws(StoreError) -> Int64 {
    try reading { connection in
      try HistoryTables.last(
        of: HistoryTables.Number.transaction, "ATRANSACTION", in: connection, isCounted: false)
    }
  }

  package func transactions(
    after number: Int64?, author: String?
  ) throws(StoreError) -> [PersistentHistoryTransaction] {
    guard let history else { throw StoreError.noHistory(store: source.name) }
    return try reading { connection in
      let first = try connection.statement("SELECT MIN(Z_PK) FROM ATRANSACTION").firstInteger()
      let last = try HistoryTables.last(
        of: HistoryTables.Number.transaction, "ATRANSACTION", in: connection)
      try checkHistory(after: number, first: first, last: last, store: source.name)
      return try history.transactions(
        after: number ?? 0, author: author, storeID: identifier, source.layout, in: connection)
    }
  }

  package func deleteTransactions(before number: Int64) throws(StoreError) -> Int {
    guard history != nil else { throw StoreError.noHistory(store: source.name) }
    if isReadOnly { throw StoreError.readOnly(store: source.name) }
    var deleted = 0
    do {
      try queue.unsafeReentrantWrite { database in
        let connection = StoreConnection(database: database, log: source.log)
        try connection.inTransaction {
          try connection.execute(
            "DELETE FROM ACHANGE WHERE ZTRANSACTIONID < ?", [number.databaseValue])
          let statement = try connection.statement("DELETE FROM ATRANSACTION WHERE Z_PK < ?")
          statement.bind(number, at: 0)
          deleted = try statement.execute()
        }
      }
    } catch {
      throw StoreError(error, store: source.name)
    }
    return deleted
  }

  package func noticeForeignSaves() throws(StoreError) -> Int {
    try reading { try noticeSaves($0) }
    return foreignSaves
  }

  private func reading<Result>(
    _ body: (StoreConnection) throws -> Result
  ) throws(StoreError) -> Result {
    do {
      return try source.read(body)
    } catch {
      throw StoreError(error, store: source.name)
    }
  }

  /// Notes the changes of a save in the file's history, if it keeps one.
  ///
  /// - Returns: The number of the new history transaction.
  func noteHistory(of changes: [StoreChange], in connection: StoreConnection) throws -> Int64? {
    guard let history, !changes.isEmpty else { return nil }
    return try history.write(changes, by: transactionAuthor, source.layout, in: connection)
  }
}
