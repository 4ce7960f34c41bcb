import GoldenTesting
import ScriptRuntime
import ScriptSyntax
import Synchronization
import Testing

/// Tests run together.
@Suite(.serialized)
struct GoldenSuiteTests {
  /// Scripts of different lengths, each of which prints its number.
  private func tests(_ count: Int) -> [PreparedTest] {
    (0..<count).map { number in
      PreparedTest(
        GoldenTest(
          source: SourceText(
            name: "\(number)", text: "repeat \(number % 7 * 20) { let x = 1 }\nprint \(number)")))
    }
  }

  private func options(threads: Int) -> GoldenSuite.Options {
    var options = GoldenSuite.Options()
    options.threads = threads
    return options
  }

  @Test("each test has one outcome, on however many threads", arguments: [1, 2, 7])
  func once(threads: Int) {
    var printed: [Int: [String]] = [:]

    let unfinished = GoldenSuite(tests(50), options: options(threads: threads)) { Files() }.run {
      index, outcome in
      printed[index, default: []] += [outcome.source.name] + outcome.blocks.flatMap(\.output)
      return true
    }

    #expect(unfinished == [])
    #expect(printed.count == 50)
    for (index, words) in printed { #expect(words == ["\(index)", "\(index)"]) }
  }

  @Test("an outcome comes when its test ends, and one that is to stop does not wait for others")
  func asTheyEnd() {
    let endless = PreparedTest(
      GoldenTest(source: SourceText(name: "endless", text: "repeat 1000000000 { let x = 1 }")))
    var ended: [String] = []

    let unfinished = GoldenSuite([endless] + tests(5), options: options(threads: 2)) { Files() }
      .run { _, outcome in
        ended.append(outcome.source.name)
        return ended.count < 5
      }

    #expect(ended == ["0", "1", "2", "3", "4"])
    #expect(unfinished.map(\.index) == [0])
    #expect(unfinished.first?.isRunning == false)
  }

  @Test("tests begin in the order that is asked for, a failed one is tried again, each repeated")
  func options() {
    var options = GoldenSuite.Options()
    options.order = [2, 0, 1]
    options.repetitions = 3
    options.retries = 0
    let right = (0..<3).map { number in
      PreparedTest(
        GoldenTest(source: SourceText(name: "\(number)", text: "print \(number)\n#> \(number)")))
    }
    var tries: [[Int]] = []
    _ = GoldenSuite(right, options: options) { Files() }.run { index, outcome in
      tries.append([index, outcome.tries])
      return true
    }
    #expect(tries == [[2, 3], [0, 3], [1, 3]])

    var retried: [GoldenOutcome] = []
    options = GoldenSuite.Options()
    options.retries = 2
    let wrong = PreparedTest(
      GoldenTest(source: SourceText(name: "a", text: "print 1\n#> 2")))
    // The file contains a higher number each time.
    let next = Files.nextNumber
    let flaky = PreparedTest(
      GoldenTest(source: SourceText(name: "b", text: "include 'x'\n#> \(next + 1)")))
    _ = GoldenSuite([wrong, flaky], options: options) { Files() }.run {
      retried.append($1)
      return true
    }
    #expect(retried.map(\.tries) == [3, 2])
    #expect(retried.map(\.isFlaky) == [false, true])
    #expect(retried.map(\.passed) == [false, true])
  }

  @Test("a suite's timeout is the limit of a script without one, and the ceiling of the others")
  func timeout() {
    func limit(_ text: String, _ ceiling: Duration?) -> TimeLimit {
      prepared(text).directives.timeout(atMost: ceiling.map { TimeLimit($0, setBy: "--timeout") })
    }

    #expect(limit("print 1", nil) == TimeLimit(.seconds(10), setBy: "'#@ timeout'"))
    #expect(limit("print 1", .seconds(90)) == TimeLimit(.seconds(90), setBy: "--timeout"))
    #expect(
      limit("#@ timeout 2s\nprint 1", .seconds(90)) == TimeLimit(.seconds(2), setBy: "'#@ timeout'")
    )
    #expect(
      limit("#@ timeout 2s\nprint 1", .seconds(1)) == TimeLimit(.seconds(1), setBy: "--timeout"))
  }

  @Test("work is done once each, in the order that is asked for")
  func work() {
    let begun = Mutex<[Int]>([])
    var ended: [Int] = []
    ParallelWork.perform([4, 1, 3], threads: 1) { number in
      begun.withLock { $0.append(number) }
      return number * 2
    } deliver: { number, result in
      ended.append(result - number)
      return true
    }

    #expect(ended == [4, 1, 3])
    #expect(begun.withLock(\.self) == [4, 1, 3])
    #expect(ParallelWork.results(0, threads: 4) { $0 } == [])
    #expect(ParallelWork.results(9, threads: 4) { $0 } == Array(0..<9))
  }

  @Test("a block that prints something else the second time is not accepted, the others are")
  func unstable() throws {
    let test = prepared("include 'a'\n#> 0\nprint 5\n#> 0\n")
    var outcomes: [GoldenOutcome] = []

    _ = GoldenSuite([test]) { Files() }.run(isTwice: true) {
      outcomes.append($1)
      return true
    }
    let update = GoldenUpdate(try #require(outcomes.first))

    #expect(outcomes.first?.words == ["1 output", "1 unstable", "3 output"])
    #expect(
      update.file.map { String(decoding: $0.bytes, as: UTF8.self) }
        == "include 'a'\n#> 0\nprint 5\n#> 5\n")
    #expect(update.outcome.words == ["1 output", "1 unstable"])
  }

  /// A file with different contents each time.
  private final class Files: ScriptEnvironment {
    private static let count = Mutex(0)
    static var nextNumber: Int { count.withLock { $0 + 1 } }

    func source(at path: String, from includer: String) throws(UnreadableSource) -> SourceText {
      let count = Self.count.withLock {
        $0 += 1
        return $0
      }
      return SourceText(name: path, text: "print \(count)")
    }
  }
}
