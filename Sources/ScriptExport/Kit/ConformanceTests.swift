import Conformance
import XCTest

/// Runs each script on Core Data, and compares the events with those of frc.
///
/// Each file in `Scripts` adds the test of one script.
final class ConformanceTests: XCTestCase {
  func check(_ script: Script) throws {
    let file = differences.appendingPathComponent(Self.fileName(of: script) + ".jsonl")
    try? FileManager.default.removeItem(at: file)
    let comparison = try Comparison(script)
    guard let report = comparison.report else { return }
    try FileManager.default.createDirectory(at: differences, withIntermediateDirectories: true)
    try Data(comparison.actualLines.utf8).write(to: file)
    XCTFail("\(script.name), \(report)\nAll events of Core Data are in \(file.path)")
  }

  /// The folder for the events of scripts with differences.
  private var differences: URL {
    if let path = ProcessInfo.processInfo.environment["FRC_DIFFERENCES"] {
      return URL(fileURLWithPath: path)
    }
    return URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Differences")
  }

  private static func fileName(of script: Script) -> String {
    String(script.name.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" })
  }
}
