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
  package func run(deliver: (GoldenOutcome) -> Void) {
    let suite = self
    OrderedWork.perform(tests.count, threads: threads) { index in
      suite.tests[index].outcome(of: suite.runs(index))
    } deliver: {
      deliver($0)
    }
  }

  /// Runs every test twice, the second time in the opposite order, and hands
  /// the outcomes over.
  package func runTwice(deliver: (GoldenOutcome) -> Void) {
    let suite = self
    let again = OrderedWork.results(tests.count, threads: threads, reversed: true) { index in
      suite.runs(index)
    }
    OrderedWork.perform(tests.count, threads: threads) { index in
      suite.tests[index].outcome(of: suite.runs(index), again: again[index])
    } deliver: {
      deliver($0)
    }
  }

  private func runs(_ index: Int) -> [GoldenRun] {
    GoldenRunner(environment: environment(), locale: locale).runs(of: tests[index])
  }
}
