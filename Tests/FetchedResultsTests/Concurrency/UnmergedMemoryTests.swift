import EngineWorlds
import FetchedResults
import Foundation
import RandomLaws
import Testing

/// Each test has a process of its own, since other tests allocate memory too.
@Suite("Contexts that merge nothing, and deleted drafts: memory", .enabled(if: MemoryUse.isKnown))
struct UnmergedMemoryTests {
  /// Fails if memory has grown too much.
  private static func check(_ before: Int, atMost kilobytes: Int, _ what: String) {
    let growth = (MemoryUse.bytes - before) / 1024
    #expect(growth <= kilobytes, "\(what): \(growth) kB more")
  }

  private static func container() throws -> (PersistentContainer, EntityDescription) {
    let container = PersistentContainer(managedObjectModel: try BookShelf.model())
    return (container, try BookShelf.book(of: container.managedObjectModel))
  }

  @Test("a background task that is over")
  func task() async {
    await #expect(processExitsWith: .success) {
      let (container, book) = try Self.container()
      try await container.performBackgroundTask { context in
        _ = try context.count(for: FetchRequest(entity: book))
      }
      let writer = try container.newContext(isolation: nil)
      let object = writer.insert(book)
      try writer.saveNow()
      let before = MemoryUse.bytes
      for number in 0..<LawForm.rounds(10_000, long: 200_000) {
        object["pages"] = .int(Int64(number))
        try writer.saveNow()
      }
      Self.check(before, atMost: 300, "saves beside a task that is over")
    }
  }

  @Test("contexts that rest or do not merge, whether the saves are of one object or of many")
  func contexts() async {
    await #expect(processExitsWith: .success) {
      let (container, book) = try Self.container()
      let resting = try container.newBackgroundContext()
      let unmerged = try container.newContext(isolation: nil)
      unmerged.automaticallyMergesChangesFromParent = false
      let idle = try container.newContext(isolation: nil)
      let writer = try container.newContext(isolation: nil)
      let objects = (0..<20_000).map { _ in writer.insert(book) }
      try writer.saveNow()
      // The rows of new objects share the memory of their default values.
      for object in objects { object["pages"] = -1 }
      try writer.saveNow()
      let before = MemoryUse.bytes
      for number in 0..<LawForm.rounds(12_000, long: 200_000) {
        objects[number % objects.count]["pages"] = .int(Int64(number))
        try writer.saveNow()
      }
      Self.check(before, atMost: 3 * 200, "saves beside three contexts")
      withExtendedLifetime((resting, unmerged, idle)) {}
    }
  }

  @Test("a context without a controller keeps no rows that it merges")
  func rows() async {
    await #expect(processExitsWith: .success) {
      // The rows themselves are in the store, so a store without a reader is the measure.
      let (alone, _, _) = try Self.growth(reading: false)
      let (growth, reader, book) = try Self.growth(reading: true)
      #expect(growth <= alone + 300, "rows merged: \(growth) kB more, \(alone) kB without a reader")
      let kept = (1...100).filter { number in
        reader?.registeredObject(for: ObjectID(entity: book, number: number)) != nil
      }
      #expect(kept == [], "the context keeps what it merged")
    }
  }

  /// Returns the kilobytes by which the memory grows with many inserted rows, the context that
  /// merges them, if there is one, and their entity.
  private static func growth(
    reading: Bool
  ) throws -> (kilobytes: Int, ManagedObjectContext?, EntityDescription) {
    let (container, book) = try container()
    let reader = reading ? try container.newContext(isolation: nil) : nil
    let writer = try container.newContext(isolation: nil)
    var before = 0
    for round in 0..<LawForm.rounds(10, long: 400) {
      if round == 2 { before = MemoryUse.bytes }
      for _ in 0..<1_000 { writer.insert(book)["title"] = "x" }
      try writer.saveNow()
      writer.reset()
      reader?.processPendingChanges()
    }
    let growth = (MemoryUse.bytes - before) / 1024
    withExtendedLifetime(container) {}
    return (growth, reader, book)
  }

  @Test("objects that were inserted and deleted and never saved", arguments: [1, 100])
  func drafts(turn: Int) async {
    // An exit test captures nothing, so each argument is a test of its own.
    if turn == 1 {
      await #expect(processExitsWith: .success) { try Self.insertAndDelete(1) }
    } else {
      await #expect(processExitsWith: .success) { try Self.insertAndDelete(100) }
    }
  }

  private static func insertAndDelete(_ count: Int) throws {
    let shelf = try BookShelf()
    func turns(_ total: Int) {
      for _ in 0..<total / count {
        let objects = (0..<count).map { _ in shelf.add("x", genre: "y") }
        shelf.context.processPendingChanges()
        for object in objects { shelf.context.delete(object) }
        shelf.context.processPendingChanges()
      }
    }
    turns(1_000)
    let before = MemoryUse.bytes
    turns(LawForm.rounds(20_000, long: 400_000))
    check(before, atMost: 100, "drafts of turns of \(count)")
  }

  @Test("reset frees all objects")
  func reset() async {
    await #expect(processExitsWith: .success) {
      let shelf = try BookShelf()
      let before = MemoryUse.bytes
      for _ in 0..<20_000 { shelf.add("x", genre: "y") }
      shelf.context.processPendingChanges()
      for object in shelf.context.insertedObjects.prefix(10_000) { shelf.context.delete(object) }
      shelf.context.processPendingChanges()
      shelf.context.reset()
      Self.check(before, atMost: 100, "a context that was reset")
    }
  }
}
