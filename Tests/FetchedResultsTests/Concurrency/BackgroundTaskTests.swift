import Basics
import EngineWorlds
import FetchedResults
import Foundation
import RandomLaws
import Testing

@Suite("Background tasks: nothing of one reaches another")
struct BackgroundTaskTests {
  @Test("a progress that one task set and somebody cancels does not stop the next one")
  func progress() async throws {
    let container = PersistentContainer(managedObjectModel: try BookShelf.model())
    let book = try BookShelf.book(of: container.managedObjectModel)
    let progress = Progress(totalUnitCount: 1)
    try await container.performBackgroundTask { $0.progress = progress }
    progress.cancel()

    try await container.performBackgroundTask { context in
      context.insert(book)["title"] = "Emma"
      try context.save()
    }
  }

  @Test("random settings, changes, errors and caches: each task has a new context")
  func random() async throws {
    let model = try BookShelf.model()
    let book = try BookShelf.book(of: model)
    let container = PersistentContainer(managedObjectModel: model) {
      let memory = SharedMemory()
      let coordinator = PersistentStoreCoordinator(
        managedObjectModel: model, store: SharedMemoryStore(memory))
      var hooks = ManagedObjectHooks()
      hooks.awakeFromInsert = { $0["pages"] = 7 }
      coordinator.setHooks(hooks, of: book)
      return coordinator
    }
    let seed = UInt64.random(in: 0..<1_000_000)
    for task in 0..<LawForm.rounds(600, long: 100_000) {
      var random = SeededGenerator(seed: seed &+ UInt64(task))
      let numbers = (0..<6).map { _ in random.number(0...9) }
      let found = try? await container.performBackgroundTask { context in
        let state = TaskState(context, book)
        let differences = state.differences
        if differences.isEmpty { try state.change(by: numbers) }
        return differences
      }
      // The error of a task that changed everything is one of those that must leave nothing.
      let differences = found ?? []
      #expect(differences == [], "seed \(seed), task \(task)")
      if !differences.isEmpty { return }
    }
  }
}

/// All that a task may change in its context and its coordinator.
private struct TaskState {
  private let context: ManagedObjectContext
  private let book: EntityDescription

  init(_ context: ManagedObjectContext, _ book: EntityDescription) {
    self.context = context
    self.book = book
  }

  private var coordinator: PersistentStoreCoordinator { context.persistentStoreCoordinator }

  private struct Refusal: Error {}
  private final class Novel: ManagedObject {}

  /// How the context differs from a new one.
  var differences: [String] {
    let hasObjects = (1...20).contains { context.registeredObject(for: id($0)) != nil }
    let inserted = context.insert(book)
    let (pages, isNovel) = (inserted["pages"], inserted is Novel)
    context.delete(inserted)
    context.processPendingChanges()
    let isLate = abs(context.environment.now().timeIntervalSinceNow) > 3_600
    let differences: [(String, Bool)] = [
      ("progress", context.progress != nil),
      ("console", context.console != nil), ("name", context.name != nil),
      ("now", isLate), ("locale", context.environment.locale != EvaluationEnvironment().locale),
      ("merging", !context.automaticallyMergesChangesFromParent),
      ("undo", context.undoManager != nil), ("policy", context.mergePolicy != .error),
      ("author", context.transactionAuthor != nil), ("save", context.lastSave != nil),
      ("changes", context.hasChanges), ("quirks", !context.quirks.isEmpty),
      ("renumbering", context.didRenumber != nil), ("processing", context.onProcessing != nil),
      ("handler", coordinator.remoteChangeHandler != nil),
      ("caches", !coordinator.sectionCaches.names.isEmpty), ("class", isNovel),
      ("hooks", pages != 7),
      ("objects", hasObjects),
    ]
    return differences.filter(\.1).map(\.0)
  }

  private func id(_ number: Int) -> ObjectID { ObjectID(entity: book, number: Int64(number)) }

  func change(by numbers: [Int]) throws {
    for number in numbers { try change(number) }
    context.progress = Progress(totalUnitCount: 1)
    context.progress?.cancel()
    if numbers[0] == 0 { throw Refusal() }
  }

  private func change(_ number: Int) throws {
    switch number {
    case 0:
      context.console = { _ in }
      context.name = "task"
      context.transactionAuthor = "task"
    case 1:
      context.environment.now = { Date(timeIntervalSinceNow: 1_000_000) }
      context.environment.locale = "tr"
    case 2:
      context.automaticallyMergesChangesFromParent = false
      context.mergePolicy = .overwrite
      context.quirks = FetchedResultsQuirks(rawValue: 1)
    case 3: context.undoManager = UndoHistory()
    case 4:
      var hooks = ManagedObjectHooks()
      hooks.willSave = { $0["title"] = "other" }
      coordinator.setHooks(hooks, of: book)
      coordinator.register(Novel.self, for: book)
    case 5: coordinator.remoteChangeHandler = { _ in }
    case 6:
      context.didRenumber = { _ in }
      context.onProcessing = { _, _ in }
    case 7:
      let controller = try context.controller(of: book, by: ["title"], cache: "books")
      try controller.performFetch()
    case 8: context.insert(book)["title"] = "unsaved"
    default:
      context.insert(book)["title"] = "saved"
      let saved = context.insertedObjects
      try context.save()
      // A store with the books of all tasks would make each task slower than the one before.
      saved.forEach(context.delete)
      try context.save()
    }
  }
}
