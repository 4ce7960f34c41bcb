/// A model and its store, for contexts on several actors and threads.
///
/// ```swift
/// let container = PersistentContainer(managedObjectModel: model)
/// let context = try container.newContext()         // on the main actor, say
/// let count = try await container.performBackgroundTask { context in
///   for row in rows { context.insert(book)["title"] = .string(row.title) }
///   try context.save()
///   return rows.count
/// }
/// ```
///
/// Each context has a coordinator of its own, and for a file a connection of its own. So they
/// block each other no longer than the store does, and what one saves the others merge. A
/// context, its objects and its controllers stay on the actor that made the context. Only values
/// go from one to another: ``ObjectID``, ``SectionedDifference``, ``FetchedResultsSnapshot``.
public final class PersistentContainer: Sendable {
  /// The entities of the objects.
  public let managedObjectModel: ManagedObjectModel
  /// Makes a coordinator on the store.
  let makeCoordinator: @Sendable () throws(StoreError) -> PersistentStoreCoordinator
  private let feed = SaveFeed()
  private let workers: WorkerPool
  /// About how many objects of others' saves a context merges without letting its actor do
  /// something else; a single save is merged as a whole.
  private static let mostMerged = 500

  /// Creates a container with a store in memory, which ends with the container and its contexts.
  public convenience init(managedObjectModel: ManagedObjectModel) {
    let memory = SharedMemory()
    self.init(managedObjectModel: managedObjectModel) {
      PersistentStoreCoordinator(
        managedObjectModel: managedObjectModel, store: SharedMemoryStore(memory))
    }
  }

  /// Creates a container whose contexts have coordinators that `coordinator` makes.
  ///
  /// - Parameters:
  ///   - managedObjectModel: The entities of the objects.
  ///   - maximumBackgroundTasks: How many background tasks run at the same time. Others wait in the
  ///     order of their calls.
  ///   - coordinator: Makes a coordinator on the one store. It is called for each context, on
  ///     the actor that makes the context. Background tasks share what it makes: each has a
  ///     coordinator of its own, with the same store, and the hooks and classes that are set here.
  public init(
    managedObjectModel: ManagedObjectModel, maximumBackgroundTasks: Int = 16,
    coordinator: @escaping @Sendable () throws(StoreError) -> PersistentStoreCoordinator
  ) {
    self.managedObjectModel = managedObjectModel
    makeCoordinator = coordinator
    workers = WorkerPool(most: maximumBackgroundTasks)
  }

  /// Creates a context for the actor that calls.
  ///
  /// The context merges what other contexts of this container save, in turns of its own: one
  /// save, or several with some hundred objects, and then the actor may do something else.
  /// Where the caller is on no actor nothing calls the context; it merges with each call of
  /// ``ManagedObjectContext/processPendingChanges()``.
  ///
  /// - Parameter isolation: The actor that uses the context: the caller's.
  /// - Throws: ``StoreError`` where the store cannot be opened.
  public func newContext(
    isolation: isolated (any Actor)? = #isolation
  ) throws(StoreError) -> ManagedObjectContext {
    let (arrivals, signal) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let context = makeContext(
      on: try makeCoordinator(), didArrive: { signal.yield() }, didEnd: { signal.finish() })
    guard isolation != nil else { return context }
    context.leastUnmergedObjects = UnmergedSaves.limitInTurns
    context.pendingSaves?.keep(atMost: UnmergedSaves.limitInTurns)
    Task { [weak context] in
      // The task is on the caller's actor, since it names the actor.
      _ = isolation
      for await _ in arrivals {
        while let context, context.pendingSaves?.isEmpty == false,
          context.automaticallyMergesChangesFromParent
        {
          context.processPendingChanges(merging: Self.mostMerged)
          await Task.yield()
        }
      }
    }
    return context
  }

  /// Creates a context with an executor of its own.
  ///
  /// - Throws: ``StoreError`` where the store cannot be opened.
  public func newBackgroundContext() throws(StoreError) -> BackgroundContext {
    try BackgroundContext(of: self)
  }

  /// Runs a task with a context in the background.
  ///
  /// Each task has a new context, and a coordinator of its own. A setting of these has no effect in
  /// another task, and unsaved changes are dropped. The result has to be `Sendable`: values and
  /// identities, and no objects. Cancelling the calling task cancels a fetch of the context.
  ///
  /// Several tasks run at the same time. In a file, their fetches do not wait for each other, and
  /// each fetch sees a save as a whole or not at all. If as many tasks run as the container allows,
  /// the next one waits until another ends. So a task must not block until another task ends.
  ///
  /// - Throws: ``StoreError`` where the store cannot be opened, and what `body` throws.
  public func performBackgroundTask<Result: Sendable>(
    _ body: @Sendable (ManagedObjectContext) throws -> Result
  ) async throws -> Result {
    await workers.enter()
    defer { workers.leave() }
    let worker = try workers.takeIdle() ?? BackgroundWorker(of: self)
    defer { workers.keep(worker) }
    return try await worker.perform(in: self, body)
  }

  /// Creates a context that reports its saves to the others, and receives theirs.
  func makeContext(
    on coordinator: PersistentStoreCoordinator,
    didArrive: @escaping @Sendable () -> Void = {}, didEnd: @escaping @Sendable () -> Void = {}
  ) -> ManagedObjectContext {
    let context = ManagedObjectContext(coordinator: coordinator)
    let pendingSaves = PendingSaves(didArrive: didArrive, didEnd: didEnd)
    context.pendingSaves = pendingSaves
    context.automaticallyMergesChangesFromParent = true
    feed.add(pendingSaves)
    context.publish = { [feed, weak pendingSaves] save in feed.post(save, from: pendingSaves) }
    return context
  }
}

/// Brings each save of a container's contexts to the others.
private final class SaveFeed: Sendable {
  private struct Receiver: Sendable {
    weak let pendingSaves: PendingSaves?
  }

  private let receivers = Locked<[Receiver]>([])

  func add(_ pendingSaves: PendingSaves) {
    receivers.withLock { receivers in
      receivers.removeAll { $0.pendingSaves == nil }
      receivers.append(Receiver(pendingSaves: pendingSaves))
    }
  }

  func post(_ save: ContextSave, from sender: PendingSaves?) {
    for saves in receivers.withLock({ $0.compactMap(\.pendingSaves) }) where saves !== sender {
      saves.put(save)
    }
  }
}

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
