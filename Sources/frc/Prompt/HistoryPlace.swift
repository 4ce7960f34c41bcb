import Foundation
import LineEditor
import Platform

/// Where what was typed is kept from session to session.
struct HistoryPlace: Equatable {
  let path: String

  /// `$FRC_HISTORY`, else a file among the user's other states.
  ///
  /// Nil where the variable is empty, for a history that ends with the session,
  /// or where the user has no home.
  static var standard: HistoryPlace? {
    standard { ProcessEnvironment[$0] }
  }

  /// - Parameter variable: Returns the value of a variable of the environment.
  static func standard(_ variable: (String) -> String?) -> HistoryPlace? {
    if let path = variable("FRC_HISTORY") {
      return path.isEmpty ? nil : HistoryPlace(path: path)
    }
    return StateFolder.path(variable).map { HistoryPlace(path: $0 + "/history") }
  }

  var exists: Bool { FileManager.default.fileExists(atPath: path) }

  /// Opens the history, making its folder where there is none.
  ///
  /// Whatever goes wrong is the history's `failure`, and the session goes on.
  func open() -> LineHistory {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
    try? FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    return LineHistory(path: path)
  }
}
