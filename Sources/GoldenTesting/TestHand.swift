import ScriptRuntime

/// Runs the tests of one of a suite's threads: on the thread itself, or in another process.
package protocol TestHand: AnyObject {
  /// Called with the tests that the thread will ask for next, in order, so that they can be sent
  /// together.
  func prepare(for tests: [Int])

  /// Runs a test on each of its stores.
  ///
  /// - Parameter isStopped: Returns whether the run was cancelled.
  /// - Returns: An empty array if the test has errors or is skipped. The last run ends as `stopped`
  ///   if the test was stopped by `isStopped`.
  func runs(of test: Int, isStopped: @escaping @Sendable () -> Bool) -> [GoldenRun]
}

/// Runs tests on the thread itself.
final class LocalHand: TestHand {
  private let tests: [PreparedTest]
  private let options: GoldenSuite.Options
  private let environment: @Sendable () -> any ScriptEnvironment

  init(
    _ tests: [PreparedTest], _ options: GoldenSuite.Options,
    environment: @escaping @Sendable () -> any ScriptEnvironment
  ) {
    self.tests = tests
    self.options = options
    self.environment = environment
  }

  func prepare(for tests: [Int]) {}

  func runs(of test: Int, isStopped: @escaping @Sendable () -> Bool) -> [GoldenRun] {
    GoldenRunner(
      environment: environment(), locale: options.locale, stores: options.stores,
      timeout: options.timeout, limits: options.limits, isStopped: isStopped
    ).runs(of: tests[test])
  }
}
