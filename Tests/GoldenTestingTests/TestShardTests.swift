import Basics
import GoldenTesting
import Testing

@Suite("Shards")
struct TestShardTests {
  private let paths = (0..<1_000).map { "t/\($0 % 7)/\($0).frc" }

  private func shards(_ count: Int, seconds: [String: Double]) throws -> [[Int]] {
    try (1...count).map { number in
      try #require(TestShard("\(number)/\(count)")).indices(of: paths) { seconds[$0] }
    }
  }

  @Test(
    "the shards together are the suite, and no test is in two", arguments: [1, 2, 3, 4, 7, 40])
  func union(count: Int) throws {
    var generator = SeededGenerator(seed: UInt64(count))
    let times = Dictionary(
      uniqueKeysWithValues: paths.prefix(700).map { path in
        (path, Double(generator.number(0...1_000)) / 100)
      })
    for seconds in [[:], times] {
      let shards = try shards(count, seconds: seconds)

      #expect(shards.flatMap { $0 }.sorted() == Array(paths.indices))
      #expect(shards.allSatisfy { $0 == $0.sorted() })
    }
  }

  @Test("by recorded times the slowest shard takes little more than the mean")
  func balance() throws {
    var generator = SeededGenerator(seed: 1)
    // A few tests take most of the time, as in most suites.
    let seconds = Dictionary(
      uniqueKeysWithValues: paths.map { path in
        (path, generator.chance(50) ? Double(generator.number(100...900)) / 100 : 0.01)
      })

    let loads = try shards(4, seconds: seconds).map { shard in
      shard.reduce(0) { $0 + (seconds[paths[$1]] ?? 0) }
    }

    let mean = loads.reduce(0, +) / 4
    #expect((loads.max() ?? 0) <= mean * 1.05)
  }

  @Test("without times each shard has as many tests, and tests of one folder are spread")
  func byPath() throws {
    let shards = try shards(4, seconds: [:])

    #expect(shards.map(\.count) == [250, 250, 250, 250])
    for shard in shards {
      #expect(Set(shard.map { $0 % 7 }).count == 7)
    }
  }

  @Test("tests that take no time are dealt out as evenly")
  func noTime() throws {
    let seconds = Dictionary(uniqueKeysWithValues: paths.map { ($0, 0.0) })

    #expect(try shards(3, seconds: seconds).map(\.count).sorted() == [333, 333, 334])
  }

  @Test("of more shards than tests the first have one each, however many there are")
  func more() throws {
    let shards = try ["1/9223372036854775807", "3/9223372036854775807", "4/9223372036854775807"]
      .map { try #require(TestShard($0)) }

    #expect(shards.map { $0.indices(of: ["a", "b", "c"]) } == [[0], [2], []])
    #expect(shards[0].indices(of: []) == [])
  }

  @Test(
    "a shard is i/n, counted from 1",
    arguments: ["", "1", "0/2", "3/2", "1/0", "a/2", "1/2/3", "-1/2", "1 / 2"])
  func wrong(text: String) {
    #expect(TestShard(text) == nil)
  }
}
