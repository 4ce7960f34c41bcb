#if canImport(Testing)
import Testing
#endif

/// A place in a source file under test, for a failure.
struct TestPlace: Hashable, Sendable {
  /// The path of the file.
  let path: String
  /// The line, counted from 1.
  let line: Int
  /// The column, counted from 1.
  var column = 1

  /// The last part of the path.
  var file: String { path.split(separator: "/").last.map(String.init) ?? path }

  #if canImport(Testing)
  /// Swift Testing expects a folder and a file here, and shows the file.
  private var fileID: String {
    let parts = path.split(separator: "/").suffix(2)
    return parts.count == 2 ? parts.joined(separator: "/") : "Scripts/\(file)"
  }

  /// Whether a test of Swift Testing is running.
  static var isInTest: Bool { Test.current != nil }

  /// Records a failure of the running test of Swift Testing, at this place.
  func record(_ words: String) {
    let place = SourceLocation(fileID: fileID, filePath: path, line: line, column: column)
    Issue.record(Comment(rawValue: words), sourceLocation: place)
  }
  #else
  /// False: there is no Swift Testing, so failures are thrown.
  static var isInTest: Bool { false }

  func record(_ words: String) {}
  #endif
}
