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

@Suite("A recorded run")
struct RecordedRunTests {
  @Test("later reports stand for earlier ones; other lines do not count")
  func reports() {
    var run = RecordedRun()

    let isFirst = run.add(
      """
      {"event":"failure","kind":"output","file":"a.frc","line":1,"message":"x"}
      {"event":"test","file":"a.frc","verdict":"failed","seconds":1.5}
      {"event":"test","file":"b.frc","verdict":"failed","seconds":2}
      {"event":"summary","passed":0,"failed":2}
      """)
    let isSecond = run.add(
      "{\"event\":\"test\",\"file\":\"a.frc\",\"verdict\":\"passed\",\"seconds\":3}\n")

    #expect(isFirst && isSecond)
    #expect(["a.frc", "b.frc", "c.frc"].map(run.seconds) == [3, 2, nil])
  }

  @Test("a script is found however its path is written")
  func paths() {
    var run = RecordedRun()

    _ = run.add(
      #"""
      {"event":"test","file":"./t//a.frc","verdict":"failed","seconds":1}
      {"event":"test","file":"/t/b.frc","verdict":"failed","seconds":2}
      """#)

    #expect(["t/a.frc", "./t/./a.frc", "/t/a.frc"].map(run.seconds) == [1, 1, nil])
    #expect(["t/b.frc", "//t/b.frc"].map(run.seconds) == [nil, 2])
  }

  @Test("of a run that was killed the last line may be cut off")
  func killed() {
    var run = RecordedRun()

    let isReport = run.add(
      #"{"event":"test","file":"a.frc","verdict":"passed","seconds":2}"# + "\n{\"event\":\"te")

    #expect(isReport)
    #expect(run.seconds(of: "a.frc") == 2)
  }

  @Test("the report of a run without tests is one")
  func empty() {
    var run = RecordedRun()

    let isReport = run.add(
      #"{"event":"summary","passed":0,"failed":0,"skipped":0,"expectedFailures":0,"updated":0}"#)

    #expect(isReport)
  }

  @Test(
    "what is no report is none",
    arguments: [
      "", "{}", "a: b", #"{"event":"summary"}"#,
      #"{"event":"summary","passed":1,"failed":0,"skipped":0,"expectedFailures":0}"#,
    ])
  func others(text: String) {
    var run = RecordedRun()

    let isReport = run.add(text)

    #expect(!isReport)
  }
}
