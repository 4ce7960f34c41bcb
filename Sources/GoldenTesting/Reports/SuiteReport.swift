/// The results of a test run, for all kinds of reports.
package struct SuiteReport: Sendable {
  /// The outcomes, in the order of the tests.
  package private(set) var outcomes: [GoldenOutcome] = []
  /// The paths of golden files without a script.
  package private(set) var strayGoldens: [String] = []
  /// The reason why such a file is a failure.
  static let strayGoldenWords = "a golden file without a script"
  /// Files that look like tests and were not read.
  package private(set) var unread: [UnreadFile] = []
  package var sums = TestSums()
  /// The number of blocks that an update changed.
  package var updates = UpdateSums()

  package init() {}

  /// Adds the outcome of a test.
  package mutating func add(_ outcome: GoldenOutcome) {
    outcomes.append(outcome)
    sums.count(outcome)
  }

  /// Adds a golden file without a script, which is a failure.
  package mutating func add(strayGolden path: String) {
    strayGoldens.append(path)
    sums.failed += 1
  }

  /// Adds files that look like tests and were not read.
  package mutating func add(unread files: [UnreadFile]) {
    unread += files
    sums.unread += files.count
  }

  /// Returns the tests that took longest, the longest first.
  package func slowest(_ count: Int) -> [GoldenOutcome] {
    let durations = outcomes.map(\.duration)
    let order = durations.indices.sorted { (durations[$1], $0) < (durations[$0], $1) }
    return order.prefix(count).map { outcomes[$0] }
  }
}

/// A file that looks like a test and was not read.
package struct UnreadFile: Hashable, Sendable {
  package let path: String
  package let reason: String
  /// Whether the file should have been read, so that the run is incomplete.
  ///
  /// Other files are left out by a rule, such as a link to a folder.
  package let isError: Bool

  package init(path: String, reason: String, isError: Bool) {
    self.path = path
    self.reason = reason
    self.isError = isError
  }
}

/// The number of tests with each result.
package struct TestSums: Hashable, Sendable {
  package var passed = 0
  package var failed = 0
  package var skipped = 0
  package var expectedFailures = 0
  /// Tests that passed, but only checked that nothing is printed.
  package var assertingNothing = 0
  /// Blocks that failed as expected, in tests with another result.
  package var expectedFailureBlocks = 0
  /// Blocks that were skipped, in tests with another result.
  package var skippedBlocks = 0
  /// Tests that passed after they had failed at first.
  package var flaky = 0
  /// Files that look like tests and were not read.
  package var unread = 0
  /// Files that an update wrote.
  package var updated = 0
  /// Tests that were not run, because the run ended before them.
  package var notRun = 0
  /// Whether the run was interrupted.
  package var isInterrupted = false

  package init() {}

  /// Counts one test.
  package mutating func count(_ outcome: GoldenOutcome) {
    if outcome.isFlaky { flaky += 1 }
    for note in outcome.notes {
      switch note.kind {
      case .skipped: skippedBlocks += 1
      case .expectedFailure: expectedFailureBlocks += 1
      }
    }
    switch outcome.verdict {
    case .passed where outcome.assertsNothing: assertingNothing += 1
    case .passed: passed += 1
    case .failed: failed += 1
    case .skipped: skipped += 1
    case .expectedFailure: expectedFailures += 1
    }
  }

  /// The sums on one line.
  ///
  /// Zeros are left out, except for passed and failed.
  package var words: String {
    func blocks(_ count: Int, _ words: String) -> (Int, String) {
      (count, (count == 1 ? "block " : "blocks ") + words)
    }
    let rest = [
      (skipped, "skipped"), (expectedFailures, "failed as expected"),
      (assertingNothing, assertingNothing == 1 ? "asserts nothing" : "assert nothing"),
      blocks(expectedFailureBlocks, "failed as expected"), blocks(skippedBlocks, "skipped"),
      (flaky, "flaky"), (notRun, "not run"), (unread, "not read"),
    ].filter { $0.0 > 0 }
    return (["\(passed) passed", "\(failed) failed"] + rest.map { "\($0.0) \($0.1)" })
      .joined(separator: ", ")
  }
}

extension GoldenOutcome.Verdict {
  /// The verdict's word in reports for tools.
  package var word: String {
    switch self {
    case .passed: "passed"
    case .failed: "failed"
    case .skipped: "skipped"
    case .expectedFailure: "expectedFailure"
    }
  }
}

extension Duration {
  /// The number of seconds with three decimals.
  package var milliseconds: String { seconds(digits: 3) }

  /// The number of seconds with six decimals.
  package var microseconds: String { seconds(digits: 6) }

  private func seconds(digits: Int) -> String {
    let (seconds, attoseconds) = components
    var unit: Int64 = 1_000_000_000_000_000_000
    for _ in 0..<digits { unit /= 10 }
    let rest = "\(attoseconds / unit)"
    return "\(seconds)." + String(repeating: "0", count: digits - rest.count) + rest
  }
}
