/// A store that can keep a history of what was saved into it.
package protocol HistoryStore: PersistentStore {
  /// Whether each save is noted as a transaction.
  var tracksHistory: Bool { get }

  /// Begins to keep a history, where the store has none.
  ///
  /// - Throws: ``StoreError`` if the store is read only, or has tables of a history that cannot be
  ///   used.
  func trackHistory() throws(StoreError)

  /// Who the next save is of.
  var transactionAuthor: TransactionAuthor { get set }

  /// The transactions that this store object saved itself.
  var ownTransactions: TransactionNumbers { get }

  /// Returns the number of the last transaction; 0 before the first.
  func lastTransactionNumber() throws(StoreError) -> Int64

  /// Returns the transactions after one, oldest first.
  ///
  /// - Parameters:
  ///   - number: Nil for all that there are.
  ///   - author: The author of all that are wanted; nil for any.
  /// - Throws: ``StoreError/noHistory(store:)``, or ``StoreError/historyTokenExpired(store:)`` if
  ///   some that followed were deleted.
  /// - Complexity: O(*k*) in the changes after it.
  func transactions(
    after number: Int64?, author: String?
  ) throws(StoreError) -> [PersistentHistoryTransaction]

  /// Deletes the transactions before one.
  ///
  /// - Returns: How many they were.
  func deleteTransactions(before number: Int64) throws(StoreError) -> Int

  /// Looks whether others have saved, and returns how often that was noticed.
  func noticeForeignSaves() throws(StoreError) -> Int
}

extension HistoryStore {
  /// A store that is no file has one coordinator.
  package func noticeForeignSaves() -> Int { 0 }

  /// Throws where transactions that followed one are no longer there.
  ///
  /// - Parameters:
  ///   - first: The oldest that is there; nil if there is none.
  ///   - last: The last that there ever was.
  package func checkHistory(
    after number: Int64?, first: Int64?, last: Int64, store: String
  ) throws(StoreError) {
    guard let number else { return }
    // Scripts and files may name the highest number there is, after which there is none.
    let isExpired = first.map { number < $0 && number + 1 < $0 } ?? (number < last)
    if isExpired { throw StoreError.historyTokenExpired(store: store) }
  }
}
