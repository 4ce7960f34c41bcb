import EngineWorlds
import FetchedResults
import Testing

@Suite("Related objects that the store cannot read for a while")
struct UnreadableRelatedTests {
  private let bookcase: Bookcase
  private let store = FailingStore(InMemoryStore(identifier: "failing"))
  private let coordinator: PersistentStoreCoordinator
  private let context: ManagedObjectContext

  init() throws {
    bookcase = try Bookcase()
    coordinator = PersistentStoreCoordinator(
      managedObjectModel: bookcase.coordinator.managedObjectModel, store: store)
    context = ManagedObjectContext(coordinator: coordinator)
    let author = context.insert(bookcase.author)
    for author in [author, nil] {
      let book = context.insert(bookcase.book)
      book["author"] = author.map { .object($0.objectID) } ?? .null
    }
    try context.save()
    context.reset()
  }

  private func author(in context: ManagedObjectContext) throws -> ManagedObject {
    try #require(context.object(entity: bookcase.author, number: 1))
  }

  private func book(_ number: Int64, in context: ManagedObjectContext) throws -> ManagedObject {
    try #require(context.object(entity: bookcase.book, number: number))
  }

  @Test("a delete rule is applied as soon as the objects can be read")
  func deleteRule() throws {
    let author = try author(in: context)
    #expect(author["books"] != .list([]))
    context.delete(author)

    store.failing(after: 0, times: 10) { context.processPendingChanges() }
    #expect(store.hasFailed)
    _ = coordinator.takeReadFailure()
    try context.save()

    let reader = ManagedObjectContext(coordinator: coordinator)
    #expect(try book(1, in: reader)["author"] == .null)
  }

  @Test("an undone deletion has no effect later")
  func undoneDeletion() throws {
    context.undoManager = UndoHistory()
    let author = try author(in: context)
    #expect(author["books"] != .list([]))
    context.delete(author)

    store.failing(after: 0, times: 10) {
      context.processPendingChanges()
      context.undo()
    }
    _ = coordinator.takeReadFailure()
    context.processPendingChanges()

    #expect(!author.isDeleted)
    #expect(try book(1, in: context)["author"] == .object(author.objectID))
  }

  @Test("a merge keeps a reference to an object that cannot be read")
  func merge() throws {
    let mine = try book(2, in: context)
    let other = ManagedObjectContext(coordinator: coordinator)
    let author = try author(in: other)
    try book(2, in: other)["author"] = .object(author.objectID)
    try other.save()
    let save = try #require(other.lastSave)

    var failures = 0
    repeat {
      store.failing(after: failures, times: 10) {
        context.mergeChanges(fromContextDidSave: save)
        context.processPendingChanges()
      }
      _ = coordinator.takeReadFailure()
      failures += 1
    } while store.hasFailed && failures < 20
    context.processPendingChanges()

    #expect(failures > 1)
    #expect(mine["author"] == .object(author.objectID))
    #expect(!context.hasChanges)
  }
}
