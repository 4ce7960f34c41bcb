/// Counts transactions of a store's history, of some entities and authors, as SwiftData's
/// HistoryObserver does.
///
/// ```swift
/// let sync = try ObservedHistory(of: [book], authors: ["App"], in: context)
/// try context.save()
/// try sync.update()                  // at the end of a turn
/// for transaction in sync.takeTransactions() { … }
/// ```
///
/// Not `Sendable`; see ``PersistentStoreCoordinator``.
public final class ObservedHistory {
  /// The context that reads the history.
  public let managedObjectContext: ManagedObjectContext
  /// The entities whose changes count; empty for all.
  public let entities: [EntityDescription]
  /// The authors whose transactions count; empty for all, also those without an author.
  public let authors: Set<String>
  /// The number of times that ``update()`` found transactions that count.
  public private(set) var eventCounter = 0
  /// The last transaction that was read.
  public private(set) var token: PersistentHistoryToken
  private var found: [PersistentHistoryTransaction] = []

  /// Creates an observer.
  ///
  /// - Parameters:
  ///   - entities: The entities whose changes count, with those that inherit from them; empty for
  ///     all.
  ///   - authors: The authors whose transactions count; empty for all.
  ///   - token: Where to begin; nil for the present place in the history.
  ///   - context: The context that reads the history.
  /// - Throws: ``StoreError/noHistory(store:)`` if the store keeps no history.
  public init(
    of entities: [EntityDescription] = [], authors: Set<String> = [],
    after token: PersistentHistoryToken? = nil, in context: ManagedObjectContext
  ) throws(StoreError) {
    let history = try context.persistentStoreCoordinator.requiredHistory()
    // The store throws its own error, with its name.
    if !history.tracksHistory { _ = try history.transactions(after: nil, author: nil) }
    managedObjectContext = context
    self.entities = entities
    self.authors = authors
    if let token, token.storeID == history.identifier {
      self.token = token
    } else {
      self.token = PersistentHistoryToken(
        storeID: history.identifier, transactionNumber: try history.lastTransactionNumber())
    }
  }

  /// The token of the last transaction that was read, by the identifier of its store.
  ///
  /// An app keeps it, and gives it to the observer of its next run.
  public var historyTokens: [String: PersistentHistoryToken] { [token.storeID: token] }

  /// Reads what is new in the history, and counts it if a transaction of it counts.
  ///
  /// - Returns: Whether ``eventCounter`` grew.
  /// - Throws: ``StoreError/historyTokenExpired(store:)`` if transactions were deleted that were not
  ///   read yet. The next call then continues with those that exist.
  /// - Complexity: O(*k*) in the changes since the last call.
  @discardableResult
  public func update() throws(StoreError) -> Bool {
    let history = try managedObjectContext.persistentStoreCoordinator.requiredHistory()
    let last = try history.lastTransactionNumber()
    guard last != token.transactionNumber else { return false }
    let new: [PersistentHistoryTransaction]
    do {
      new = try history.transactions(after: token.transactionNumber, author: nil)
    } catch {
      if case .historyTokenExpired = error { move(to: last) }
      throw error
    }
    move(to: new.last?.transactionNumber ?? last)
    let counting = new.filter(counts)
    found += counting
    if !counting.isEmpty { eventCounter += 1 }
    return !counting.isEmpty
  }

  /// Removes and returns the transactions that counted since the last call, oldest first.
  public func takeTransactions() -> [PersistentHistoryTransaction] {
    defer { found = [] }
    return found
  }

  private func move(to number: Int64) {
    token = PersistentHistoryToken(storeID: token.storeID, transactionNumber: number)
  }

  private func counts(_ transaction: PersistentHistoryTransaction) -> Bool {
    if !authors.isEmpty {
      guard let author = transaction.author, authors.contains(author) else { return false }
    }
    return entities.isEmpty
      || transaction.changes.contains { change in
        entities.contains { change.changedObjectID.entity.isKindOf(entity: $0) }
      }
  }
}

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
