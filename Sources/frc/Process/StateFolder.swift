/// The folder where the program keeps the history, and the progress in courses, between sessions.
enum StateFolder {
  /// Returns the folder among the user's state folders; nil if the user has no home.
  ///
  /// - Parameter variable: Returns the value of an environment variable.
  static func path(_ variable: (String) -> String?) -> String? {
    // The XDG specification says that a relative path must be ignored.
    if let folder = variable("XDG_STATE_HOME"), folder.hasPrefix("/") { return folder + "/frc" }
    guard let home = variable("HOME"), !home.isEmpty else { return nil }
    return home + "/.local/state/frc"
  }
}
