import Foundation
import RandomLaws
import Testing

/// Whatever a file contains, using it gives either rows or an error message.
@Suite("Damaged stores")
struct DamagedStoreTests {
  @Test("a damaged store gives rows or messages in one line, and soon")
  func random() throws {
    let bytes = try DamagedStore.sound()
    var rounds = 0
    var rows = 0
    var messages = 0
    for seed in LawSeeds(seconds: 0.5, atLeast: 10) {
      rounds += 1
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
    guard LawSeeds.areMany else { return }
    #expect(rows > 15 * rounds)
    #expect(messages > rounds / 6)
  }
}
