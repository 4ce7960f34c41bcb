import FetchedResults
import FetchedResultsSQLite
import Foundation
import Testing

/// Whatever a file contains, using it gives either rows or an error message.
@Suite("Damaged stores")
struct DamagedStoreTests {
  private static let isLong = ProcessInfo.processInfo.environment["FRC_LONG"] == "1"
  /// The first seed, which can be changed to try others.
  private static let first =
    ProcessInfo.processInfo.environment["FRC_SEED"].flatMap { UInt64($0) } ?? 0

  @Test("a damaged store gives rows or messages in one line, and soon", arguments: 0..<4)
  func random(part: Int) throws {
    let bytes = try DamagedStore.sound()
    var rows = 0
    var messages = 0
    for index in 0..<(Self.isLong ? 1000 : 60) {
      let seed = Self.first + UInt64(part * 10_000 + index)
      let start = ContinuousClock.now
      var store = try DamagedStore(seed: seed, bytes: bytes)
      try store.use()
      let seconds = (ContinuousClock.now - start) / .seconds(1)
      let told = "seed \(seed): \(store.damage)"
      #expect(seconds < 10, "\(told)")
      for message in store.messages {
        #expect(!message.isEmpty && !message.contains("\n"), "\(told): \(message)")
      }
      #expect(store.rowCount > 0 || !store.messages.isEmpty, "\(told)")
      rows += store.rowCount
      messages += store.messages.count
    }
    // The damage leaves some rows readable, and some damage is found.
    #expect(rows > 1000)
    #expect(messages > 10)
  }
}
