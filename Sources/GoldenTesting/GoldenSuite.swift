package import ScriptRuntime

/// Tests that are run together, on several threads.
///
/// Outcomes come in the order of the tests, however many threads there are.
package struct GoldenSuite: Sendable {
  private let tests: [PreparedTest]
  private let threads: Int
  private let locale: String
  private let environment: @Sendable () -> any ScriptEnvironment

  /// Creates a suite.
  ///
  /// - Parameters:
  ///   - tests: In the order in which their outcomes are wanted.
  ///   - threads: How many tests run at a time.
  ///   - locale: The locale of localized sorts.
  ///   - environment: Makes what brings one test its files.
  package init(
    _ tests: [PreparedTest], threads: Int, locale: String = "en",
    environment: @escaping @Sendable () -> any ScriptEnvironment
  ) {
    self.tests = tests
    self.threads = threads
    self.locale = locale
    self.environment = environment
  }

  /// Runs every test once, and hands each outcome over as soon as those before
  /// it were.
  ///
  /// - Parameter deliver: Says whether to go on; no test begins that has not
  ///   when it says no, and none behind is handed over.
  package func run(deliver: (GoldenOutcome) -> Bool) {
    let suite = self
    OrderedWork.perform(tests.count, threads: threads) { index in
      suite.outcome(index)
    } deliver: {
      deliver($0)
    }
  }

  /// Runs every test twice, the second time in the opposite order, and hands
  /// the outcomes over.
  package func runTwice(deliver: (GoldenOutcome) -> Bool) {
    let suite = self
    let again = OrderedWork.results(tests.count, threads: threads, reversed: true) { index in
      suite.runs(index)
    }
    OrderedWork.perform(tests.count, threads: threads) { index in
      suite.outcome(index, again: again[index])
    } deliver: {
      deliver($0)
    }
  }

  private func outcome(_ index: Int, again: [GoldenRun] = []) -> GoldenOutcome {
    let start = ContinuousClock.now
    let environment = environment()
    let runs = runs(index, environment)
    var outcome = tests[index].outcome(of: runs, again: again)
    outcome.duration = ContinuousClock.now - start
    outcome.isBrokenOff = environment.isInterrupted
    return outcome
  }

  private func runs(_ index: Int) -> [GoldenRun] { runs(index, environment()) }

  private func runs(_ index: Int, _ environment: any ScriptEnvironment) -> [GoldenRun] {
    GoldenRunner(environment: environment, locale: locale).runs(of: tests[index])
  }
}
