import FetchedResults
import FetchedResultsSQLite
import Foundation
import RandomLaws
import Testing

/// Compares migrations of random models with a simple migration in memory.
@Suite("Every migration is as a naive one")
struct MigrationLawTests {
  /// The source of the old model.
  enum Source: CaseIterable {
    case metadata
    case given
    case tables
  }

  @Test("of random changes", arguments: Source.allCases)
  func random(_ source: Source) throws {
    for seed in LawSeeds(seconds: 0.7, atLeast: 5, from: 1) { try check(seed, source) }
  }

  @Test(
    "random changes that failed once",
    arguments: [343, 413, 927, 1225, 1327, 1732, 1826, 1877] as [UInt64])
  func failed(_ seed: UInt64) throws { try check(seed, .tables) }

  private func check(_ seed: UInt64, _ source: Source) throws {
    let folder = try StoreFolder()
    var world = MigrationWorld(seed: seed, requiresValues: source != .tables)
    let outline = world.outline
    do {
      do {
        let coordinator = try PersistentStoreCoordinator(
          managedObjectModel: try world.model(), sqliteStoreAt: folder.file(), tracksHistory: true)
        try world.write(to: coordinator)
        let lines = try world.lines(of: coordinator)
        try #require(lines == world.lines, "seed \(seed) before")
      }
      let old = world
      world.change()
      if source == .tables { try folder.removeModel() }
      let migration = StoreMigration.inferred(
        allowsDataLoss: true, from: source == .given ? try old.model() : nil)
      let coordinator = try PersistentStoreCoordinator(
        managedObjectModel: try world.model(), sqliteStoreAt: folder.file(), migration: migration)
      let (found, wanted) = (try world.lines(of: coordinator), world.lines)
      if found != wanted {
        let differences = zip(found, wanted).filter { $0 != $1 }
        Issue.record(
          """
          seed \(seed), \(source): \(world.trail)
          \(outline)
          before \(old.lines.joined(separator: "\n       "))
          found  \(differences.map(\.0).joined(separator: "\n       "))
          wanted \(differences.map(\.1).joined(separator: "\n       "))
          \(found.count) and \(wanted.count) objects
          """)
      }
    } catch {
      Issue.record("seed \(seed), \(source): \(error)\n\(world.trail)\n\(outline)\n\(world.lines)")
    }
  }
}
