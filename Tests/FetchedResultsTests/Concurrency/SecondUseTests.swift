import EngineWorlds
import FetchedResults
import Foundation
import RandomLaws
import Testing

/// Whatever fails and whatever is used again, the next operation gives what it gives on a new
/// context.
@Suite("The law of the second use")
struct SecondUseTests {
  private static let turns = 60

  @Test("random turns of two contexts and of tasks, whose stores fail now and then")
  func failures() async throws {
    let first = ProcessInfo.processInfo.environment["FRC_SEED"].flatMap { UInt64($0) } ?? 0
    for seed in first..<first + UInt64(LawForm.rounds(12, long: 1_500)) {
      let world = try ContainerWorld(seed: seed)
      for _ in 0..<Self.turns {
        if let difference = try await world.turn() {
          Issue.record(Comment(rawValue: difference))
          return
        }
      }
    }
  }

  @Test("memory returns to where it was", .enabled(if: MemoryUse.isKnown))
  func memory() async {
    await #expect(processExitsWith: .success) {
      func run(_ worlds: Int) async throws {
        for seed in 0..<UInt64(worlds) {
          let world = try ContainerWorld(seed: seed)
          for _ in 0..<Self.turns { _ = try await world.turn() }
        }
      }
      // The threads of Dispatch and the allocator keep some memory each, also without an engine.
      // They keep more when the machine is busy, and less and less with each world. What a world
      // kept would be left by each run, so the run that leaves least counts.
      try await run(LawForm.rounds(100, long: 1_000))
      let worlds = LawForm.rounds(40, long: 400)
      var growth = Int.max
      for _ in 0..<3 {
        let before = MemoryUse.bytes
        try await run(worlds)
        growth = min(growth, (MemoryUse.bytes - before) / worlds)
      }
      #expect(growth < LawForm.rounds(2_048, long: 1_024), "a world leaves \(growth) bytes")
    }
  }

  @Test("a row that cannot be read for a time is merged as soon as it can", arguments: 0..<4)
  func unreadable(failures: Int) throws {
    let model = try BookShelf.model()
    let memory = SharedMemory()
    let container = PersistentContainer(managedObjectModel: model) {
      PersistentStoreCoordinator(
        managedObjectModel: model, store: FailingStore(SharedMemoryStore(memory)))
    }
    let book = try BookShelf.book(of: model)
    let writer = try container.newContext(isolation: nil)
    let reader = try container.newContext(isolation: nil)
    let store = try #require(reader.persistentStoreCoordinator.store as? FailingStore)
    let object = writer.insert(book)
    object["pages"] = 1
    try writer.saveNow()
    reader.processPendingChanges()
    let seen = try #require(reader.findObject(with: object.objectID))
    object["pages"] = 2
    try writer.saveNow()

    store.failing(after: 0, times: 2 + failures) { reader.processPendingChanges() }
    // The first failure is reported once.
    #expect(throws: FetchError.self) { try reader.countNow(book) }
    reader.processPendingChanges()
    #expect(seen["pages"] == 2)
    #expect(try reader.countNow(book) == 1)
  }
}

/// Two contexts with one store that may fail, and two books that both have read.
private struct FailingShelf {
  let store: FailingStore
  let reader, writer: ManagedObjectContext
  let book: EntityDescription
  let seen: [ManagedObject]
  let controller: FetchedResultsController

  /// - Parameter isShared: Whether both contexts have one coordinator.
  init(isShared: Bool) throws {
    let model = try BookShelf.model()
    let memory = SharedMemory()
    let store = FailingStore(SharedMemoryStore(memory))
    let coordinator = PersistentStoreCoordinator(managedObjectModel: model, store: store)
    book = try BookShelf.book(of: model)
    reader = ManagedObjectContext(coordinator: coordinator)
    writer = ManagedObjectContext(
      coordinator: isShared
        ? coordinator
        : PersistentStoreCoordinator(managedObjectModel: model, store: SharedMemoryStore(memory)))
    self.store = store
    for title in ["A", "B"] { writer.insert(book)["title"] = .string(title) }
    try writer.save()
    controller = try BookShelf.controller(in: reader, of: book)
    try controller.performFetch()
    seen = try reader.fetch(
      FetchRequest(entity: book, sortDescriptors: [FetchSortDescriptor(key: "title")]))
  }

  /// Makes the writer change its object of one that the reader has seen, and save.
  func write(_ object: ManagedObject, _ change: (ManagedObject) throws -> Void) throws {
    try change(try #require(writer.findObject(with: object.objectID)))
    try writer.save()
  }
}

/// Something fails, and the next operation does not know of it.
@Suite("The second use after a failure")
struct UseAfterFailureTests {
  @Test("what two merges of the whole store could not read, the third one reads")
  func thirdMerge() throws {
    let shelf = try FailingShelf(isShared: false)
    try shelf.write(shelf.seen[0]) { $0["pages"] = 2 }

    // The rows cannot be read, and then nothing can.
    for successes in [1, 0] {
      shelf.store.failing(after: successes, times: 6) {
        _ = #expect(throws: StoreError.self) { try shelf.reader.mergeChangesFromStore() }
      }
    }
    try shelf.reader.mergeChangesFromStore()
    shelf.reader.processPendingChanges()
    #expect(shelf.seen[0]["pages"] == 2)
  }

  @Test("what a context that follows a file could not read, its next turn reads")
  func followed() throws {
    let shelf = try FailingShelf(isShared: false)
    try shelf.write(shelf.seen[0]) { $0["pages"] = 2 }

    shelf.store.failing(after: 0, times: 1) {
      _ = #expect(throws: StoreError.self) { try shelf.reader.mergeReread() }
    }
    // The next look at the file finds nothing new.
    shelf.reader.processPendingChanges()
    #expect(shelf.seen[0]["pages"] == 2)
  }

  @Test(
    "a refresh finds that an object is gone, although something else could not be read before",
    arguments: [true, false])
  func refresh(ofAll: Bool) throws {
    let shelf = try FailingShelf(isShared: true)
    let other = shelf.writer.insert(shelf.book).objectID
    try shelf.writer.save()
    try shelf.write(shelf.seen[0]) { shelf.writer.delete($0) }
    shelf.store.failing(after: 0, times: 1) { _ = shelf.reader.findObject(with: other) }

    if ofAll {
      shelf.reader.refreshAllObjects()
    } else {
      shelf.reader.refresh(shelf.seen[0], mergeChanges: true)
    }
    #expect(shelf.seen[0].isDeleted)
    // The error is still reported, once.
    #expect(throws: FetchError.self) { try shelf.reader.countNow(shelf.book) }
    #expect(try shelf.reader.countNow(shelf.book) == 2)
  }

  @Test("a refresh of all objects loses none of what it cannot read", arguments: 1...8)
  func unreadableRefresh(successes: Int) throws {
    let shelf = try FailingShelf(isShared: true)
    try shelf.write(shelf.seen[0]) { shelf.writer.delete($0) }
    try shelf.write(shelf.seen[1]) { $0["pages"] = 2 }

    shelf.store.failing(after: successes - 1, times: 2) { shelf.reader.refreshAllObjects() }
    _ = shelf.reader.persistentStoreCoordinator.takeReadFailure()
    shelf.reader.processPendingChanges()
    #expect(shelf.seen[0].isDeleted)
    #expect(shelf.seen[1]["pages"] == 2)
  }

  @Test("an observer has no rows while its controller has none, and all of the next fetch")
  func failedFetch() throws {
    let shelf = try FailingShelf(isShared: true)
    var sections: [FetchedResultsSnapshot.Section] = []
    var differences = 0
    shelf.controller.observe { difference in
      differences += 1
      do { try difference.apply(to: &sections) } catch { Issue.record(error) }
    }
    let list = ObservableSections(of: shelf.controller)
    #expect(sections == shelf.controller.sectionIDs && !sections.isEmpty)

    for _ in 1...2 {
      shelf.store.failing(after: 0, times: 3) {
        _ = #expect(throws: FetchedResultsError.self) { try shelf.controller.performFetch() }
      }
      #expect(shelf.controller.fetchedObjects == nil)
      #expect(sections.isEmpty && list.sections.isEmpty)
    }
    // The second failure had nothing to tell.
    #expect(differences == 2)
    try shelf.write(shelf.seen[0]) { shelf.writer.delete($0) }
    try shelf.controller.performFetch()
    #expect(sections == shelf.controller.sectionIDs && list.sections == sections)
    #expect(sections.map(\.itemIdentifiers.count) == [1])
  }

  @Test("an object that exists is found, although another one could not be read before")
  func existingObject() throws {
    let shelf = try FailingShelf(isShared: true)
    let other = shelf.writer.insert(shelf.book).objectID
    try shelf.writer.save()
    shelf.store.failing(after: 0, times: 1) { _ = shelf.reader.findObject(with: other) }

    #expect(try shelf.reader.existingObject(with: shelf.seen[0].objectID) === shelf.seen[0])
    #expect(throws: FetchError.self) { try shelf.reader.countNow(shelf.book) }
    shelf.store.failing(after: 0, times: 1) {
      _ = #expect(throws: ObjectError.self) { try shelf.reader.existingObject(with: other) }
    }
    #expect(try shelf.reader.existingObject(with: other).objectID == other)
    #expect(try shelf.reader.countNow(shelf.book) == 3)
  }
}

extension ManagedObjectContext {
  fileprivate func countNow(_ entity: EntityDescription) throws -> Int {
    try count(for: FetchRequest(entity: entity))
  }
}
