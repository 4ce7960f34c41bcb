/// Where the program keeps what it knows from session to session: the history, and the
/// progress in courses.
enum StateFolder {
  /// The folder among the user's other states; nil if the user has no home.
  ///
  /// - Parameter variable: Returns the value of a variable of the environment.
  static func path(_ variable: (String) -> String?) -> String? {
    // A relative path there must be ignored, says its specification.
    if let folder = variable("XDG_STATE_HOME"), folder.hasPrefix("/") { return folder + "/frc" }
    guard let home = variable("HOME"), !home.isEmpty else { return nil }
    return home + "/.local/state/frc"
  }
}
