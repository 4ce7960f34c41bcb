import EngineWorlds
import FetchedResults
import FetchedResultsSQLite
import Foundation
import GRDB
import Testing

@Suite("A container on a file, several actors")
struct PersistentContainerSQLiteTests {
  private let folder = StoreFolder()

  private func container() throws -> PersistentContainer {
    try PersistentContainer(
      managedObjectModel: try BookShelf.model(), sqliteStoreAt: folder.file())
  }

  /// Opens a connection like another program.
  private func other() throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.allowsUnsafeTransactions = true
    return try DatabaseQueue(path: folder.file().path, configuration: configuration)
  }

  @Test("eight writers and four controllers: each controller is a fresh fetch in the end")
  func stress() async throws {
    let failures = try await ContainerStress(try container()).run()
    #expect(failures.isEmpty, "\(failures.joined(separator: "\n"))")
  }

  @Test("a merge reads only rows that someone would notice")
  func unnoticed() throws {
    let container = try container()
    let book = try BookShelf.book(of: container.managedObjectModel)
    let reader = try container.newContext(isolation: nil)
    let writer = try container.newContext(isolation: nil)
    let objects = (0..<50).map { _ in writer.insert(book) }
    try writer.save()
    reader.processPendingChanges()
    let known = reader.findObject(with: objects[0].objectID)
    func rows() -> Int {
      reader.persistentStoreCoordinator.sqlStore?.activity.rows ?? 0
    }

    for object in objects { object["pages"] = 7 }
    try writer.save()
    let before = rows()
    reader.processPendingChanges()

    // One row, and SQLite's count of others' changes, which is not counted.
    #expect(rows() - before == 1)
    #expect(known?["pages"] == 7)
  }

  @Test("a save that meets a locked file suspends, and its actor goes on")
  @MainActor
  func suspends() async throws {
    let container = try container()
    let context = try container.newContext()
    let book = try BookShelf.book(of: container.managedObjectModel)
    let other = try self.other()
    try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
    context.insert(book)["title"] = "Emma"

    let saving = Task { try await context.save() }
    var turns = 0
    for _ in 0..<20 {
      try await Task.sleep(for: .milliseconds(5))
      turns += 1
    }
    try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }
    try await saving.value

    #expect(turns == 20)
    #expect(!context.hasChanges)
    let count = try await container.performBackgroundTask {
      try $0.count(for: FetchRequest(entity: book))
    }
    #expect(count == 1)
  }

  @Test("an object that is not saved yet has another identity than one that a task inserts")
  @MainActor
  func identities() async throws {
    let container = try container()
    let context = try container.newContext()
    let book = try BookShelf.book(of: container.managedObjectModel)
    let draft = context.insert(book)
    draft["title"] = "Draft"

    let saved = try await container.performBackgroundTask { context in
      let other = context.insert(book)
      other["title"] = "Dune"
      try context.save()
      return other.objectID
    }

    #expect(saved != draft.objectID)
    let found = try await context.fetch(FetchRequest(entity: book)).map { $0["title"] }
    #expect(Set(found) == ["Draft", "Dune"])
    try await context.save()
    let count = try await container.performBackgroundTask {
      try $0.count(for: FetchRequest(entity: book))
    }
    #expect(count == 2)
  }

  @Test("saves at the same time take no number from one another")
  func numbers() async throws {
    let container = try container()
    let book = try BookShelf.book(of: container.managedObjectModel)

    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<6 {
        group.addTask {
          for _ in 0..<60 {
            try await container.performBackgroundTask { context in
              context.insert(book)["title"] = "Emma"
              try context.save()
            }
          }
        }
      }
      try await group.waitForAll()
    }

    let count = try await container.performBackgroundTask {
      try $0.count(for: FetchRequest(entity: book))
    }
    #expect(count == 360)
  }

  @Test("a cancelled save leaves the changes pending, and the store as it was")
  @MainActor
  func cancelled() async throws {
    let container = try container()
    let context = try container.newContext()
    let book = try BookShelf.book(of: container.managedObjectModel)
    let other = try self.other()
    try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
    context.insert(book)["title"] = "Emma"

    let saving = Task { try await context.save() }
    try await Task.sleep(for: .milliseconds(20))
    saving.cancel()
    await #expect(throws: SaveError.cancelled) { try await saving.value }
    try await other.writeWithoutTransaction { try $0.execute(sql: "ROLLBACK") }

    #expect(context.insertedObjects.count == 1)
    try await context.save()
  }

  @Test("a file that is no store is found before the first context")
  func noStore() throws {
    try Data("no store".utf8).write(to: folder.file())
    #expect(throws: StoreError.self) { try container() }
  }

  @Test("an older file is migrated when the container is made, and every context is set up")
  func setUp() async throws {
    try {
      let older = try EntityDescription(name: "Book", attributes: [.optional("title", .string)])
      let coordinator = try folder.coordinator(ManagedObjectModel(entities: [older]))
      let context = ManagedObjectContext(coordinator: coordinator)
      context.insert(older)["title"] = "Emma"
      try context.save()
    }()
    #expect(throws: StoreError.self) { try self.container() }

    var migration = StoreMigration.inferred()
    var reports: [MigrationReport] = []
    migration.didMigrate = { reports.append($0) }
    let model = try BookShelf.model()
    let book = try BookShelf.book(of: model)
    let container = try PersistentContainer(
      managedObjectModel: model, sqliteStoreAt: folder.file(), tracksHistory: true,
      migration: migration, durability: .normal
    ) { coordinator in
      var hooks = ManagedObjectHooks()
      hooks.awakeFromInsert = { $0["genre"] = "new" }
      coordinator.setHooks(hooks, of: book)
    }
    #expect(reports.count == 1)

    /// The books, whether saves do not wait for the disk, and how many the history has.
    @Sendable func state(of context: ManagedObjectContext) throws -> String {
      context.insert(book)["title"] = "Dune"
      try context.save()
      let controller = try context.controller(of: book, by: ["title"])
      try controller.performFetch()
      let store = context.persistentStoreCoordinator.store as? SQLiteStore
      let history = try context.fetchHistory(after: nil)
      return "\(controller.fetchedObjects?.map { "\($0["title"]) \($0["genre"])" } ?? []) "
        + "\(store?.durability == .normal) \(history.count)"
    }
    let first = try await container.performBackgroundTask { try state(of: $0) }
    #expect(first == #"["Dune new", "Emma nil"] true 1"#)
    let second = try state(of: try container.newContext(isolation: nil))
    #expect(second == #"["Dune new", "Dune new", "Emma nil"] true 2"#)
    let third = try await container.newBackgroundContext().perform { try state(of: $0) }
    #expect(third == #"["Dune new", "Dune new", "Dune new", "Emma nil"] true 3"#)
  }

  @Test(
    "a file without a write-ahead log survives a power failure, unless durability is off",
    arguments: [StoreDurability.full, .normal, .off])
  func durability(_ durability: StoreDurability) throws {
    let model = try BookShelf.model()
    func found() throws -> StoreDurability? {
      let coordinator = try PersistentStoreCoordinator(
        managedObjectModel: model, sqliteStoreAt: folder.file(), durability: durability)
      return (coordinator.store as? SQLiteStore)?.durability
    }
    #expect(try found() == durability)
    try other().writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
    #expect(try found() == (durability == .off ? .off : .full))
  }
}

/// The history of a file as a sequence.
extension PersistentContainerSQLiteTests {
  @Test("a sequence gives the transactions of the file, also of another container")
  func transactions() async throws {
    func opened() throws -> PersistentContainer {
      try PersistentContainer(
        managedObjectModel: try BookShelf.model(), sqliteStoreAt: folder.file(),
        tracksHistory: true)
    }
    let (here, there) = (try opened(), try opened())
    @Sendable func save(_ container: PersistentContainer, as author: String) async throws {
      let book = try BookShelf.book(of: container.managedObjectModel)
      try await container.performBackgroundTask { context in
        context.transactionAuthor = author
        context.insert(book)["title"] = "Emma"
        try context.save()
      }
    }
    try await save(here, as: "app")
    try await save(there, as: "widget")
    var found: [String?] = []
    var token: PersistentHistoryToken?
    for try await transaction in here.historyTransactions(checkingEvery: .milliseconds(5)) {
      found.append(transaction.author)
      if found.count == 2 {
        token = transaction.token
        Task {
          for author in ["app", "widget"] { try await save(there, as: author) }
        }
      }
      if found.count == 4 { break }
    }
    #expect(found == ["app", "widget", "app", "widget"])

    var iterator = here.historyTransactions(after: token, author: "widget").makeAsyncIterator()
    #expect(try await iterator.next()?.author == "widget")
    let waiting = Task { [iterator] in
      var iterator = iterator
      return try await iterator.next()
    }
    waiting.cancel()
    #expect(try await waiting.value == nil)

    let memory = PersistentContainer(managedObjectModel: try BookShelf.model())
    await #expect(throws: StoreError.self) {
      for try await _ in memory.historyTransactions() {}
    }
  }

  @Test("a store with a history reports a save of another context once", arguments: [true, false])
  func savesInHistory(_ isInFile: Bool) throws {
    let model = try BookShelf.model()
    let container =
      isInFile
      ? try PersistentContainer(
        managedObjectModel: model, sqliteStoreAt: folder.file(), tracksHistory: true)
      : PersistentContainer(managedObjectModel: model)
    let reader = try container.newContext(isolation: nil)
    let writer = try container.newContext(isolation: nil)
    let request = FetchRequest(
      entity: try BookShelf.book(of: model), sortDescriptors: [FetchSortDescriptor(key: "title")])
    let controller = try FetchedResultsController(
      fetchRequest: request, managedObjectContext: reader)
    try controller.performFetch()
    var told: [FetchedResultsChangeType] = []
    controller.observe { told += $0.objects.map(\.type) }

    let book = writer.insert(request.entity)
    book["title"] = "Emma"
    try writer.save()
    // This save waits for the merge, and is not in the history of the store in memory.
    if !isInFile { try reader.persistentStoreCoordinator.trackPersistentHistory() }
    reader.processPendingChanges()
    for title in ["Dune", "Ubik"] {
      book["title"] = .string(title)
      try writer.save()
      reader.processPendingChanges()
    }
    writer.delete(book)
    try writer.save()
    reader.processPendingChanges()
    #expect(told == [.insert, .update, .update, .delete])
  }

  @Test("a cancelled task of the main actor fetches nothing, and a controller keeps its results")
  @MainActor
  func cancelledFetch() async throws {
    let container = try container()
    let context = try container.newContext()
    let book = try BookShelf.book(of: container.managedObjectModel)
    let request = FetchRequest(
      entity: book, sortDescriptors: [FetchSortDescriptor(key: "title")])
    let controller = try FetchedResultsController(
      fetchRequest: request, managedObjectContext: context)
    try await controller.performFetch()

    let fetching = Task { try await context.fetch(request).count }
    let counting = Task { try await context.count(for: request) }
    let performing = Task { try await controller.performFetch() }
    fetching.cancel()
    counting.cancel()
    performing.cancel()
    await #expect(throws: FetchError.cancelled) { try await fetching.value }
    await #expect(throws: FetchError.cancelled) { try await counting.value }
    await #expect(throws: FetchedResultsError.fetch(.cancelled)) { try await performing.value }
    #expect(controller.fetchedObjects?.isEmpty == true)
  }
}
