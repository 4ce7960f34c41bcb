/// A store that can keep a history of saves.
package protocol HistoryStore: PersistentStore {
  /// Whether each save is noted as a transaction.
  var tracksHistory: Bool { get }

  /// Begins to keep a history, if the store has none.
  ///
  /// - Throws: ``StoreError`` if the store is read only, or has tables of a history that cannot be
  ///   used.
  func trackHistory() throws(StoreError)

  /// The author of the next save.
  var transactionAuthor: TransactionAuthor { get set }

  /// The transactions that were saved by this object.
  var ownTransactions: TransactionNumbers { get }

  /// Returns the number of the last transaction; 0 before the first.
  func lastTransactionNumber() throws(StoreError) -> Int64

  /// Returns the transactions after a number, oldest first.
  ///
  /// - Parameters:
  ///   - number: Nil for all transactions.
  ///   - author: Return only transactions of this author; nil for all.
  func transactions(
    after number: Int64?, author: String?
  ) throws(StoreError) -> [PersistentHistoryTransaction]

  /// Deletes the transactions before a number.
  ///
  /// - Returns: How many were deleted.
  func deleteTransactions(before number: Int64) throws(StoreError) -> Int

  /// Checks whether others have saved, and returns how many times that was noticed.
  func noticeForeignSaves() throws(StoreError) -> Int
}

extension HistoryStore {
  /// A store that is not a file has one coordinator.
  package func noticeForeignSaves() -> Int { 0 }

  /// Throws if transactions after a number no longer exist.
  ///
  /// - Parameters:
  ///   - first: The oldest that exists; nil if there is none.
  ///   - last: The last that ever existed.
  package func checkHistory(
    after number: Int64?, first: Int64?, last: Int64, store: String
  ) throws(StoreError) {
    guard let number else { return }
    // Scripts and files may contain the highest possible number, which nothing follows.
    let isExpired = first.map { number < $0 && number + 1 < $0 } ?? (number < last)
    if isExpired { throw StoreError.historyTokenExpired(store: store) }
  }
}
