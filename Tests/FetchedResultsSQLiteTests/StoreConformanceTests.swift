import FetchedResults
import FetchedResultsSQLite
import Foundation
import Testing

/// A store in memory and one in a file give the same results, whatever is done to them.
@Suite("Stores answer alike")
struct StoreConformanceTests {
  private static let isLong = ProcessInfo.processInfo.environment["FRC_LONG"] == "1"

  @Test("random saves, conflicts and fetches", arguments: 0..<4)
  func random(part: Int) throws {
    for index in 0..<(Self.isLong ? 100 : 8) {
      let seed = UInt64(part * 1000 + index)
      var pair = try StorePair(seed: seed)
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
  @Test("controllers over faults tell and show the same", arguments: 0..<4)
  func controllers(part: Int) throws {
    for index in 0..<(Self.isLong ? 200 : 10) {
      let seed = UInt64(70_000 + part * 1000 + index)
      var pair = try StorePair(seed: seed, isWatched: true)
      for step in 0..<80 {
        if let failure = try pair.step() {
          Issue.record("seed \(seed), step \(step): \(failure)")
          return
        }
      }
    }
  }
}
