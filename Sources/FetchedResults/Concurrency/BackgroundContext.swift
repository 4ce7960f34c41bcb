import Dispatch

/// A context that works in the background.
///
/// It works on a serial queue of its own, and not on the threads that Swift's tasks share. So a
/// long fetch, or a wait for another process, delays no other task.
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
  /// The context, which only this actor can use.
  public let context: ManagedObjectContext

  /// The queue that everything of this actor runs on.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  init(of container: PersistentContainer) throws(StoreError) {
    executor = QueueExecutor()
    // The context merges before each task, so no save has to wake it.
    context = try container.makeContext(didArrive: {}, didEnd: {})
  }

  /// Runs a task with the context, after all earlier tasks.
  ///
  /// What other contexts saved until now is merged first. The turn ends with the task. The
  /// context keeps its objects and its unsaved changes for the next task.
  ///
  /// - Parameter body: The task. Its result must be `Sendable`: values and identities, but no
  ///   objects.
  /// - Throws: What `body` throws.
  public func perform<Result: Sendable, Failure: Error>(
    _ body: @Sendable (ManagedObjectContext) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    context.processPendingChanges()
    defer { context.processPendingChanges() }
    return try body(context)
  }

  /// Runs a task, and then forgets every object.
  func performOnce<Result: Sendable>(
    _ body: @Sendable (ManagedObjectContext) throws -> Result
  ) throws -> Result {
    defer { forgetAll() }
    return try body(context)
  }

  /// Forgets every object, and what others saved.
  ///
  /// Later reads find the rows as they are then.
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
