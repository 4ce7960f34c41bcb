import FetchedResults
import FetchedResultsSQLite
import Foundation
import RandomLaws
import Testing

/// A store in memory and one in a file give the same results, whatever is done to them.
///
/// Every other file is as Core Data writes it.
@Suite("Stores answer alike")
struct StoreConformanceTests {
  @Test("random saves, conflicts and fetches")
  func random() throws {
    for seed in LawSeeds(seconds: 1) {
      var pair = try StorePair(seed: seed, isOfCoreData: seed % 2 == 1)
      for step in 0..<60 {
        let failure = try pair.step()
        if let failure {
          Issue.record("seed \(seed), step \(step): \(failure)")
          return
        }
      }
    }
  }

  /// The contexts are recreated now and then, so that controllers have unread rows, in batches of
  /// several sizes.
  @Test("controllers over faults tell and show the same")
  func controllers() throws {
    for seed in LawSeeds(seconds: 0.8, from: 70_000) {
      var pair = try StorePair(seed: seed, isWatched: true, isOfCoreData: seed % 2 == 1)
      for step in 0..<80 {
        if let failure = try pair.step() {
          Issue.record("seed \(seed), step \(step): \(failure)")
          return
        }
      }
    }
  }
}
