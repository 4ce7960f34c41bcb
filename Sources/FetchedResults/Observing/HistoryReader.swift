/// Reads the history of a container's store on a queue of its own, when a context of the container
/// has saved and when it is asked.
package actor HistoryReader {
  private let executor: QueueExecutor
  private let history: ObservedHistory
  /// One element for any number of saves since the last one was taken.
  package nonisolated let arrivals: AsyncStream<Void>
  /// Where the reader began.
  package nonisolated let start: PersistentHistoryToken

  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  /// Creates a reader, and makes the store keep a history.
  ///
  /// - Parameters:
  ///   - entities: The names of the entities whose changes count; empty for all.
  ///   - authors: The authors whose transactions count; empty for all.
  ///   - tokens: Where to begin, by the identifier of the store.
  ///   - container: The container.
  /// - Throws: ``StoreError``.
  package init(
    ofEntitiesNamed entities: Set<String>, authors: Set<String>,
    after tokens: [String: PersistentHistoryToken], in container: PersistentContainer
  ) throws(StoreError) {
    executor = QueueExecutor()
    let (arrivals, signal) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    self.arrivals = arrivals
    let context = container.makeContext(
      on: try container.makeCoordinator(), didArrive: { signal.yield() },
      didEnd: { signal.finish() })
    let coordinator = context.persistentStoreCoordinator
    if !coordinator.tracksPersistentHistory { try coordinator.trackPersistentHistory() }
    let model = coordinator.managedObjectModel
    history = try ObservedHistory(
      of: entities.compactMap { model.entitiesByName[$0] }, authors: authors,
      after: tokens[coordinator.store.identifier], in: context)
    start = history.token
  }

  /// What a reading found.
  package struct Reading: Sendable {
    /// The transactions that count.
    package let transactions: [PersistentHistoryTransaction]
    /// The last transaction that was read.
    package let token: PersistentHistoryToken
  }

  /// Reads what is new.
  ///
  /// - Parameter receive: Called with it, before anything else is read.
  /// - Throws: ``StoreError``. The next call continues.
  package func read(_ receive: @Sendable (Reading) -> Void) throws(StoreError) {
    // The history says what was saved, so the list of saves to merge need not keep it.
    history.managedObjectContext.pendingSaves?.empty()
    try history.update()
    receive(Reading(transactions: history.takeTransactions(), token: history.token))
  }
}
