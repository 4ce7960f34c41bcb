import FetchedResults
import FetchedResultsSQLite
import Foundation
import RandomLaws
import Testing

/// A store that is only read, while others write its file.
struct FollowingTests {
  @Test(
    "after random changes of others, objects and controllers are as after a fresh fetch",
    arguments: ["WAL", "DELETE"], [(512, true), (4096, true), (1024, false)])
  func randomChanges(journal: String, layout: (pageSize: Int, hasPointers: Bool)) throws {
    var (exact, other) = (0, 0)
    for seed in LawSeeds(seconds: 0.3) {
      // Every other file is as Core Data writes it.
      var world = try FollowedWorld(
        seed: seed, journal: journal, pageSize: layout.pageSize, hasPointers: layout.hasPointers,
        isOfCoreData: seed % 2 == 1)
      for turn in 0..<(LawForm.isLong ? 25 : 10) {
        try world.change()
        if let difference = try world.follow() {
          Issue.record("seed \(seed), turn \(turn): \(difference)")
          return
        }
      }
      exact += world.exactLooks
      other += world.otherLooks
    }
    // Only VACUUM makes the pages say nothing.
    #expect(exact > 5 * other, "\(exact) \(other)")
  }
}
