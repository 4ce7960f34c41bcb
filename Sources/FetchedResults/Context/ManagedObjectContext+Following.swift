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
  /// Merges what others saved, which the contexts were told before
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
