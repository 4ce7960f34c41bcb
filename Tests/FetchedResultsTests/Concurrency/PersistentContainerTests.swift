import Basics
import EngineWorlds
import FetchedResults
import Foundation
import Testing

@Suite("A container in memory, several actors")
struct PersistentContainerTests {
  @Test("what a background task saves arrives in a controller of the main actor")
  @MainActor
  func background() async throws {
    let container = PersistentContainer(managedObjectModel: try BookShelf.model())
    let context = try container.newContext()
    let book = try BookShelf.book(of: container.managedObjectModel)
    let controller = try BookShelf.controller(in: context, of: book)
    try await controller.performFetch()
    var changes = controller.changes.makeAsyncIterator()
    #expect(await changes.next()?.replacement == [])

    let id = try await container.performBackgroundTask { context in
      let object = context.insert(book)
      object["title"] = "Emma"
      object["genre"] = "classic"
      try context.save()
      return object.objectID
    }

    let difference = await changes.next()
    #expect(difference?.objects.map(\.objectID) == [id])
    #expect(difference?.insertedSections.map(\.name) == ["classic"])
    #expect(context.findObject(with: id)?["title"] == "Emma")
  }

  @Test("a list that falls far behind an import follows it in short turns")
  @MainActor
  func behind() async throws {
    let container = PersistentContainer(managedObjectModel: try BookShelf.model())
    let context = try container.newContext()
    let book = try BookShelf.book(of: container.managedObjectModel)
    let controller = try BookShelf.controller(in: context, of: book)
    try await controller.performFetch()
    var changes = controller.changes.makeAsyncIterator()
    _ = await changes.next()

    // The context merges nothing of this, because nothing suspends.
    let writer = try container.newContext(isolation: nil)
    for _ in 0..<20 {
      for _ in 0..<500 { writer.insert(book)["title"] = "Emma" }
      try writer.saveNow()
    }
    var counts: [Int] = []
    while counts.reduce(0, +) < 10_000, let difference = await changes.next() {
      counts.append(difference.objects.count)
    }

    #expect(counts == Array(repeating: 500, count: 20))
  }

  @Test("a task's unsaved changes are dropped, and its errors come through")
  func dropped() async throws {
    let container = PersistentContainer(managedObjectModel: try BookShelf.model())
    let book = try BookShelf.book(of: container.managedObjectModel)
    for _ in 0..<3 {
      await #expect(throws: CancellationError.self) {
        try await container.performBackgroundTask { context in
          context.insert(book)["title"] = "Emma"
          throw CancellationError()
        }
      }
    }
    let count = try await container.performBackgroundTask { context in
      try context.count(for: FetchRequest(entity: book))
    }
    #expect(count == 0)
  }

  @Test("a context of no actor merges when its turn ends")
  func noActor() async throws {
    let container = PersistentContainer(managedObjectModel: try BookShelf.model())
    let book = try BookShelf.book(of: container.managedObjectModel)
    let context = try container.newContext(isolation: nil)
    let writer = try container.newBackgroundContext()
    try await writer.perform { context in
      context.insert(book)["title"] = "Emma"
      try context.save()
    }

    #expect(context.pendingSaves?.isEmpty == false)
    context.processPendingChanges()
    #expect(context.pendingSaves?.isEmpty == true)
  }

  @Test("a conflict of two contexts is found, and the policy decides it")
  func conflict() async throws {
    let container = PersistentContainer(managedObjectModel: try BookShelf.model())
    let book = try BookShelf.book(of: container.managedObjectModel)
    let first = try container.newContext(isolation: nil)
    let object = first.insert(book)
    object["title"] = "Emma"
    try first.saveNow()
    let id = object.objectID
    try await container.performBackgroundTask { context in
      context.findObject(with: id)?["title"] = "Emma 2"
      context.findObject(with: id)?["pages"] = 5
      try context.save()
    }

    object["title"] = "Emma 3"
    #expect(throws: MergeConflictError.self) { try first.saveThrowingCause() }
    first.mergePolicy = .mergeByPropertyObjectTrump
    try first.saveNow()
    #expect(object["title"] == "Emma 3")
    #expect(object["pages"] == 5)
  }

  @Test("eight writers and four controllers: each controller is a fresh fetch in the end")
  func stress() async throws {
    let failures = try await ContainerStress(
      PersistentContainer(managedObjectModel: try BookShelf.model())
    ).run()
    #expect(failures.isEmpty, "\(failures.joined(separator: "\n"))")
  }
}

extension ManagedObjectContext {
  /// Saves.
  ///
  /// In an asynchronous test, `save()` would be the asynchronous method.
  func saveNow() throws { try save() }
}
