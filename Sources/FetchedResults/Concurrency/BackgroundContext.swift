import Dispatch

/// A context with a thread's worth of time of its own.
///
/// It works on a serial queue, and not on the threads that Swift's tasks share. So a long fetch,
/// or a wait for another process, delays no other task.
///
/// ```swift
/// let importer = try container.newBackgroundContext()
/// try await importer.perform { context in
///   context.insert(book)["title"] = "Dune"
///   try context.save()
/// }
/// ```
public actor BackgroundContext {
  private let executor: QueueExecutor
  /// The context; reachable from this actor only.
  public let context: ManagedObjectContext

  /// The queue that everything of this actor runs on.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  init(of container: PersistentContainer) throws(StoreError) {
    executor = QueueExecutor()
    // It merges before each task, and needs no waking.
    context = try container.makeContext(didArrive: {}, didEnd: {})
  }

  /// Runs a task with the context, after those that were given before.
  ///
  /// What other contexts saved until now is merged first. The turn ends with the task. The
  /// context keeps its objects and its unsaved changes for the next task.
  ///
  /// - Parameter body: Its result has to be `Sendable`: values and identities, and no objects.
  /// - Throws: What `body` throws.
  public func perform<Result: Sendable, Failure: Error>(
    _ body: @Sendable (ManagedObjectContext) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    context.processPendingChanges()
    defer { context.processPendingChanges() }
    return try body(context)
  }

  /// Runs a task, and forgets every object after it.
  func performOnce<Result: Sendable>(
    _ body: @Sendable (ManagedObjectContext) throws -> Result
  ) throws -> Result {
    defer { forgetAll() }
    return try body(context)
  }

  /// Forgets every object, and what others saved: rows are read as they are then.
  func forgetObjects() {
    context.reset()
    _ = context.inbox?.take(objects: .max)
  }

  private func forgetAll() {
    forgetObjects()
    context.undoManager = nil
    context.mergePolicy = .error
    context.name = nil
    context.transactionAuthor = nil
  }
}

/// Runs an actor's jobs on a queue of its own.
private final class QueueExecutor: SerialExecutor {
  private let queue = DispatchQueue(label: "FetchedResults.BackgroundContext")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}
