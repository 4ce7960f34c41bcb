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
    context = container.makeContext(on: try container.makeCoordinator())
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
}

/// Runs background tasks one after the other, each with a new context.
///
/// Only the connection to the store and the queue are the same for the next task, so that no task
/// has to open a file, and nothing that a task does to its context reaches another.
actor BackgroundWorker {
  private let executor: QueueExecutor
  /// The coordinator that those of the tasks are made from; no task sees it.
  private let coordinator: PersistentStoreCoordinator

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  init(of container: PersistentContainer) throws(StoreError) {
    executor = QueueExecutor()
    coordinator = try container.makeCoordinator()
  }

  /// Runs a task with a new context of a container.
  func perform<Result: Sendable>(
    in container: PersistentContainer,
    _ body: @Sendable (ManagedObjectContext) throws -> Result
  ) throws -> Result {
    try body(container.makeContext(on: PersistentStoreCoordinator(renewing: coordinator)))
  }
}

/// The workers of a container.
///
/// A task that finds all places taken waits for one without blocking a thread, so no number of
/// tasks opens more files than the system allows.
final class WorkerPool: Sendable {
  private struct State {
    /// Workers whose task is over, for the next one.
    var idle: [BackgroundWorker] = []
    var freePlaces: Int
    /// Who waits for a place, in order.
    var waiting: ArraySlice<CheckedContinuation<Void, Never>> = []
  }

  private let state: Locked<State>

  /// How many workers without a task keep their connection.
  private static let mostIdle = 4

  init(most: Int) { state = Locked(State(freePlaces: max(1, most))) }

  /// Takes a place, once one is free.
  func enter() async {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        guard state.freePlaces > 0 else {
          state.waiting.append(continuation)
          return false
        }
        state.freePlaces -= 1
        return true
      }
      if isFree { continuation.resume() }
    }
  }

  /// Gives the place to the next that waits.
  func leave() {
    let next = state.withLock { state in
      let next = state.waiting.popFirst()
      if next == nil { state.freePlaces += 1 }
      return next
    }
    next?.resume()
  }

  /// Returns a worker without a task, if there is one.
  func takeIdle() -> BackgroundWorker? { state.withLock { $0.idle.popLast() } }

  /// Keeps a worker for the next task.
  func keep(_ worker: BackgroundWorker) {
    state.withLock { if $0.idle.count < Self.mostIdle { $0.idle.append(worker) } }
  }
}

/// Runs an actor's jobs on a queue of its own.
final class QueueExecutor: SerialExecutor {
  private let queue = DispatchQueue(label: "FetchedResults.BackgroundContext")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}
