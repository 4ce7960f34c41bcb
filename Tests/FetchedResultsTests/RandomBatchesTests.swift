import Foundation
import SeededRandom
import Testing

@Suite("random batches: every controller reports and shows what the naive model says")
struct RandomBatchesTests {
  private static let isLong = ProcessInfo.processInfo.environment["FRC_LONG"] == "1"
  private static let turnsPerWorld = 50

  /// Worlds of 50 turns each, in parts so that they run in parallel.
  private static let parts = 20
  private static let worldsPerPart = (isLong ? 1_000_000 : 10_000) / turnsPerWorld / parts

  @Test("small worlds: 0 to 40 rows, 1 to 12 operations a turn", arguments: 0..<parts)
  func small(part: Int) throws {
    for index in 0..<Self.worldsPerPart {
      let seed = UInt64(part * 1_000_000 + index)
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

  @Test("sections that overlap in the sort order", arguments: 0..<parts)
  func overlapping(part: Int) throws {
    for index in 0..<Self.worldsPerPart { try Self.overlap(UInt64(part * 1_000_000 + index)) }
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

  @Test("delegates that change, save, roll back and fetch inside callbacks", arguments: 0..<parts)
  func meddling(part: Int) throws {
    for index in 0..<max(1, Self.worldsPerPart / 5) {
      try Self.meddle(seed: UInt64(part * 1_000_000 + index))
    }
  }

  @Test("meddling that once went wrong", arguments: [5_000_085, 5_000_171])
  func meddledOnce(seed: UInt64) throws { try Self.meddle(seed: seed) }

  private static func meddle(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed ^ 0x0F0F)
    let shape = World.Shape(
      rows: Int.random(in: 3...30, using: &random), operations: 1...6,
      keys: [3, 30].randomElement(using: &random) ?? 3,
      sections: Int.random(in: 1...6, using: &random))
    try World.checkMeddling(seed: seed, shape: shape, turns: turnsPerWorld)
  }

  @Test(
    "large worlds: hundreds of rows and operations; in the long run up to 2,000 and 500",
    arguments: 0..<(isLong ? 40 : 2))
  func large(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let shape = World.Shape(
      rows: Int.random(in: Self.isLong ? 500...2000 : 300...600, using: &random),
      operations: Self.isLong ? 1...500 : 1...100,
      keys: [30, 3000].randomElement(using: &random)!,
      sections: Int.random(in: 3...8, using: &random))
    try World.check(seed: seed, shape: shape, turns: 10)
  }
}
