import Foundation

/// What a store's history has, and what a context takes over from it.
extension ManagedObjectContext {
  /// Returns the transactions of the store's history after a token, oldest first.
  ///
  /// - Parameters:
  ///   - token: Where to begin; nil for the whole history.
  ///   - author: The author of all transactions that are wanted; nil for any.
  /// - Throws: ``StoreError/noHistory(store:)`` if the store keeps none,
  ///   ``StoreError/historyTokenExpired(store:)`` if transactions after the token were deleted.
  /// - Complexity: O(*k*) in the changes after the token.
  public func fetchHistory(
    after token: PersistentHistoryToken? = nil, author: String? = nil
  ) throws(StoreError) -> [PersistentHistoryTransaction] {
    let history = try persistentStoreCoordinator.requiredHistory()
    if let token, token.storeID != history.identifier { return [] }
    return try history.transactions(after: token?.transactionNumber, author: author)
  }

  /// Deletes the transactions of the store's history before a token, which no reader needs any
  /// more; the token's own stays.
  ///
  /// - Parameter token: Nil to delete them all.
  /// - Returns: How many transactions were deleted.
  /// - Throws: ``StoreError``.
  @discardableResult
  public func deleteHistory(before token: PersistentHistoryToken?) throws(StoreError) -> Int {
    let history = try persistentStoreCoordinator.requiredHistory()
    guard let token else { return try history.deleteTransactions(before: .max) }
    guard token.storeID == history.identifier else { return 0 }
    return try history.deleteTransactions(before: token.transactionNumber)
  }

  /// Merges what the store's history has since this was last done, or since the context was made:
  /// saves of other processes, other coordinators and other contexts.
  ///
  /// What this context saved itself is left out. Controllers report the rest with the next
  /// processing, as after ``mergeChanges(fromContextDidSave:)`` of each transaction's
  /// ``PersistentHistoryTransaction/objectIDNotification()``.
  ///
  /// - Parameter author: The author of the transactions to merge; those of others are passed over
  ///   for good. Nil for any.
  /// - Returns: The transactions that were merged.
  /// - Precondition: The context has no parent, since it reads from that and not from the store.
  /// - Throws: ``StoreError``.
  /// - Complexity: O(*k* log *n*) in the changes, and the time to read their rows.
  @discardableResult
  public func mergeHistory(
    author: String? = nil
  ) throws(StoreError) -> [PersistentHistoryTransaction] {
    precondition(parent == nil, "a context with a parent merges what the parent has")
    return try ChangeMerger(self).mergeHistory { [ownTransactions] transaction in
      !ownTransactions.contains(transaction.transactionNumber)
        && (author == nil || transaction.author == author)
    }
  }

  /// Merges at the end of a turn what others saved, where the context merges by itself.
  ///
  /// What came by the same coordinator arrives as a ``ContextSave``.
  func mergeHistoryAutomatically() {
    guard automaticallyMergesChangesFromParent, parent == nil,
      let history = persistentStoreCoordinator.history
    else { return }
    do {
      let noticed = try history.noticeForeignSaves()
      guard noticed != automaticallyMergedSaves else { return }
      automaticallyMergedSaves = noticed
      try ChangeMerger(self).mergeHistory {
        !history.ownTransactions.contains($0.transactionNumber)
      }
    } catch {
      persistentStoreCoordinator.note(error)
    }
    process()
  }

  /// Who saves, for the history.
  func author(at moment: Date) -> TransactionAuthor {
    TransactionAuthor(
      name: transactionAuthor, contextName: name, processName: ProcessInfo.processInfo.processName,
      moment: moment)
  }
}

extension PersistentHistoryTransaction {
  /// The transaction as a note of a save, which a context merges by
  /// ``ManagedObjectContext/mergeChanges(fromContextDidSave:)``.
  public func objectIDNotification() -> ContextSave { ContextSave(changes) }
}

extension PersistentStoreCoordinator {
  /// Whether each save is noted in a history in the store.
  public var tracksPersistentHistory: Bool { history != nil }

  /// The place in the store's history now; nil if it keeps none, or cannot be read.
  public var currentPersistentHistoryToken: PersistentHistoryToken? {
    guard let history, let last = try? history.lastTransactionNumber() else { return nil }
    return PersistentHistoryToken(storeID: history.identifier, transactionNumber: last)
  }

  /// Lets the store keep a history from now on, as if it had been opened with
  /// NSPersistentHistoryTrackingKey.
  ///
  /// A file that has Core Data's tables of a history keeps it anyway.
  ///
  /// - Throws: ``StoreError``, as of a store that may only be read.
  public func trackPersistentHistory() throws(StoreError) {
    try requiredHistory().trackHistory()
  }

  /// Tells ``remoteChangeHandler`` of saves of others that it was not told about yet.
  ///
  /// The end of each turn does it, so an app need not, unless it waits.
  public func checkForRemoteChanges() { tellRemoteChanges() }

  /// The store, where it keeps a history.
  var history: (any HistoryStore)? {
    guard let store = store as? any HistoryStore, store.tracksHistory else { return nil }
    return store
  }

  func requiredHistory() throws(StoreError) -> any HistoryStore {
    // A store that keeps none says so itself, by its name.
    guard let store = store as? any HistoryStore else {
      throw StoreError.noHistory(store: store.identifier)
    }
    return store
  }

  /// How many saves of others the store has noticed by now.
  var noticedForeignSaves: Int {
    guard let store = store as? any HistoryStore else { return 0 }
    return (try? store.noticeForeignSaves()) ?? store.foreignSaves
  }

  func tellRemoteChanges() {
    guard let remoteChangeHandler else { return }
    let noticed = noticedForeignSaves
    guard noticed != toldForeignSaves else { return }
    toldForeignSaves = noticed
    remoteChangeHandler(currentPersistentHistoryToken)
  }
}
