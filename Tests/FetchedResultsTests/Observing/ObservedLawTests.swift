import Basics
import EngineWorlds
import FetchedResults
import RandomLaws
import Testing

@Suite("observed results in memory: random turns of two contexts")
struct ObservedLawTests {
  private static let turnsPerWorld = 50

  @Test("what is published replays, equals a fetch, composes, and is silent without a save")
  func oneStore() throws {
    var (batches, differences) = (0, 0)
    for seed in LawSeeds(
      seconds: 2, atLeast: LawForm.rounds(4, long: 10_000))
    {
      let model = try BookShelf.model()
      let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
      let contexts = (0..<2).map { _ in ManagedObjectContext(coordinator: coordinator) }
      let world = try ObservedWorld(
        seed: seed, contexts: contexts, book: try BookShelf.book(of: model))
      try Self.run(world)
      batches += world.batches
      differences += world.savedDifferences
      if LawForm.isLong, batches >= 100_000 { break }
    }
    if LawSeeds.areMany {
      #expect(batches >= LawForm.rounds(20, long: 100_000))
      #expect(differences >= LawForm.rounds(20, long: 10_000))
    }
  }

  @Test("the same with contexts of a container, whose coordinators are separate")
  func container() throws {
    for seed in LawSeeds(seconds: 1.2, atLeast: LawForm.rounds(2, long: 500)) {
      let model = try BookShelf.model()
      let container = PersistentContainer(managedObjectModel: model)
      let contexts = try (0..<2).map { _ in try container.newContext(isolation: nil) }
      try Self.run(
        try ObservedWorld(seed: seed, contexts: contexts, book: try BookShelf.book(of: model)))
    }
  }

  private static func run(_ world: ObservedWorld) throws {
    for _ in 0..<turnsPerWorld {
      if let problem = try world.turn() {
        Issue.record(Comment(rawValue: problem))
        return
      }
    }
  }
}
