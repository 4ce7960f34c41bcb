import Foundation
import ScriptRuntime

/// The results of a project's tests in the runs so far.
///
/// A run adds the results of its tests. It keeps the results of all others.
package struct LastRun: Hashable, Sendable {
  /// The result of a test.
  package enum Verdict: String, Sendable {
    case passed, failed, skipped, expectedFailure
    /// The run ended before the test did.
    case notRun
  }

  private struct Test: Hashable {
    var verdict: Verdict
    /// The duration in seconds; nil if the test never ended.
    var seconds: Double?
  }

  /// The tests by path.
  private var tests: [String: Test] = [:]

  package init() {}

  /// The paths of all known tests.
  package var paths: some Sequence<String> { tests.keys }

  /// Whether anything is known of a test.
  package func knows(_ path: String) -> Bool { tests[path] != nil }

  /// Whether a test is not known to pass: it failed, it was not run, or it is unknown.
  package func isToDo(_ path: String) -> Bool {
    switch tests[path]?.verdict {
    case .failed, .notRun, nil: true
    case .passed, .skipped, .expectedFailure: false
    }
  }

  /// Returns the duration of a test in seconds; nil if it is unknown.
  package func seconds(of path: String) -> Double? { tests[path]?.seconds }

  /// Adds the result of a test.
  ///
  /// - Parameter isPart: Whether only some of its blocks were run. These can show that the test
  ///   fails, but not that it passes.
  package mutating func note(_ outcome: GoldenOutcome, at path: String, isPart: Bool) {
    let verdict: Verdict =
      switch outcome.verdict {
      case .passed: .passed
      case .failed: .failed
      case .skipped: .skipped
      case .expectedFailure: .expectedFailure
      }
    guard isPart else {
      tests[path] = Test(verdict: verdict, seconds: outcome.duration / .seconds(1))
      return
    }
    if verdict == .failed { tests[path, default: Test(verdict: verdict)].verdict = verdict }
  }

  /// Adds that a test should have run and did not end.
  ///
  /// A test that failed before still counts as failed.
  package mutating func noteNotRun(_ path: String) {
    guard tests[path]?.verdict != .failed else { return }
    tests[path, default: Test(verdict: .notRun)].verdict = .notRun
  }

  /// Removes a test.
  package mutating func remove(_ path: String) { tests[path] = nil }
}

// MARK: - JSON

extension LastRun {
  private struct File: Decodable {
    let version: Int
    let tests: [String: Entry]

    struct Entry: Decodable {
      let verdict: String
      let seconds: Double?
    }
  }

  /// Parses the text of ``json``; nil if it is something else.
  package init?(json: [UInt8]) {
    guard let file = try? JSONDecoder().decode(File.self, from: Data(json)), file.version == 1
    else { return nil }
    for (path, entry) in file.tests {
      // A later version may have other verdicts. Such a test is run again.
      let verdict = Verdict(rawValue: entry.verdict) ?? .notRun
      tests[path] = Test(verdict: verdict, seconds: entry.seconds)
    }
  }

  /// The tests as a JSON object with one line for each, sorted by path.
  package var json: String {
    let lines = tests.sorted { $0.key < $1.key }.map { path, test in
      var fields = [("verdict", JSON.string(test.verdict.rawValue))]
      if let seconds = test.seconds { fields.append(("seconds", .number("\(seconds)"))) }
      return "\(JSON.string(path)):\(JSON.object(fields))"
    }
    return "{\"version\":1,\"tests\":{\n\(lines.joined(separator: ",\n"))\n}}\n"
  }
}
