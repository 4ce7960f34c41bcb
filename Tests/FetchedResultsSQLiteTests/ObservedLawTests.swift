import Basics
import EngineWorlds
import FetchedResults
import FetchedResultsSQLite
import RandomLaws
import Testing

@Suite("observed results in a file: random turns of two contexts")
struct ObservedFileLawTests {
  private let folder = StoreFolder()

  @Test("with one coordinator, and with contexts of a container")
  func worlds() throws {
    for seed in LawSeeds(seconds: 1.2, atLeast: LawForm.rounds(2, long: 200)) {
      let model = try BookShelf.model()
      let url = folder.file("\(seed)")
      let contexts: [ManagedObjectContext]
      if seed.isMultiple(of: 2) {
        let coordinator = try PersistentStoreCoordinator(
          managedObjectModel: model, sqliteStoreAt: url)
        contexts = (0..<2).map { _ in ManagedObjectContext(coordinator: coordinator) }
      } else {
        let container = try PersistentContainer(
          managedObjectModel: model, sqliteStoreAt: url, durability: .off)
        contexts = try (0..<2).map { _ in try container.newContext(isolation: nil) }
      }
      let world = try ObservedWorld(
        seed: seed, contexts: contexts, book: try BookShelf.book(of: model))
      for _ in 0..<30 {
        if let problem = try world.turn() {
          Issue.record(Comment(rawValue: problem))
          return
        }
      }
    }
  }

  @Test("an observed history that restarts misses nothing and counts nothing twice")
  func history() throws {
    for seed in LawSeeds(seconds: 0.6, atLeast: LawForm.rounds(2, long: 100)) {
      var random = SeededGenerator(seed: seed)
      let model = try BookShelf.model()
      let book = try BookShelf.book(of: model)
      let url = folder.file("history\(seed)")
      let container = try PersistentContainer(
        managedObjectModel: model, sqliteStoreAt: url, tracksHistory: true)
      let contexts = try (0..<2).map { _ in try container.newContext(isolation: nil) }
      contexts[1].transactionAuthor = "App"
      let reader = try container.newContext(isolation: nil)
      var observed = try ObservedHistory(of: [book], authors: ["App"], in: reader)
      var seen: [Int64] = []
      for _ in 0..<30 {
        let context = contexts[random.number(0...1)]
        context.mergePolicy = .mergeByPropertyObjectTrump
        try BookShelf.change(in: context, of: book, using: &random)
        try context.save()
        context.processPendingChanges()
        let counter = observed.eventCounter
        if random.chance(2) {
          let grew = try observed.update()
          #expect(observed.eventCounter == counter + (grew ? 1 : 0), "seed \(seed)")
        }
        seen += observed.takeTransactions().map(\.transactionNumber)
        if random.chance(4) {
          observed = try ObservedHistory(
            of: [book], authors: ["App"], after: observed.token, in: reader)
        }
      }
      try observed.update()
      seen += observed.takeTransactions().map(\.transactionNumber)
      let all = try reader.fetchHistory(author: "App").map(\.transactionNumber)
      #expect(seen == all && !all.isEmpty, "seed \(seed)")
    }
  }
}
