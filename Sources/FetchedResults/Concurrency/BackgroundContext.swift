import Dispatch
public import Foundation

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

extension PersistentContainer {
  /// Inserts an object for each element of a sequence, in the background.
  ///
  /// Objects are saved in groups and then forgotten, so memory holds one group, however long the
  /// sequence is. The next element is asked for only when there is room for it: at most 250 are
  /// read before objects are made of them. Contexts that merge automatically follow group by group.
  ///
  /// ```swift
  /// let count = try await container.insertObjects(of: book, from: url.lines) { line, object in
  ///   object["title"] = .string(line)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - entity: The entity of the new objects.
  ///   - elements: What to make objects of.
  ///   - count: How many objects one save has.
  ///   - author: Who saves, in the history of the store.
  ///   - progress: Counts the saved objects, and can cancel the import; nil for neither.
  ///   - didSave: Called after each save with the number of objects saved so far.
  ///   - fill: Sets a new object's values. It may fetch by the object's context, and relate the
  ///     object to others. It is called on the context's queue, and the sequence is read elsewhere.
  /// - Returns: How many objects were inserted.
  /// - Throws: ``StoreError``, ``SaveError``, what `elements` and `fill` throw, and
  ///   `CancellationError`. The groups that were saved before stay.
  @discardableResult
  public func insertObjects<Elements: AsyncSequence & Sendable>(
    of entity: EntityDescription, from elements: Elements, savingEvery count: Int = 1_000,
    author: String? = nil, progress: Progress? = nil, didSave: (@Sendable (Int) -> Void)? = nil,
    _ fill: @escaping @Sendable (Elements.Element, ManagedObject) throws -> Void
  ) async throws -> Int where Elements.Element: Sendable {
    let context = try newBackgroundContext()
    let size = max(1, count)
    var saved = 0
    // A call of the context's actor takes longer than the insertion of an object, so many elements
    // go there at once.
    let ahead = ElementsAhead<Elements.Element>()
    var inserted = 0
    func insert() async throws {
      let elements = ahead.take()
      try await context.insertObjects(of: entity, from: elements, fill)
      inserted += elements.count
    }
    func save() async throws {
      try await context.saveGroup(author: author)
      saved += inserted
      inserted = 0
      progress?.completedUnitCount = Int64(saved)
      didSave?(saved)
    }
    for try await element in elements {
      if progress?.isCancelled == true { throw CancellationError() }
      let count = ahead.add(element)
      let isFull = inserted + count == size
      if isFull || count == ElementsAhead<Elements.Element>.most { try await insert() }
      if isFull { try await save() }
    }
    if !ahead.isEmpty { try await insert() }
    if inserted > 0 { try await save() }
    return saved
  }
}

/// Elements of an import that were read, and of which no objects were made yet.
///
/// It is a class, which knows the type of its elements. The function that reads them would look up
/// the type of an array of them again after each element.
private final class ElementsAhead<Element> {
  /// How many there are at most.
  static var most: Int { 250 }

  private var elements: [Element] = []

  var isEmpty: Bool { elements.isEmpty }

  /// Adds an element, and returns how many there are.
  func add(_ element: Element) -> Int {
    elements.append(element)
    return elements.count
  }

  /// Removes and returns all elements.
  func take() -> [Element] {
    let taken = elements
    elements = []
    elements.reserveCapacity(Self.most)
    return taken
  }
}

extension BackgroundContext {
  fileprivate func insertObjects<Element: Sendable>(
    of entity: EntityDescription, from elements: [Element],
    _ fill: @Sendable (Element, ManagedObject) throws -> Void
  ) throws {
    for element in elements { try fill(element, context.insert(entity)) }
  }

  fileprivate func saveGroup(author: String?) async throws {
    try Task.checkCancellation()
    context.transactionAuthor = author
    do {
      try await context.save()
    } catch SaveError.cancelled {
      // The caller should not have to know in which part the task was cancelled.
      throw CancellationError()
    }
    context.reset()
  }
}
