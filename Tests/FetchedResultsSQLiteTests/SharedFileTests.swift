import Basics
import EngineWorlds
import FetchedResults
import FetchedResultsSQLite
import Foundation
import RandomLaws
import Synchronization
import Testing

/// Several coordinators for one file, like several actors or processes.
@Suite("One file, several coordinators")
struct SharedFileTests {
  private let folder = StoreFolder()

  private func coordinator() throws -> PersistentStoreCoordinator {
    try folder.coordinator(SharedFilePlace.model())
  }

  private func writer() throws -> SharedFilePlace {
    try SharedFilePlace("writer", on: try coordinator(), looksAtRows: false, isTracking: false)
  }

  @Test("results of rows that were never looked at follow another coordinator's save")
  func unreadRows() throws {
    let writer = try writer()
    let entity = try writer.context.entity("First")
    for number in 1...40 {
      let object = writer.context.insert(entity)
      try object.setValue(.string(number < 20 ? "b" : "d"), forKey: "name")
      try object.setValue(.int(Int64(number % 5)), forKey: "rank")
    }
    try writer.context.save()
    let reader = try SharedFilePlace("reader", on: try coordinator(), looksAtRows: false)

    for (number, name) in [(3, "d"), (25, "a"), (30, "b"), (31, "e")] {
      try writer.context.object(entity: entity, number: Int64(number))?
        .setValue(.string(name), forKey: "name")
    }
    for number: Int64 in [1, 10, 40] {
      writer.context.object(entity: entity, number: number).map(writer.context.delete)
    }
    try writer.context.insert(entity).setValue("c", forKey: "name")
    let observation = writer.context.observeSaves { reader.unmerged.append($0) }
    try writer.context.save()
    observation.cancel()
    for save in reader.unmerged { reader.context.mergeChanges(fromContextDidSave: save) }
    reader.context.processPendingChanges()

    #expect(try reader.fault() == nil)
    #expect(reader.controllers[1].sections?.map(\.name) == ["a", "b", "c", "d", "e"])
  }

  @Test("what nobody looked at and others changed does not lead a search astray")
  func unmergedChanges() throws {
    let writer = try writer()
    let entity = try writer.context.entity("First")
    for number in 1...30 {
      try writer.context.insert(entity).setValue(.string("a\(100 + number)"), forKey: "name")
    }
    try writer.context.save()
    let reader = try SharedFilePlace("reader", on: try coordinator(), looksAtRows: false)
    for number: Int64 in 10...20 {
      try writer.context.object(entity: entity, number: number)?
        .setValue(.string("z\(number)"), forKey: "name")
    }
    try writer.context.save()

    // Nothing of that has been merged.
    let first = try reader.context.entity("First")
    try reader.context.insert(first).setValue("a115", forKey: "name")
    reader.context.processPendingChanges()

    #expect(try reader.fault() == nil)
  }

  @Test("what is unsaved stands among the others' rows as they were saved")
  func unsavedAmongSaved() throws {
    let writer = try writer()
    let entity = try writer.context.entity("First")
    for number in 1...7 {
      try writer.context.insert(entity).setValue(.int(Int64(number * 10)), forKey: "rank")
    }
    try writer.context.save()
    let context = ManagedObjectContext(coordinator: try coordinator())
    let first = try context.entity("First")
    let request = FetchRequest(entity: first, sortDescriptors: [FetchSortDescriptor(key: "rank")])
    #expect(try context.fetch(request).map(\.objectID.number) == Array(1...7))

    // The reader has read the row in the middle as the first one.
    try writer.context.object(entity: entity, number: 1)?.setValue(.int(45), forKey: "rank")
    try writer.context.save()
    try context.insert(first).setValue(.int(25), forKey: "rank")

    #expect(try context.fetch(request).map(\.objectID.number) == [2, 8, 3, 4, 1, 5, 6, 7])
  }

  @Test("a new object does not get the number of one that the context has read")
  func numbersOfReadRows() throws {
    let own = try coordinator()
    let waiting = ManagedObjectContext(coordinator: own)
    let context = ManagedObjectContext(coordinator: own)
    let first = try #require(own.managedObjectModel.entitiesByName["First"])
    waiting.insert(first)
    let writer = try writer()
    let entity = try writer.context.entity("First")
    for rank: Int64 in [1, 2] {
      try writer.context.insert(entity).setValue(.int(rank), forKey: "rank")
    }
    try writer.context.save()

    let request = FetchRequest(entity: first, sortDescriptors: [FetchSortDescriptor(key: "rank")])
    let read = try context.fetch(request)
    try context.insert(first).setValue(.int(3), forKey: "rank")
    #expect(try context.fetch(request).map { $0["rank"] } == [.int(1), .int(2), .int(3)])
    #expect(try context.fetch(request).prefix(2).elementsEqual(read) { $0 === $1 })

    try context.save()
    try waiting.save()
    #expect(try waiting.count(for: FetchRequest(entity: first)) == 4)
  }

  @Test("a number that another coordinator took stays taken when its object is deleted")
  func takenNumbers() throws {
    let own = try coordinator()
    let waiting = ManagedObjectContext(coordinator: own)
    let busy = ManagedObjectContext(coordinator: own)
    let first = try #require(own.managedObjectModel.entitiesByName["First"])
    let object = waiting.insert(first)
    let writer = try writer()
    let entity = try writer.context.entity("First")
    let other = writer.context.insert(entity)
    #expect(other.objectID.number == object.objectID.number)
    try writer.context.save()

    // A save in the same coordinator meets the used number first.
    try busy.insert(first).setValue(.int(2), forKey: "rank")
    try busy.save()
    writer.context.delete(other)
    try writer.context.save()
    try waiting.save()

    #expect(object.objectID.number != other.objectID.number)
    #expect(try waiting.count(for: FetchRequest(entity: first)) == 2)
  }

  @Test("an object that comes back is not taken for the one that another context has read")
  func comeback() throws {
    func place(_ name: String) throws -> SharedFilePlace {
      try SharedFilePlace(name, on: try coordinator(), looksAtRows: true, isTracking: false)
    }
    func object(_ place: SharedFilePlace) throws -> ManagedObject {
      let entity = try place.context.entity("First")
      return try #require(place.context.object(entity: entity, number: 1))
    }
    let writer = try place("writer")
    let entity = try writer.context.entity("First")
    writer.context.insert(entity)
    try writer.context.save()
    let late = try place("late")
    try object(late).setValue(.int(4), forKey: "rank")
    try object(writer).setValue(.int(8), forKey: "rank")
    try writer.context.save()
    let reader = try place("reader")
    #expect(try object(reader)["rank"] == .int(8))
    writer.context.delete(try object(writer))
    try writer.context.save()

    // It counts its saves from the version that it has read.
    try late.context.save()
    try reader.context.mergeChangesFromStore()

    #expect(try object(reader)["rank"] == .int(4))
  }

  @Test("the file's state is merged where nobody tells of a save")
  func fileState() throws {
    let writer = try writer()
    let reader = try SharedFilePlace("reader", on: try coordinator(), looksAtRows: true)
    let entity = try writer.context.entity("First")
    for number in 1...3 {
      try writer.context.insert(entity).setValue(.int(Int64(number)), forKey: "rank")
    }
    try writer.context.save()

    try reader.context.mergeChangesFromStore()
    reader.context.processPendingChanges()
    #expect(reader.controllers[0].fetchedObjects?.count == 3)
    #expect(try reader.fault() == nil)

    reader.look()
    let first = try reader.context.entity("First")
    let object = try #require(reader.context.object(entity: first, number: 2))
    let deleted = try #require(reader.context.object(entity: first, number: 1))
    try writer.context.object(entity: entity, number: 2)?.setValue(.int(5), forKey: "rank")
    writer.context.object(entity: entity, number: 1).map(writer.context.delete)
    try writer.context.save()
    try reader.context.mergeChangesFromStore()
    reader.context.processPendingChanges()

    #expect(object["rank"] == .int(5))
    #expect(deleted.isDeleted)
    #expect(reader.controllers[0].fetchedObjects?.map(\.objectID.number) == [3, 2])
    #expect(try reader.fault() == nil)
  }

  @Test("a section that another coordinator's save splits is followed; a fetch fails")
  func splitSection() throws {
    let writer = try writer()
    let entity = try writer.context.entity("First")
    for number in 1...4 {
      let object = writer.context.insert(entity)
      try object.setValue(.string(number < 3 ? "a" : "b"), forKey: "name")
      try object.setValue(.int(Int64(number)), forKey: "rank")
    }
    try writer.context.save()
    let context = ManagedObjectContext(coordinator: try coordinator())
    let first = try context.entity("First")
    let controller = try context.controller(of: first, by: ["rank"], sections: "name")
    let listener = SilentListener()
    controller.delegate = listener
    try controller.performFetch()
    #expect(controller.trackingError == nil)

    try writer.context.object(entity: entity, number: 1)?.setValue(.int(9), forKey: "rank")
    try writer.context.save()
    try context.mergeChangesFromStore()
    context.processPendingChanges()

    #expect(controller.trackingError == nil)
    #expect(controller.sections?.map(\.name) == ["a", "b"])
    #expect(controller.fetchedObjects?.map(\.objectID.number) == [2, 1, 3, 4])
    #expect(throws: FetchedResultsError.outOfOrderSection(index: 3, previousName: "b")) {
      try controller.performFetch()
    }
  }

  @Test("results equal a fresh fetch after every merge, whoever writes and whatever was read")
  func law() throws {
    for seed in LawSeeds(seconds: 0.6, failedOnce: [141, 508]) {
      if let failure = try Self.run(turns: 250, seed: seed) {
        Issue.record(Comment(rawValue: failure))
        return
      }
    }
  }

  /// Runs random writers in two coordinators.
  ///
  /// Each has one context whose rows are read and one whose rows are not.
  private static func run(turns: Int, seed: UInt64) throws -> String? {
    var random = SeededGenerator(seed: seed)
    let folder = StoreFolder()
    let coordinators = try (0..<2).map { _ in
      try folder.coordinator(SharedFilePlace.model(), tracksHistory: seed % 2 == 1)
    }
    func place(_ index: Int) throws -> SharedFilePlace {
      try SharedFilePlace(
        "\(index)", on: coordinators[index % 2], looksAtRows: index < 2)
    }
    var places = try (0..<4).map(place)
    var trail: [String] = []
    func failure(_ place: SharedFilePlace, _ words: String) -> String {
      "seed \(seed), place \(place.name)\n\(trail.suffix(60).joined(separator: "\n"))\n\(words)"
    }
    for turn in 0..<turns {
      let index = random.number(0...3)
      // Rows become objects over time, so the places start again.
      if turn % 25 == 24, !places[index].context.hasChanges {
        places[index] = try place(index)
        trail.append("\(index) begins again")
      }
      let place = places[index]
      for _ in 0..<random.number(0...2) {
        trail.append("\(index) \(try place.edit(using: &random))")
      }
      if random.chance(3) { place.context.processPendingChanges() }
      if random.chance(2) {
        var saves: [ContextSave] = []
        let observation = place.context.observeSaves { saves.append($0) }
        defer { observation.cancel() }
        trail.append("\(index) saves")
        do {
          try place.context.save()
        } catch {
          return failure(place, "cannot save: \(error)")
        }
        for other in places where other !== place { other.unmerged += saves }
      }
      if random.chance(2) {
        trail.append("\(index) \(try place.catchUp(using: &random))")
        place.context.processPendingChanges()
        if let fault = try place.fault() { return failure(place, fault) }
        place.look()
      }
    }
    return nil
  }

  @Test("four actors write one file at once: every save succeeds and every controller follows")
  func actors() async throws {
    let rounds = LawForm.isLong ? 400 : 25
    let url = folder.file()
    let model = try SharedFilePlace.model()
    let board = NoticeBoard()
    let writers = try (0..<4).map { try FileWriter($0, model, url, board) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in writers { group.addTask { try await writer.write(rounds: rounds) } }
      try await group.waitForAll()
    }
    for writer in writers { #expect(try await writer.catchUpAtLast() == nil) }
  }
}

/// Where writers publish their saves.
private final class NoticeBoard: Sendable {
  private let notes = Mutex<[(author: Int, save: ContextSave)]>([])

  func add(_ save: ContextSave, by author: Int) {
    notes.withLock { $0.append((author, save)) }
  }

  /// Returns the saves of others after a position, and the next position.
  func saves(from place: Int, besides author: Int) -> (saves: [ContextSave], end: Int) {
    notes.withLock { notes in
      (notes[place...].filter { $0.author != author }.map(\.save), notes.count)
    }
  }
}

/// An actor with its own coordinator.
private actor FileWriter {
  private let place: SharedFilePlace
  private let number: Int
  private let board: NoticeBoard
  private let observation: ContextObservation
  private var seen = 0
  private var random: SeededGenerator

  init(
    _ number: Int, _ model: ManagedObjectModel, _ url: URL, _ board: NoticeBoard
  ) throws {
    self.number = number
    self.board = board
    random = SeededGenerator(seed: UInt64(number))
    place = try SharedFilePlace(
      "\(number)",
      on: try PersistentStoreCoordinator(managedObjectModel: model, sqliteStoreAt: url),
      looksAtRows: number < 2)
    observation = place.context.observeSaves { board.add($0, by: number) }
  }

  func write(rounds: Int) async throws {
    for _ in 0..<rounds {
      for _ in 0..<random.number(1...4) { _ = try place.edit(using: &random) }
      try await place.context.save()
      merge()
      place.look()
      await Task.yield()
    }
  }

  private func merge() {
    let (saves, end) = board.saves(from: seen, besides: number)
    seen = end
    for save in saves { place.context.mergeChanges(fromContextDidSave: save) }
    place.context.processPendingChanges()
  }

  /// Merges the remaining saves, and returns what is wrong then.
  func catchUpAtLast() throws -> String? {
    merge()
    return try place.fault().map { "writer \(number): \($0)" }
  }
}

private final class SilentListener: FetchedResultsControllerDelegate {
  let implementedMethods = FetchedResultsDelegateMethods.changes
}
