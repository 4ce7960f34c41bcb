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
