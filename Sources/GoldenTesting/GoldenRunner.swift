import FetchedResults
package import Foundation
package import ScriptRuntime
package import ScriptSyntax
import Synchronization

/// Runs scripts in sessions of their own and records what they print.
package struct GoldenRunner {
  private let environment: any ScriptEnvironment
  private var evaluation: EvaluationEnvironment
  private let stores: [TestStore]
  private let timeout: TimeLimit?
  private let limits: [ByteLimit]
  private let isStopped: @Sendable () -> Bool
  private let takesTooMuch: @Sendable () -> Bool

  /// Creates a runner.
  ///
  /// A test begins at 2026-01-01T00:00:00Z, and its `random()` returns 0.5, so that its output
  /// depends only on its text.
  ///
  /// - Parameters:
  ///   - environment: Provides included files.
  ///   - locale: The locale of localized sorts.
  ///   - stores: The stores of a test that names none.
  ///   - timeout: The longest time that any run may take, and the limit for scripts without one of
  ///     their own; nil for the scripts' limits alone.
  ///   - limits: The limits on other resources.
  ///   - isStopped: Returns whether the run was cancelled.
  ///   - takesTooMuch: Returns whether the process uses more memory than a run may.
  package init(
    environment: any ScriptEnvironment, locale: String = "en", stores: [TestStore] = [.memory],
    timeout: TimeLimit? = nil, limits: [ByteLimit] = [],
    isStopped: @escaping @Sendable () -> Bool = { false },
    takesTooMuch: @escaping @Sendable () -> Bool = { false }
  ) {
    self.environment = environment
    self.stores = stores
    self.timeout = timeout
    self.limits = limits
    self.isStopped = isStopped
    self.takesTooMuch = takesTooMuch
    evaluation = EvaluationEnvironment(now: { Self.clock }, locale: locale)
    evaluation.random = { 0.5 }
  }

  /// A step of a running test, reported so that others know how far it came.
  package enum Step {
    /// A run on a store starts.
    case run(TestStore)
    /// The next block starts.
    case block
    /// The block has printed lines.
    case lines([String])
  }

  /// Called with each step.
  package var onOutput: ((Step) -> Void)?

  /// The time at which every test begins: 2026-01-01T00:00:00Z.
  package static let clock = Date(timeIntervalSince1970: 1_767_225_600)

  /// Runs a test once on each of its stores, and compares the output.
  package func run(_ test: GoldenTest) -> GoldenOutcome {
    let prepared = PreparedTest(test)
    return prepared.outcome(of: runs(of: prepared))
  }

  /// Runs a test once on each of its stores.
  ///
  /// Runs nothing if the test has errors or is skipped.
  package func runs(of test: PreparedTest) -> [GoldenRun] {
    var runs: [GoldenRun] = []
    for store in test.runnableStores(unlessNamed: stores) where runs.last?.end != .stopped {
      onOutput?(.run(store))
      runs.append(run(test, on: store))
    }
    return runs
  }

  /// Runs a test on its first store, and compares nothing.
  ///
  /// - Parameters:
  ///   - prepare: Called with the interpreter of each session.
  ///   - emit: Called with each event.
  func observe(
    _ test: PreparedTest, prepare: @escaping (Interpreter) -> Void,
    emit: @escaping (Event) -> Void
  ) {
    guard let store = test.runnableStores(unlessNamed: stores).first else { return }
    _ = run(test, on: store, prepare: prepare, onEvent: emit)
  }

  private func run(
    _ test: PreparedTest, on store: TestStore, prepare: (Interpreter) -> Void = { _ in },
    onEvent: ((Event) -> Void)? = nil
  ) -> GoldenRun {
    var run = GoldenRun(store: store)
    var block = GoldenRun.Block()
    var prediction = PredictedBlock()
    let limit = test.directives.timeout(atMost: timeout)
    run.limit = limit
    let start = ContinuousClock.now
    let limits = RunLimits(
      time: limit, limits: limits, isStopped: isStopped, takesTooMuch: takesTooMuch)
    let limited = LimitedEnvironment(environment, limits)
    var evaluation = evaluation
    evaluation.isCancelled = { limits.isOver }
    func session() -> Interpreter {
      let interpreter = Interpreter(environment: limited.newSession(), evaluation: evaluation) {
        event in
        onEvent?(event)
        if test.hasPredictions { prediction.events.append(event) }
        let lines = event.lines.map(Self.written)
        limits.notePrinted(lines)
        onOutput?(.lines(lines))
        block.output += lines
      }
      interpreter.session.memory = limits.memory
      if store == .sqlite { interpreter.useStore(at: "matrix.sqlite") }
      interpreter.onBreach = { block.breaches.append("\($0): \($1)") }
      interpreter.prepare(for: test.script)
      if test.hasPredictions {
        interpreter.keepReasons()
        interpreter.onExplanations = { prediction.explanations += $0 }
      }
      prepare(interpreter)
      return interpreter
    }
    var interpreter = session()
    var place = 0
    for group in test.neededBlocks {
      block = GoldenRun.Block()
      prediction = PredictedBlock()
      onOutput?(.block)
      let number = test.session(of: group)
      if number != place { (interpreter, place) = (session(), number) }
      guard test.directives.skippedBlocks[group.lines.lowerBound] == nil else {
        block.isSkipped = true
        run.blocks.append(block)
        continue
      }
      do {
        for statement in test.script.statements[group.statements] {
          try interpreter.run(statement, in: test.script.source)
        }
      } catch {
        let uncaught = GoldenRun.UncaughtError(diagnostic: error.diagnostic, source: error.source)
        if error.kind == .interrupted {
          run.end = limits.end
        } else if test.expectedFailure(of: group, on: store) != nil {
          // The blocks after one that is expected to fail still run.
          block.error = uncaught
        } else {
          run.end = .uncaught(uncaught)
        }
      }
      if group.isPrediction {
        let judged = prediction.judgement(of: group, in: interpreter.session)
        (block.isPredicted, block.reasons) = (judged.isRight, judged.reasons)
      }
      run.blocks.append(block)
      if run.end != .finished { break }
    }
    // The last statement may have exceeded a limit after the last check.
    if run.end == .finished, let limit = limits.exceeded { run.end = .exceeded(limit) }
    run.duration = ContinuousClock.now - start
    return run
  }

  /// Returns an output line as it reads from a file, where a carriage return at its end belongs to
  /// the line end.
  private static func written(_ line: String) -> String {
    line.hasSuffix("\r") ? String(line.dropLast()) : line
  }
}

/// The results of one run of a test.
package struct GoldenRun: Sendable {
  /// The results of one block.
  package struct Block: Hashable, Sendable {
    package var output: [String] = []
    /// How the block's prediction compares with what happened, line by line, with the rules.
    ///
    /// Empty if it is right, or if there is none.
    package var reasons: [String] = []
    /// Whether the block's lines are a prediction that is right in other words.
    package var isPredicted = false
    /// Descriptions of how callbacks broke the replay law.
    package var breaches: [String] = []
    /// Whether the block was skipped, because the script asks for it.
    package var isSkipped = false
    /// The error that ended a block that is expected to fail.
    package var error: UncaughtError?

    package init(output: [String] = [], breaches: [String] = []) {
      self.output = output
      self.breaches = breaches
    }
  }

  /// The end of a run.
  package enum End: Hashable, Sendable {
    /// All blocks that were needed ran.
    case finished
    /// The last block ended with an error that no `try` caught.
    case uncaught(UncaughtError)
    /// The last block ran longer than the test may.
    case timedOut(TimeLimit)
    /// The last block used more of a resource than the test may.
    case exceeded(ByteLimit)
    /// The program itself crashed in the last block; the text is the reason.
    case crashed(String)
    /// The run was cancelled, so it has no result.
    case stopped
  }

  /// An error with its place, which may be in a file that the script includes.
  package struct UncaughtError: Hashable, Sendable {
    package let diagnostic: Diagnostic
    package let source: SourceText
  }

  package let store: TestStore
  /// The blocks that ran, in order.
  ///
  /// They are unknown, and so empty, if the process was killed.
  package var blocks: [Block] = []
  package var end = End.finished
  /// The time limit of the run, and of its comparison.
  package var limit = TimeLimit(TestDirectives.defaultTimeout, setBy: "'#@ timeout'")

  /// How long the run took.
  package var duration: Duration = .zero

  package init(store: TestStore) { self.store = store }
}

/// The events in a block with a prediction.
struct PredictedBlock {
  var events: [Event] = []
  var explanations: [Explanation] = []

  /// Returns how the block's prediction compares with the events, line by line.
  ///
  /// A prediction with `…` leaves lines out, so it has to fit the output as a golden does.
  ///
  /// - Parameter session: The session after the block.
  func judgement(
    of block: StatementGroup, in session: Session
  ) -> (isRight: Bool, reasons: [String]) {
    let lines = block.expected.map(\.text)
    let grade = Grade(
      ofPrediction: plain(lines), events: events, explanations: explanations, in: session)
    let isRight =
      grade.verdict == .right && block.expected.allSatisfy(\.isPrediction)
      && !lines.contains(ExpectedOutput.anyLines)
    return (isRight, grade.verdict == .right ? [] : grade.lines.map(\.description))
  }

  /// Returns the lines with patterns replaced by the printed lines that they stand for.
  private func plain(_ lines: [String]) -> [String] {
    let budget = ComparisonBudget(steps: 1_000_000)
    var output = events.flatMap(\.lines)
    return lines.filter { $0 != ExpectedOutput.anyLines }.map { line in
      let expected = ExpectedOutput([line])
      let place = output.firstIndex { printed in
        ((try? expected.match([printed], until: budget)) ?? nil) != nil
      }
      return place.map { output.remove(at: $0) } ?? line
    }
  }
}

/// The conditions that end a run early: its limits, or the end of all runs.
final class RunLimits: Sendable {
  /// Counts the memory of the run's sessions.
  let memory = MemoryMeter()
  private let printed = Atomic(0)
  private let limits: [ByteLimit]
  private let time: TimeLimit
  private let deadline: ContinuousClock.Instant
  private let isStopped: @Sendable () -> Bool
  private let takesTooMuch: @Sendable () -> Bool

  /// - Parameters:
  ///   - time: The longest time that the run may take from now on.
  ///   - limits: The limits on other resources.
  ///   - isStopped: Returns whether all runs must stop.
  ///   - takesTooMuch: Returns whether the process uses more memory than the run may.
  init(
    time: TimeLimit, limits: [ByteLimit], isStopped: @escaping @Sendable () -> Bool,
    takesTooMuch: @escaping @Sendable () -> Bool
  ) {
    self.time = time
    self.limits = limits
    self.isStopped = isStopped
    self.takesTooMuch = takesTooMuch
    deadline = ContinuousClock.now + time.duration
  }

  /// Counts lines of output.
  func notePrinted(_ lines: [String]) {
    let count = lines.reduce(0) { $0 + $1.utf8.count + 1 }
    printed.wrappingAdd(count, ordering: .relaxed)
  }

  /// Whether the run must end; asked again and again.
  var isOver: Bool { exceeded != nil || ContinuousClock.now >= deadline || isStopped() }

  /// The end of a run that was interrupted.
  var end: GoldenRun.End {
    if let exceeded { return .exceeded(exceeded) }
    return ContinuousClock.now >= deadline ? .timedOut(time) : .stopped
  }

  /// The limit of memory or output that the run has exceeded; nil if none.
  var exceeded: ByteLimit? {
    limits.first { limit in
      switch limit.resource {
      case .memory: memory.bytes > limit.bytes || takesTooMuch()
      case .output: printed.load(ordering: .relaxed) > limit.bytes
      }
    }
  }
}

/// An environment that interrupts a script that exceeds a limit or was cancelled.
private final class LimitedEnvironment: FilesOfAnother {
  let base: any ScriptEnvironment
  private let limits: RunLimits

  init(_ base: any ScriptEnvironment, _ limits: RunLimits) {
    self.base = base
    self.limits = limits
  }

  /// Returns the environment of another session, which shares the remaining limits.
  func newSession() -> any ScriptEnvironment { LimitedEnvironment(base.newSession(), limits) }

  var isInterrupted: Bool { limits.isOver || base.isInterrupted }
}
