import ScriptRuntime

/// What runs the tests of one of a suite's threads: the thread itself, or a process that it talks
/// to.
package protocol TestHand: AnyObject {
  /// Is told which tests the thread asks for next, in order, so that they can be sent together.
  func prepare(for tests: [Int])

  /// Runs a test on each of its stores.
  ///
  /// - Parameter isStopped: Whether the run was cancelled.
  /// - Returns: Nothing where the test is wrong or to be skipped. The last run ends as `stopped` if
  ///   the test did not end because of `isStopped`.
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
