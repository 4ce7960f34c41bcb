import Basics
import RandomLaws
import Testing

@Suite("random batches: every controller reports and shows what the naive model says")
struct RandomBatchesTests {
  private static let turnsPerWorld = 50

  @Test("small worlds: 0 to 40 rows, 1 to 12 operations a turn")
  func small() throws {
    for seed in LawSeeds(seconds: 0.6) {
      var random = SeededGenerator(seed: seed ^ 0xF0F0)
      let shape = World.Shape(
        rows: Int.random(in: 0...[3, 8, 40].randomElement(using: &random)!, using: &random),
        operations: 1...[1, 3, 12].randomElement(using: &random)!,
        keys: [2, 4, 8, 30].randomElement(using: &random)!,
        sections: Int.random(in: 1...8, using: &random),
        togglesDelegates: random.chance(4))
      try World.check(seed: seed, shape: shape, turns: Self.turnsPerWorld)
    }
  }

  @Test("sections that overlap in the sort order")
  func overlapping() throws {
    for seed in LawSeeds(seconds: 0.6) { try Self.overlap(seed) }
  }

  private static func overlap(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed ^ 0x0FF0)
    let shape = World.Shape(
      rows: Int.random(in: 0...([3, 8, 40].randomElement(using: &random) ?? 8), using: &random),
      operations: 1...([1, 3, 12].randomElement(using: &random) ?? 3),
      keys: [2, 4, 8, 30].randomElement(using: &random) ?? 4,
      sections: Int.random(in: 2...8, using: &random), togglesDelegates: random.chance(6))
    try World.check(seed: seed, shape: shape, turns: turnsPerWorld, overlap: true)
  }

  @Test("delegates that change, save, roll back and fetch inside callbacks")
  func meddling() throws {
    for seed in LawSeeds(seconds: 0.5, failedOnce: [5_000_085, 5_000_171]) {
      try Self.meddle(seed: seed)
    }
  }

  private static func meddle(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed ^ 0x0F0F)
    let shape = World.Shape(
      rows: Int.random(in: 3...30, using: &random), operations: 1...6,
      keys: [3, 30].randomElement(using: &random) ?? 3,
      sections: Int.random(in: 1...6, using: &random))
    try World.checkMeddling(seed: seed, shape: shape, turns: turnsPerWorld)
  }

  @Test("large worlds: hundreds of rows and operations; in the long form up to 2,000 and 500")
  func large() throws {
    for seed in LawSeeds(seconds: 0.6) {
      var random = SeededGenerator(seed: seed)
      let shape = World.Shape(
        rows: Int.random(in: LawForm.isLong ? 500...2000 : 300...600, using: &random),
        operations: LawForm.isLong ? 1...500 : 1...100,
        keys: [30, 3000].randomElement(using: &random)!,
        sections: Int.random(in: 3...8, using: &random))
      try World.check(seed: seed, shape: shape, turns: 10)
    }
  }
}
