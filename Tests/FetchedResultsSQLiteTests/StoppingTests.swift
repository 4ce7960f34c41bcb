import EngineWorlds
import FetchedResults
import FetchedResultsSQLite
import Foundation
import Synchronization
import Testing

/// Long saves and fetches that a task or a `Progress` stops.
@Suite("Stopping long work")
struct StoppingTests {
  private static let count = 60_000
  private let folder: StoreFolder
  private let book: EntityDescription
  private let coordinator: PersistentStoreCoordinator
  private let context: ManagedObjectContext

  init() throws {
    folder = StoreFolder()
    book = try EntityDescription(
      name: "Book", attributes: [.init("title", .string), .init("pages", .integer64)])
    coordinator = try folder.coordinator(ManagedObjectModel(entities: [book]))
    context = ManagedObjectContext(coordinator: coordinator)
  }

  private func insert() {
    for number in 0..<Self.count {
      let object = context.insert(book)
      object["title"] = .string("Book \(number % 977)")
      object["pages"] = .int(Int64(number))
    }
    context.processPendingChanges()
  }

  private func storedCount() throws -> Int {
    try ManagedObjectContext(coordinator: coordinator).count(for: FetchRequest(entity: book))
  }

  /// Cancels a progress from another thread when a part has been written.
  private final class Canceller: Sendable {
    private let moment = Mutex<ContinuousClock.Instant?>(nil)

    /// The time of the cancellation.
    var began: ContinuousClock.Instant? { moment.withLock { $0 } }

    func start(_ progress: Progress) {
      Thread.detachNewThread { [self] in
        while progress.completedUnitCount < 1_000 { Thread.sleep(forTimeInterval: 0.001) }
        moment.withLock { $0 = .now }
        progress.cancel()
      }
    }
  }

  @Test("a progress counts a save, and cancels it within 100 ms; nothing is written")
  func save() throws {
    insert()
    let progress = Progress(totalUnitCount: 0)
    context.progress = progress
    let canceller = Canceller()
    canceller.start(progress)
    let error = #expect(throws: SaveError.self) { try context.save() }
    let end = ContinuousClock.Instant.now
    #expect(end - (try #require(canceller.began)) < .milliseconds(100))
    #expect(error == .cancelled)
    #expect(context.insertedObjects.count == Self.count)
    #expect(try storedCount() == 0)

    let second = Progress(totalUnitCount: 0)
    context.progress = second
    try context.save()
    #expect(second.completedUnitCount == Int64(Self.count))
    #expect(second.totalUnitCount == Int64(Self.count))
    #expect(try storedCount() == Self.count)
  }

  @Test("a cancelled progress stops a fetch")
  func fetch() throws {
    insert()
    try context.save()
    let reader = ManagedObjectContext(coordinator: coordinator)
    let progress = Progress(totalUnitCount: 0)
    reader.progress = progress
    progress.cancel()
    let request = FetchRequest(
      entity: book, predicate: try FetchPredicate(format: "title MATCHES %@", "Book .*7"),
      sortDescriptors: [FetchSortDescriptor(key: "title", selector: .localizedStandardCompare)])
    #expect(throws: FetchError.cancelled) { try reader.fetch(request) }
    reader.progress = nil
    #expect(try reader.fetch(request).count > 0)
  }

  @Test("a cancelled task neither saves nor fetches")
  func task() async throws {
    let container = try PersistentContainer(
      managedObjectModel: coordinator.managedObjectModel, sqliteStoreAt: folder.file())
    let book = book
    let task = Task {
      try await container.performBackgroundTask { context in
        withUnsafeCurrentTask { $0?.cancel() }
        context.insert(book)["title"] = "Emma"
        #expect(throws: SaveError.cancelled) { try context.save() }
        #expect(context.insertedObjects.count == 1)
      }
    }
    try await task.value
    #expect(try storedCount() == 0)
  }

  @Test("an import that is cancelled during a save throws a CancellationError")
  func cancelledInSave() async throws {
    let container = try PersistentContainer(
      managedObjectModel: coordinator.managedObjectModel, sqliteStoreAt: folder.file())
    let numbers = AsyncStream<Int> { continuation in
      for number in 0..<20_000 { continuation.yield(number) }
      continuation.finish()
    }
    let book = book
    let task = Task {
      try await container.insertObjects(of: book, from: numbers, savingEvery: 20_000) {
        number, object in
        object["title"] = .string("\(number)")
        object["pages"] = 1
        guard number == 19_999 else { return }
        var hooks = ManagedObjectHooks()
        hooks.willSave = { _ in withUnsafeCurrentTask { $0?.cancel() } }
        let context = try #require(object.managedObjectContext)
        context.persistentStoreCoordinator.setHooks(hooks, of: object.entity)
      }
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(try storedCount() == 0)
  }

  @Test("a progress counts an import, and cancels it between two objects")
  func importing() async throws {
    let container = try PersistentContainer(
      managedObjectModel: coordinator.managedObjectModel, sqliteStoreAt: folder.file())
    let progress = Progress(totalUnitCount: 1_000)
    let numbers = AsyncStream<Int> { continuation in
      for number in 0..<1_000 { continuation.yield(number) }
      continuation.finish()
    }
    let cancelAfterThree: @Sendable (Int) -> Void = { if $0 == 300 { progress.cancel() } }
    await #expect(throws: CancellationError.self) {
      try await container.insertObjects(
        of: book, from: numbers, savingEvery: 100, progress: progress, didSave: cancelAfterThree
      ) { number, object in
        object["title"] = .string("\(number)")
        object["pages"] = 1
      }
    }
    #expect(progress.completedUnitCount == 300)
    #expect(try storedCount() == 300)
  }
}
