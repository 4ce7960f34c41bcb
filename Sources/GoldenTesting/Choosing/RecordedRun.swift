import Foundation

/// What a JSON report says about the tests of an earlier run, or of several reports one after the
/// other.
package struct RecordedRun: Sendable {
  /// How many seconds each script took, by its path in its plainest form.
  private var seconds: [String: Double] = [:]

  package init() {}

  /// How many seconds the script of a path took; nil if no report says.
  package func seconds(of path: String) -> Double? { seconds[path.plainPath] }

  /// The first of the paths, or nil without any.
  package var anyPath: String? { seconds.keys.min() }

  private struct Line: Decodable {
    let event: String
    let file: String?
    let seconds: Double?
    let passed: Int?
    let failed: Int?
    let skipped: Int?
    let expectedFailures: Int?

    /// Whether it sums up a run of no test, such as an empty part of a suite.
    var isOfEmptyRun: Bool {
      event == "summary" && [passed, failed, skipped, expectedFailures].allSatisfy { $0 == 0 }
    }
  }

  /// Adds a report, of which the lines on tests count.
  ///
  /// The last line of a run that was killed may be a part of one, which is ignored.
  ///
  /// - Returns: Whether there was any such line, or a run without tests.
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
  /// The path without steps to where it is already: `./t//a.frc` is `t/a.frc`.
  fileprivate var plainPath: String {
    let parts = split(separator: "/").filter { $0 != "." }
    return (hasPrefix("/") ? "/" : "") + parts.joined(separator: "/")
  }
}
