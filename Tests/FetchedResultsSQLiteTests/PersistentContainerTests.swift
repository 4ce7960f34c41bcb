import EngineWorlds
import FetchedResults
import FetchedResultsSQLite
import Foundation
import GRDB
import Testing

@Suite("A container on a file, several actors")
struct PersistentContainerSQLiteTests {
  private let folder: StoreFolder

  init() throws { folder = try StoreFolder() }

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
}
