import Foundation

/// The tests of an earlier run as its JSON report lists them.
///
/// Several reports may be added.
package struct RecordedRun: Sendable {
  /// The duration of each script in seconds, by its path in the simplest form.
  private var seconds: [String: Double] = [:]

  package init() {}

  /// Returns the duration of a script in seconds; nil if no report has it.
  package func seconds(of path: String) -> Double? { seconds[path.plainPath] }

  /// The first of the paths; nil if there are none.
  package var anyPath: String? { seconds.keys.min() }

  private struct Line: Decodable {
    let event: String
    let file: String?
    let seconds: Double?
    let passed: Int?
    let failed: Int?
    let skipped: Int?
    let expectedFailures: Int?

    /// Whether the line summarizes a run without tests, such as an empty shard.
    var isOfEmptyRun: Bool {
      event == "summary" && [passed, failed, skipped, expectedFailures].allSatisfy { $0 == 0 }
    }
  }

  /// Adds a report.
  ///
  /// Only its lines about tests are used.
  ///
  /// If a run was killed, its last line may be incomplete; it is ignored.
  ///
  /// - Returns: Whether there was such a line, or the run had no tests.
  package mutating func add(_ text: String) -> Bool {
    var isReport = false
    for line in text.split(whereSeparator: \.isNewline) {
      let isCut = line.endIndex == text.endIndex
      guard let line = try? JSONDecoder().decode(Line.self, from: Data(line.utf8)) else {
        if isCut, isReport { break }
        return false
      }
      isReport = isReport || line.isOfEmptyRun
      guard line.event == "test", let file = line.file else { continue }
      isReport = true
      seconds[file.plainPath] = line.seconds
    }
    return isReport
  }
}

extension String {
  /// The path without redundant steps: `./t//a.frc` is `t/a.frc`.
  fileprivate var plainPath: String {
    let parts = split(separator: "/").filter { $0 != "." }
    return (hasPrefix("/") ? "/" : "") + parts.joined(separator: "/")
  }
}
