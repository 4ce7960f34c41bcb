import Basics
import FetchedResults
import GoldenTesting
import PromptTools
import RandomLaws
import ScriptFuzzing
import ScriptRuntime
import ScriptSyntax
import ScriptWorlds
import Synchronization
import Testing

/// Whatever fails or is stopped, what runs next does what it does in a new session.
@Suite("Sessions and workers that are used again")
struct SessionsUsedAgainTests {
  /// Returns the statements of a random world, in the pieces in which they were made.
  private static func entries(_ seed: UInt64, turns: Int) -> [String] {
    var entries: [String] = []
    let outcome = Fuzzer(environment: { ScriptFiles() }).run(turns: turns, seed: seed) { step in
      switch step {
      case .world(let text), .statements(let text): entries.append(text)
      }
    }
    #expect(outcome.failure == nil)
    return entries
  }

  /// Statements that fail without an effect.
  ///
  /// They fail when they are prepared, in an expression, in a request, in the store, in a block, at
  /// a limit, and in a nested statement. What a block did before its failure stays, so these blocks
  /// do nothing before it.
  private static let failing = [
    "print nothing", "print 1 / 0", "print Item/9999.title", "fetch nothing", "show nothing",
    "fetch Item where rank > \"x\"", "Item/9999.rank = 1", "include \"none.frc\"",
    "perform { print nothing; undo }", "expect 1 == 2", "print 9223372036854775807 + 1",
    "merge batch into main", "for x in [1, 2] { print nothing }", "if true { expect false }",
    "set clock nothing", "perform nothing { save }", "print count(Item where title MATCHES \"[\")",
    "try print nothing\nexpect false", "delete Item/9999", "return true", "repeat 3 { print x }",
    "let x = nothing", "controller all = Nothing sort by x",
    "batch update Item { rank = nothing }", "import \"none.csv\" into Item",
    "model \"none.xcdatamodel\"", "perform { repeat 300 { try print nothing }; expect false }",
  ]

  /// Asks for a stop after a number of questions, until it is quiet again.
  private final class Interrupter: ScriptEnvironment, Sendable {
    private let left = Mutex<Int?>(nil)

    func interrupt(after questions: Int?) { left.withLock { $0 = questions } }

    var isInterrupted: Bool {
      left.withLock { left in
        guard let count = left else { return false }
        if count > 0 { left = count - 1 }
        return count == 0
      }
    }
  }

  // MARK: The prompt

  private final class Lines {
    var lines: [String] = []

    func take() -> [String] {
      defer { lines = [] }
      return lines
    }
  }

  /// A session of the prompt that can be interrupted.
  private struct Prompt {
    let interrupter = Interrupter()
    let timeline: SessionTimeline
    private let output = Lines()

    init() {
      let interrupter = interrupter
      var evaluation = TrialClock.evaluation
      evaluation.isCancelled = { interrupter.isInterrupted }
      timeline = SessionTimeline(
        environment: interrupter, evaluation: evaluation, prepare: { _ in }, warn: { _, _ in },
        emit: { [output] in output.lines += $0.lines })
    }

    /// Runs a statement.
    ///
    /// - Returns: What it printed, with its error as the last line.
    func run(
      _ statement: Statement, in source: SourceText, interruptedAfter questions: Int? = nil
    ) -> (lines: [String], isInterrupted: Bool) {
      interrupter.interrupt(after: questions)
      defer { interrupter.interrupt(after: nil) }
      _ = output.take()
      do {
        try timeline.run(statement, in: source)
        return (output.take(), false)
      } catch {
        return (output.take() + ["error: \(error.kind)"], error.kind == .interrupted)
      }
    }
  }

  private static func statements(of text: String) -> ParsedScript {
    ScriptParser.parse(SourceText(name: "<prompt>", text: text), as: .prompt)
  }

  @Test("at the prompt, what follows failed and interrupted statements does the same without them")
  func prompt() {
    for seed in LawSeeds(seconds: 0.9, from: 1) {
      var random = SeededGenerator(seed: seed)
      let (used, new) = (Prompt(), Prompt())
      var trail: [String] = []
      for entry in Self.entries(seed, turns: 10) {
        let script = Self.statements(of: entry)
        for statement in script.statements {
          if random.chance(3), let text = Self.failing.randomElement(using: &random) {
            let failing = Self.statements(of: text)
            trail.append(text)
            for statement in failing.statements {
              trail += used.run(statement, in: failing.source).lines
            }
          }
          let text = script.source.text(in: statement.range)
          var found: (lines: [String], isInterrupted: Bool) = ([], true)
          if random.chance(2) {
            found = used.run(
              statement, in: script.source,
              interruptedAfter: random.number(0...[2, 10, 100][random.number(0...2)]))
            #expect(used.timeline.wasRestored, "seed \(seed): \(text)")
            if found.isInterrupted { trail.append("interrupted: \(text)") }
          }
          if found.isInterrupted { found = used.run(statement, in: script.source) }
          let expected = new.run(statement, in: script.source)
          if found.lines != expected.lines {
            Issue.record(
              """
              seed \(seed), after \(trail):
              \(text): \(found.lines), not \(expected.lines)
              """)
            return
          }
        }
      }
    }
  }

  @Test("a block that fails at its end leaves what the same block without the failure leaves")
  func failedBlocks() {
    for seed in LawSeeds(seconds: 0.6, from: 1) {
      var random = SeededGenerator(seed: seed)
      let (used, new) = (Prompt(), Prompt())
      for entry in Self.entries(seed, turns: 10) {
        let ends = ["print nothing", "expect false", "print 1 / 0", "for x in [1] { print x.y }"]
        let wrapped = "perform {\n\(entry)\n"
        let whole = Self.statements(of: wrapped + "}")
        let broken = Self.statements(of: wrapped + "\(ends[random.number(0...3)])\n}")
        guard random.chance(2), !whole.hasErrors, !broken.hasErrors,
          let (one, other) = zip(broken.statements, whole.statements).first(where: { _ in true })
        else {
          let script = Self.statements(of: entry)
          for statement in script.statements {
            let found = used.run(statement, in: script.source).lines
            let expected = new.run(statement, in: script.source).lines
            guard found != expected else { continue }
            Issue.record(
              "seed \(seed), \(script.source.text(in: statement.range)): \(found), not \(expected)")
            return
          }
          continue
        }
        let found = used.run(one, in: broken.source).lines
        let expected = new.run(other, in: whole.source).lines
        // If the block itself fails, it does so in both.
        guard found.last?.hasPrefix("error: ") == true,
          found == expected || Array(found.dropLast()) == expected
        else {
          Issue.record("seed \(seed), \(entry): \(found), not \(expected)")
          return
        }
      }
    }
  }

  // MARK: Workers

  /// Runs a test as a worker does, on this thread.
  private static func runs(
    of text: String, timeout: Duration = .seconds(60), bytes: Int = 1 << 30,
    stopAfter questions: Int? = nil, tooMuchAfter others: Int? = nil
  ) -> [GoldenRun] {
    let test = PreparedTest(GoldenTest(source: SourceText(name: "test.frc", text: text)))
    let (stop, tooMuch) = (Interrupter(), Interrupter())
    stop.interrupt(after: questions)
    tooMuch.interrupt(after: others)
    return GoldenRunner(
      environment: StoreFiles(), stores: [.memory, .sqlite],
      timeout: TimeLimit(timeout, setBy: "--timeout"),
      limits: [
        ByteLimit(.memory, bytes: bytes, setBy: "--max-memory"),
        ByteLimit(.output, bytes: bytes, setBy: "--max-output"),
      ], isStopped: { stop.isInterrupted }, takesTooMuch: { tooMuch.isInterrupted }
    ).runs(of: test)
  }

  /// What ends a script: an error, its time, its memory, its output, and the end of all tests.
  private static func end(_ entries: [String], using random: inout SeededGenerator) {
    let place = random.number(0...entries.count)
    func broken(_ text: String) -> String {
      (entries[..<place] + [text] + entries[place...]).joined(separator: "\n")
    }
    let ended: [GoldenRun]
    switch random.number(0...6) {
    case 0:
      ended = runs(of: broken(failing[random.number(0...failing.count - 1)]))
    case 1: ended = runs(of: broken("repeat 1000000000 { print 1 }"), timeout: .milliseconds(20))
    case 2:
      ended = runs(
        of: broken("let t = \"xxxxxxxx\"\nrepeat 30 { t = t + t }\nprint 1"), bytes: 1 << 16)
    case 3:
      ended = runs(
        of: broken("entity Big { name: String }\ninsert 1000000 Big(name: \"xxxx\")"),
        bytes: 1 << 16)
    case 4: ended = runs(of: broken("repeat 100000 { print \"0123456789\" }"), bytes: 1 << 16)
    case 5:
      ended = runs(of: entries.joined(separator: "\n"), stopAfter: random.number(0...40))
    default:
      ended = runs(of: entries.joined(separator: "\n"), tooMuchAfter: random.number(0...40))
    }
    _ = ended
  }

  @Test("a worker runs a test after those that failed or were stopped as one that is new runs it")
  func workers() {
    for seed in LawSeeds(seconds: 1.2, from: 1) {
      var random = SeededGenerator(seed: seed)
      let entries = Self.entries(seed, turns: 6)
      let text = entries.joined(separator: "\n")
      let expected = Self.runs(of: text)
      for _ in 0..<4 {
        Self.end(entries, using: &random)
        let found = Self.runs(of: text)
        guard found.map(\.blocks) == expected.map(\.blocks), found.map(\.end) == expected.map(\.end)
        else {
          Issue.record("seed \(seed): \(found), not \(expected)\n\(text)")
          return
        }
      }
    }
  }
}
