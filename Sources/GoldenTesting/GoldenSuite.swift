package import ScriptRuntime
import Synchronization

/// Tests that are run together, on several threads.
///
/// Outcomes come in the order of the tests, however many threads there are.
package struct GoldenSuite: Sendable {
  private let tests: [PreparedTest]
  private let threads: Int
  private let locale: String
  private let isInterrupted: @Sendable () -> Bool
  private let environment: @Sendable () -> any ScriptEnvironment

  /// Creates a suite.
  ///
  /// - Parameters:
  ///   - tests: In the order in which their outcomes are wanted.
  ///   - threads: How many tests run at a time.
  ///   - locale: The locale of localized sorts.
  ///   - isInterrupted: Whether somebody wants all to stop.
  ///   - environment: Makes what brings one test its files.
  package init(
    _ tests: [PreparedTest], threads: Int, locale: String = "en",
    isInterrupted: @escaping @Sendable () -> Bool = { false },
    environment: @escaping @Sendable () -> any ScriptEnvironment
  ) {
    self.tests = tests
    self.threads = threads
    self.locale = locale
    self.isInterrupted = isInterrupted
    self.environment = environment
  }

  /// Runs every test once, and hands each outcome over as soon as those before
  /// it were.
  ///
  /// - Parameter deliver: Says whether to go on; when it says no, no other test
  ///   begins, those that run are stopped, and none behind is handed over.
  package func run(deliver: (GoldenOutcome) -> Bool) {
    perform({ $0.outcome($1, stop: $2) }, deliver)
  }

  /// Runs every test twice, the second time in the opposite order, and hands
  /// the outcomes over.
  package func runTwice(deliver: (GoldenOutcome) -> Bool) {
    let suite = self
    let again = OrderedWork.results(tests.count, threads: threads, reversed: true) { index in
      suite.runs(index, stop: Stop())
    }
    perform({ $0.outcome($1, again: again[$1], stop: $2) }, deliver)
  }

  private func perform(
    _ work: @escaping @Sendable (GoldenSuite, Int, Stop) -> GoldenOutcome,
    _ deliver: (GoldenOutcome) -> Bool
  ) {
    let suite = self
    let stop = Stop()
    OrderedWork.perform(tests.count, threads: threads) { index in
      work(suite, index, stop)
    } deliver: { outcome in
      let goesOn = deliver(outcome)
      if !goesOn { stop.raise() }
      return goesOn
    }
  }

  private func outcome(_ index: Int, again: [GoldenRun] = [], stop: Stop) -> GoldenOutcome {
    let start = ContinuousClock.now
    let runs = runs(index, stop: stop)
    var outcome = tests[index].outcome(of: runs, again: again)
    outcome.duration = ContinuousClock.now - start
    outcome.isBrokenOff = isInterrupted() || stop.isRaised
    return outcome
  }

  private func runs(_ index: Int, stop: Stop) -> [GoldenRun] {
    GoldenRunner(environment: environment(), locale: locale) { [isInterrupted] in
      stop.isRaised || isInterrupted()
    }.runs(of: tests[index])
  }

  /// Whether the tests that run are to stop, because the run was cancelled.
  private final class Stop: Sendable {
    private let flag = Atomic(false)

    var isRaised: Bool { flag.load(ordering: .relaxed) }

    func raise() { flag.store(true, ordering: .relaxed) }
  }
}
