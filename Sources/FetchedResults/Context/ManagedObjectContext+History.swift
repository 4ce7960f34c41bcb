import Foundation

/// Fetching and merging the history of a store.
extension ManagedObjectContext {
  /// Returns the transactions of the store's history after a token, oldest first.
  ///
  /// - Parameters:
  ///   - token: Where to begin; nil for the whole history.
  ///   - author: Return only transactions of this author; nil for all.
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

  /// Deletes the transactions of the store's history before a token, when no reader needs them any
  /// more.
  ///
  /// The token's own transaction stays.
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

  /// Merges the transactions of the store's history since the last merge, or since the context was
  /// made: saves of other processes, other coordinators and other contexts.
  ///
  /// The context's own saves are skipped. Controllers report the rest with the next processing, as
  /// after ``mergeChanges(fromContextDidSave:)`` with each transaction's
  /// ``PersistentHistoryTransaction/objectIDNotification()``.
  ///
  /// - Parameter author: Merge only transactions of this author; nil for all. Transactions of other
  ///   authors are skipped and never merged later.
  /// - Returns: The transactions that were merged.
  /// - Throws: ``StoreError``; ``StoreError/unusable(store:reason:)`` also for a child context, which
  ///   reads from its parent and not from the store. After ``StoreError/historyTokenExpired(store:)``,
  ///   fetch everything again: the next call merges only what is saved from now on.
  /// - Complexity: O(*k* log *n*) in the changes, and the time to read their rows.
  @discardableResult
  public func mergeHistory(
    author: String? = nil
  ) throws(StoreError) -> [PersistentHistoryTransaction] {
    guard parent == nil else {
      throw .unusable(
        store: persistentStoreCoordinator.store.identifier,
        reason: "a context with a parent merges no history; call mergeHistory() of the parent")
    }
    return try ChangeMerger(self).mergeHistory { [ownTransactions] transaction in
      !ownTransactions.contains(transaction.transactionNumber)
        && (author == nil || transaction.author == author)
    }
  }

  /// Merges what others saved at the end of a turn, if the context merges automatically.
  ///
  /// Saves of the same coordinator arrive as ``ContextSave`` instead.
  func mergeHistoryAutomatically() {
    guard automaticallyMergesChangesFromParent, parent == nil,
      !persistentStoreCoordinator.hasJoinedHistory,
      let history = persistentStoreCoordinator.history
    else { return }
    // Other contexts of the container are in the history, too. Each save is reported once.
    pendingSaves?.empty(onlyIfInHistory: true)
    do {
      let noticed = try history.noticeForeignSaves()
      guard noticed != automaticallyMergedSaves else { return }
      automaticallyMergedSaves = noticed
      try ChangeMerger(self).mergeHistory {
        !history.ownTransactions.contains($0.transactionNumber)
      }
    } catch {
      // Without the history, all objects are compared with their rows.
      unreadMerges.addEverything()
      // If others deleted transactions that this context has not merged, nothing is lost by that,
      // so no fetch or save has to fail.
      if case .historyTokenExpired = error {} else { persistentStoreCoordinator.note(error) }
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
  /// Converts the transaction to a save, which
  /// ``ManagedObjectContext/mergeChanges(fromContextDidSave:)`` merges.
  public func objectIDNotification() -> ContextSave { ContextSave(changes) }
}

extension PersistentStoreCoordinator {
  /// Whether the store records each save in a history.
  public var tracksPersistentHistory: Bool { history != nil }

  /// The latest place in the store's history; nil if there is no history, or if it cannot be read.
  public var currentPersistentHistoryToken: PersistentHistoryToken? {
    guard let history, let last = try? history.lastTransactionNumber() else { return nil }
    return PersistentHistoryToken(storeID: history.identifier, transactionNumber: last)
  }

  /// Makes the store keep a history from now on, as if it had been opened with
  /// NSPersistentHistoryTrackingKey.
  ///
  /// A file that already has Core Data's history tables keeps a history in any case.
  ///
  /// - Throws: ``StoreError``, for example for a read-only store.
  public func trackPersistentHistory() throws(StoreError) {
    // Earlier saves of others are not in the history.
    let noticed = noticedForeignSaves
    try requiredHistory().trackHistory()
    hasJoinedHistory = false
    noteMissedSaves(until: noticed)
  }

  /// Joins a history that another connection to the file has begun, such as an observer of the
  /// history.
  ///
  /// From then on, saves are noted. The contexts merge what others save as they did before.
  func joinHistory() {
    // A store that cannot be read says so when it is used.
    guard let store = store.historyStore, !store.tracksHistory,
      (try? store.joinHistory()) == true
    else { return }
    hasJoinedHistory = true
    noteMissedSaves(until: noticedForeignSaves)
  }

  private func noteMissedSaves(until noticed: Int) {
    for context in contexts.contexts {
      if context.mergedForeignSaves != noticed { context.mergedForeignSaves = nil }
      context.awaitEndOfTurn()
    }
  }

  /// Calls ``remoteChangeHandler`` if others have saved since it was last called.
  ///
  /// The end of each turn does the same. Call it only in an app that waits without ending a turn.
  public func checkForRemoteChanges() { tellRemoteChanges() }

  /// The store, if it keeps a history.
  var history: (any HistoryStore)? {
    guard let store = store.historyStore, store.tracksHistory else { return nil }
    return store
  }

  func requiredHistory() throws(StoreError) -> any HistoryStore {
    // A store without a history throws its own error, with its name.
    guard let store = store.historyStore else {
      throw StoreError.noHistory(store: store.identifier)
    }
    joinHistory()
    return store
  }

  /// How many saves of others the store has noticed by now.
  var noticedForeignSaves: Int {
    guard let store = store.historyStore else { return 0 }
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

/// Contexts that follow a store which reports exactly the objects that others saved.
extension PersistentStoreCoordinator {
  /// Lets the contexts read old values, before the store has the new rows of objects that others
  /// saved.
  ///
  /// So a controller knows by which values each row has its place, as if a context of this
  /// coordinator saved.
  ///
  /// - Throws: ``StoreError`` if the old rows cannot be read.
  /// - Complexity: O(*k*) in the objects.
  package func storeWillChange(_ ids: [ObjectID]) throws(StoreError) {
    let contexts = contexts.contexts
    guard let first = contexts.first else { return }
    first.source.forEachRow(of: ids) { index, row in
      guard let row else { return }
      for context in contexts { StaleObjects(context).willChange(ids[index], from: row) }
    }
    try checkReads()
  }
}

extension ManagedObjectContext {
  /// Merges what others saved, after the contexts were notified
  /// (``PersistentStoreCoordinator/storeWillChange(_:)``).
  ///
  /// Controllers whose requests read related objects fetch again.
  ///
  /// - Returns: The last transaction of the store's history that is new; nil if none is, or if the
  ///   store keeps no history.
  /// - Throws: ``StoreError`` if the store cannot be read.
  /// - Complexity: O(*k* log *n*) in the objects, unless a controller fetches.
  package func mergeFollowed(_ save: ContextSave) throws(StoreError) -> Int64? {
    if !save.isEmpty {
      ChangeMerger(self).merge(save)
      for listener in listeners where listener.receiver?.readsRelatedObjects == true {
        listener.receiver?.contextFollowsStore()
        followsStore = true
        awaitEndOfTurn()
      }
      mergedGeneration = persistentStoreCoordinator.store.generation
    }
    try persistentStoreCoordinator.checkReads()
    return try newTransaction()
  }

  /// Merges what others saved into a store that cannot say which objects they saved.
  ///
  /// Every object is compared with its row, and controllers fetch again.
  ///
  /// - Returns: As ``mergeFollowed(_:)``.
  /// - Throws: ``StoreError`` if something cannot be read. The rest is merged nevertheless.
  /// - Complexity: O(*n* log *n*) in the objects of the context and the rows of its controllers.
  package func mergeReread() throws(StoreError) -> Int64? {
    let merger = ChangeMerger(self)
    let known = mergedTransaction
    var failure: StoreError?
    if persistentStoreCoordinator.history != nil {
      do {
        // The history also says which objects were saved that the context does not have.
        try merger.mergeHistory { [ownTransactions] transaction in
          !ownTransactions.contains(transaction.transactionNumber)
        }
      } catch {
        if case .historyTokenExpired = error {} else { failure = error }
      }
    }
    try merger.mergeValuesFromStore()
    if let failure { throw failure }
    return mergedTransaction > known ? mergedTransaction : nil
  }

  /// The last transaction of the store's history, if it is new; it counts as merged then.
  private func newTransaction() throws(StoreError) -> Int64? {
    guard let history = persistentStoreCoordinator.history else { return nil }
    let last = try history.lastTransactionNumber()
    guard last != mergedTransaction else { return nil }
    let isNew = last > mergedTransaction
    mergedTransaction = last
    return isNew ? last : nil
  }
}
