extension PersistentContainer {
  /// The transactions of the store's history after a token, oldest first, and then each one that
  /// follows: saves of this process and of others.
  ///
  /// ```swift
  /// for try await transaction in container.historyTransactions(after: token) {
  ///   for change in transaction.changes { index(change.changedObjectID) }
  ///   token = transaction.token
  /// }
  /// ```
  ///
  /// The sequence ends when its task is cancelled. It fails with ``StoreError/noHistory(store:)`` if
  /// the store keeps no history, and with ``StoreError/historyTokenExpired(store:)`` if transactions
  /// after the token were deleted. Each iteration reads with a context of its own.
  ///
  /// - Parameters:
  ///   - token: Where to begin; nil for the whole history.
  ///   - author: Only transactions of this author; nil for all.
  ///   - interval: How long to wait before the store is asked again, if it had nothing new.
  /// - Complexity: O(*k*) in the changes after the token.
  public func historyTransactions(
    after token: PersistentHistoryToken? = nil, author: String? = nil,
    checkingEvery interval: Duration = .milliseconds(250)
  ) -> PersistentHistoryTransactions {
    PersistentHistoryTransactions(
      container: self, token: token, author: author, interval: interval)
  }
}

/// The transactions of a store's history, as they are saved; see
/// ``PersistentContainer/historyTransactions(after:author:checkingEvery:)``.
public struct PersistentHistoryTransactions: AsyncSequence, Sendable {
  let container: PersistentContainer
  let token: PersistentHistoryToken?
  let author: String?
  let interval: Duration

  /// Begins at the sequence's token.
  public func makeAsyncIterator() -> Iterator { Iterator(self, token: token) }

  /// Reads the history.
  public struct Iterator: AsyncIteratorProtocol {
    private let sequence: PersistentHistoryTransactions
    private var token: PersistentHistoryToken?
    private var context: BackgroundContext?
    private var found: ArraySlice<PersistentHistoryTransaction> = []

    init(_ sequence: PersistentHistoryTransactions, token: PersistentHistoryToken?) {
      self.sequence = sequence
      self.token = token
    }

    /// Returns the next transaction, once there is one; nil if the task is cancelled.
    ///
    /// - Throws: ``StoreError``.
    public mutating func next() async throws -> PersistentHistoryTransaction? {
      while !Task.isCancelled {
        while let transaction = found.popFirst() {
          token = transaction.token
          if sequence.author == nil || transaction.author == sequence.author { return transaction }
        }
        let reader = try context ?? sequence.container.newBackgroundContext()
        context = reader
        found = try await reader.perform { [token] context in
          try context.fetchHistory(after: token)
        }[...]
        // A cancelled sleep ends the loop.
        if found.isEmpty { try? await Task.sleep(for: sequence.interval) }
      }
      return nil
    }
  }
}
