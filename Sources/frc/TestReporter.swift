import GoldenTesting

/// Tells how tests went, each as it ends.
protocol TestReporter {
  func report(_ outcome: GoldenOutcome)
  /// A golden file that stands beside no script.
  func report(strayGolden path: String)
  func report(updated path: String)
  /// The sums, at the end.
  func report(_ sums: TestSums)
}

/// How many tests came out how.
struct TestSums {
  var passed = 0
  var failed = 0
  var skipped = 0
  var expectedFailures = 0
  /// Files that an update wrote.
  var updated = 0

  /// Counts an outcome, and reports it.
  mutating func add(_ outcome: GoldenOutcome, _ reporter: any TestReporter) {
    switch outcome.verdict {
    case .passed: passed += 1
    case .failed: failed += 1
    case .skipped: skipped += 1
    case .expectedFailure: expectedFailures += 1
    }
    reporter.report(outcome)
  }
}
