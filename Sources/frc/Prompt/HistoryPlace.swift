import Foundation
import LineEditor
import Platform

/// The place where typed entries are kept between sessions.
struct HistoryPlace: Equatable {
  let path: String

  /// The place from `$FRC_HISTORY`, or else a file in the user's state folder.
  ///
  /// Nil if the variable is empty, so that the history ends with the session, or if the user has no
  /// home.
  static var standard: HistoryPlace? {
    standard { ProcessEnvironment[$0] }
  }

  /// - Parameter variable: Returns the value of an environment variable.
  static func standard(_ variable: (String) -> String?) -> HistoryPlace? {
    if let path = variable("FRC_HISTORY") {
      return path.isEmpty ? nil : HistoryPlace(path: path)
    }
    return StateFolder.path(variable).map { HistoryPlace(path: $0 + "/history") }
  }

  var exists: Bool { FileStatus.exists(path) }

  /// Opens the history, and creates its folder if necessary.
  ///
  /// If this fails, the history's `failure` has the reason and the session continues.
  func open() -> LineHistory {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
    try? NewFolder.makeWithParents(folder.path, permissions: 0o700)
    return LineHistory(path: path)
  }
}
