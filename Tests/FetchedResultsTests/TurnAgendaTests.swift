import Basics
import EngineWorlds
import FetchedResults
import RandomLaws
import Testing

@Suite("contexts that wait for the end of a turn")
struct TurnAgendaTests {
  /// The places that an agenda has.
  private func places(of agenda: PendingContexts) -> [Int] {
    var places: [Int] = []
    while let next = agenda.next(from: (places.last ?? -1) + 1) { places.append(next) }
    return places
  }

  @Test("every context with work is on the agenda")
  func law() throws {
    for seed in LawSeeds(seconds: 0.6, from: 1) { try check(seed) }
  }

  private func check(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let shelf = try Shelf()
    let first = shelf.context
    let second = ManagedObjectContext(coordinator: shelf.coordinator)
    let contexts = [
      first, second, ManagedObjectContext(parent: first), ManagedObjectContext(parent: second),
      ManagedObjectContext(coordinator: shelf.coordinator),
    ]
    let agenda = PendingContexts()
    for (place, context) in contexts.enumerated() {
      context.undoManager = UndoHistory()
      agenda.add(context, at: place)
    }
    for _ in 0..<300 {
      let context = try #require(contexts.randomElement(using: &generator))
      let objects = context.registeredObjects(of: shelf.book).filter { !$0.isDeleted }
      let object = objects.randomElement(using: &generator)
      switch Int.random(in: 0..<12, using: &generator) {
      case 0..<3: context.insert(shelf.book)["title"] = "a"
      case 3: object?["pages"] = 1
      case 4: if let object { context.delete(object) }
      case 5: _ = try? context.save()
      case 6: context.automaticallyMergesChangesFromParent.toggle()
      case 7: if let object { context.refresh(object, mergeChanges: false) }
      case 8: context.undo()
      case 9: context.rollback()
      case 10:
        let other = try #require(contexts.randomElement(using: &generator))
        if let save = other.lastSave { context.mergeChanges(fromContextDidSave: save) }
      default:
        context.processPendingChanges()
        agenda.dropResting { contexts[$0] }
      }
      let known = places(of: agenda)
      let waiting = contexts.indices.filter { !contexts[$0].isAtRest }
      guard known == known.sorted(), Set(known).isSuperset(of: waiting) else {
        Issue.record("seed \(seed): \(known) are on the agenda, and \(waiting) wait")
        return
      }
    }
    for context in contexts {
      context.automaticallyMergesChangesFromParent = false
      context.processPendingChanges()
    }
    for context in contexts { context.processPendingChanges() }
    agenda.dropResting { contexts[$0] }
    #expect(agenda.isEmpty, "seed \(seed)")
  }

  @Test("a context that could not read what it merged waits for the next turn")
  func unread() throws {
    let shelf = try Shelf()
    let store = FailingStore(InMemoryStore(identifier: "failing"))
    let coordinator = PersistentStoreCoordinator(
      managedObjectModel: shelf.coordinator.managedObjectModel, store: store)
    let writer = ManagedObjectContext(coordinator: coordinator)
    let reader = ManagedObjectContext(coordinator: coordinator)
    let object = writer.insert(shelf.book)
    object["title"] = "old"
    try writer.save()
    let seen = try #require(reader.findObject(with: object.objectID))
    object["title"] = "new"
    try writer.save()
    let save = try #require(writer.lastSave)
    let agenda = PendingContexts()
    agenda.add(reader, at: 0)
    reader.processPendingChanges()
    agenda.dropResting { _ in reader }
    #expect(agenda.isEmpty)

    store.failing(after: 0, times: 2) { reader.mergeChanges(fromContextDidSave: save) }
    #expect(places(of: agenda) == [0])
    reader.processPendingChanges()
    agenda.dropResting { _ in reader }
    #expect(agenda.isEmpty)
    #expect(seen["title"] == "new")
  }

  @Test("a context that is gone follows nothing, and its place is used again")
  func gone() throws {
    let shelf = try Shelf()
    for _ in 0..<100 {
      let context = ManagedObjectContext(coordinator: shelf.coordinator)
      context.automaticallyMergesChangesFromParent = true
    }
    let follower = ManagedObjectContext(coordinator: shelf.coordinator)
    follower.automaticallyMergesChangesFromParent = true
    shelf.insert("a")
    try shelf.context.save()
    follower.processPendingChanges()
    #expect(follower.registeredObjects(of: shelf.book).count == 1)
    follower.automaticallyMergesChangesFromParent = false
    shelf.insert("b")
    try shelf.context.save()
    #expect(follower.isAtRest)
  }
}
