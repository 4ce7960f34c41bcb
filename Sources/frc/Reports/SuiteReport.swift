import Basics
import GoldenTesting

/// The results of a test run, for all kinds of reports.
struct SuiteReport: Sendable {
  /// The outcomes, in the order of the tests.
  private(set) var outcomes: [GoldenOutcome] = []
  /// The paths of golden files without a script.
  private(set) var strayGoldens: [String] = []
  /// The reason why such a file is a failure.
  static let strayGoldenWords = "a golden file without a script"
  /// Files that look like tests and were not read.
  private(set) var unread: [UnreadFile] = []
  var sums = TestSums()
  /// The number of blocks that an update changed.
  var updates = UpdateSums()

  /// Adds the outcome of a test.
  mutating func add(_ outcome: GoldenOutcome) {
    outcomes.append(outcome)
    sums.count(outcome)
  }

  /// Adds a golden file without a script, which is a failure.
  mutating func add(strayGolden path: String) {
    strayGoldens.append(path)
    sums.failed += 1
  }

  /// Adds files that look like tests and were not read.
  mutating func add(unread files: [UnreadFile]) {
    unread += files
    sums.unread += files.count
  }

  /// Returns the tests that took longest, the longest first.
  func slowest(_ count: Int) -> [GoldenOutcome] {
    let durations = outcomes.map(\.duration)
    let order = durations.indices.ordered { (durations[$1], $0) < (durations[$0], $1) }
    return order.prefix(count).map { outcomes[$0] }
  }
}

/// A file that looks like a test and was not read.
struct UnreadFile: Hashable, Sendable {
  let path: String
  let reason: String
  /// Whether the file should have been read, so that the run is incomplete.
  ///
  /// Other files are left out by a rule, such as a link to a folder.
  let isError: Bool
}

/// The number of tests with each result.
struct TestSums: Hashable, Sendable {
  var passed = 0
  var failed = 0
  var skipped = 0
  var expectedFailures = 0
  /// Tests that passed, but only checked that nothing is printed.
  var assertingNothing = 0
  /// Blocks that failed as expected, in tests with another result.
  var expectedFailureBlocks = 0
  /// Blocks that were skipped, in tests with another result.
  var skippedBlocks = 0
  /// Tests that passed after they had failed at first.
  var flaky = 0
  /// Files that look like tests and were not read.
  var unread = 0
  /// Files that an update wrote.
  var updated = 0
  /// Tests that were not run, because the run ended before them.
  var notRun = 0
  /// Whether the run was interrupted.
  var isInterrupted = false

  /// Counts one test.
  mutating func count(_ outcome: GoldenOutcome) {
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
  var words: String {
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
  var word: String {
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
  var milliseconds: String { seconds(digits: 3) }

  /// The number of seconds with six decimals.
  var microseconds: String { seconds(digits: 6) }

  private func seconds(digits: Int) -> String {
    let (seconds, attoseconds) = components
    var unit: Int64 = 1_000_000_000_000_000_000
    for _ in 0..<digits { unit /= 10 }
    let rest = "\(attoseconds / unit)"
    return "\(seconds)." + String(repeating: "0", count: digits - rest.count) + rest
  }
}

/// Separates the failures that have to be fixed from those that follow from them.
extension GoldenOutcome {
  /// The failures that do not follow from another one.
  var causes: [GoldenFailure] {
    guard let end = failures.first(where: \.endsScript) else { return failures }
    return failures.filter { !$0.follows(from: end) }
  }
}

extension GoldenFailure {
  /// Whether the failure ended the script.
  fileprivate var endsScript: Bool {
    switch kind {
    case .uncaught, .timedOut, .exceeded, .crashed: true
    case .output, .strayExpectation, .replay, .unreached, .unstable, .diagnostic,
      .conflictMarker, .empty, .missingGolden, .unexpectedPass, .update:
      false
    }
  }

  /// Whether the failure only says that the script ended too early: blocks were not reached, or the
  /// last lines are missing.
  fileprivate func follows(from end: GoldenFailure) -> Bool {
    switch kind {
    case .unreached: true
    case .output(let mismatch):
      (lines == end.lines || file != end.file)
        && mismatch.expectation.commonPrefix(with: mismatch.actual) == mismatch.actual.count
    case .uncaught, .timedOut, .exceeded, .crashed, .strayExpectation, .replay, .unstable,
      .diagnostic,
      .conflictMarker, .empty, .missingGolden, .unexpectedPass, .update:
      false
    }
  }
}

/// Converts the paths of a run to paths in a workspace, such as the root of a repository.
struct WorkspacePaths: Hashable, Sendable {
  /// The parts of the absolute path of the workspace; nil to leave paths as they
  /// are.
  private let workspace: [Substring]?
  private let folder: [Substring]

  /// Creates paths that stay as they are.
  init() {
    workspace = nil
    folder = []
  }

  /// - Parameters:
  ///   - workspace: The absolute path of the workspace.
  ///   - folder: The absolute path of the folder in which the run was started.
  init(workspace: String, folder: String) {
    self.workspace = Self.parts(of: workspace[...], from: [])
    self.folder = Self.parts(of: folder[...], from: [])
  }

  /// Returns the path in the workspace; an absolute path for a file outside of it.
  func path(of path: String) -> String {
    guard let workspace else { return path.hasPrefix("./") ? String(path.dropFirst(2)) : path }
    let parts = Self.parts(of: path[...], from: path.hasPrefix("/") ? [] : folder)
    guard parts.starts(with: workspace) else { return "/" + parts.joined(separator: "/") }
    return parts.dropFirst(workspace.count).joined(separator: "/")
  }

  private static func parts(of path: Substring, from start: [Substring]) -> [Substring] {
    path.split(separator: "/").reduce(into: start) { parts, part in
      switch part {
      case ".": break
      case "..": _ = parts.popLast()
      default: parts.append(part)
      }
    }
  }
}
