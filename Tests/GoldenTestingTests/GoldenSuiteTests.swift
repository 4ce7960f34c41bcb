import GoldenTesting
import ScriptRuntime
import ScriptSyntax
import Synchronization
import Testing

/// Tests run together.
struct GoldenSuiteTests {
  @Test("outcomes come in the order of the tests, on however many threads", arguments: [1, 2, 7])
  func order(threads: Int) {
    let tests = (0..<50).map { number in
      PreparedTest(
        GoldenTest(
          source: SourceText(
            name: "\(number)", text: "repeat \(number % 7 * 20) { let x = 1 }\nprint \(number)")))
    }
    var names: [String] = []
    var printed: [String] = []

    GoldenSuite(tests, threads: threads) { Files() }.run { outcome in
      names.append(outcome.source.name)
      printed += outcome.blocks.flatMap(\.output)
      return true
    }

    #expect(names == (0..<50).map { "\($0)" })
    #expect(printed == names)
  }

  @Test("work is done once each, also from the end")
  func work() {
    let begun = Mutex<[Int]>([])
    let results = OrderedWork.results(5, threads: 1, reversed: true) { number in
      begun.withLock { $0.append(number) }
      return number * 2
    }

    #expect(results == [0, 2, 4, 6, 8])
    #expect(begun.withLock(\.self) == [4, 3, 2, 1, 0])
    #expect(OrderedWork.results(0, threads: 4) { $0 } == [])
  }

  @Test("a block that prints something else the second time is not accepted, the others are")
  func unstable() throws {
    let test = prepared("include 'a'\n#> 0\nprint 5\n#> 0\n")
    var outcomes: [GoldenOutcome] = []

    GoldenSuite([test], threads: 1) { Files() }.runTwice {
      outcomes.append($0)
      return true
    }
    let update = GoldenUpdate(try #require(outcomes.first))

    #expect(outcomes.first?.words == ["1 output", "1 unstable", "3 output"])
    #expect(
      update.file.map { String(decoding: $0.bytes, as: UTF8.self) }
        == "include 'a'\n#> 0\nprint 5\n#> 5\n")
    #expect(update.outcome.words == ["1 output", "1 unstable"])
  }

  /// A file that says something else each time.
  private final class Files: ScriptEnvironment {
    private static let count = Mutex(0)
    let isInterrupted = false

    func source(
      at path: String, includedFrom includer: String
    ) throws(UnreadableSource) -> SourceText {
      let count = Self.count.withLock {
        $0 += 1
        return $0
      }
      return SourceText(name: path, text: "print \(count)")
    }
  }
}
