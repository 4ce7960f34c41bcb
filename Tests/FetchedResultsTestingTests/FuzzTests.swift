import FetchedResultsTesting
import Testing

@Suite("Random turns for a list of the user's own")
struct FuzzTests {
  @Test("a list that follows the rules passes")
  func good() throws {
    let clock = ContinuousClock()
    let time = try clock.measure { try fuzz(turns: 4_000, seed: 1) { GoodList() } }
    print("time \(time)")
  }

  @Test("a list that applies each callback at once is found")
  func hasty() throws {
    let failure = try #require(findFailure(turns: 4_000, seed: 1) { HastyList() })

    print(failure)
    #expect(failure.statementCount <= 8)
  }
}
