import CLibrary

/// The environment variables of the process.
///
/// Foundation's `ProcessInfo.environment` builds a dictionary of all variables each time. That
/// takes a sixth of the time in which frc starts.
package enum ProcessEnvironment {
  /// Returns the value of a variable; nil if it is not set.
  package static subscript(name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  /// Returns the value of a variable, or `fallback` if it is not set.
  package static subscript(name: String, default fallback: String) -> String {
    self[name] ?? fallback
  }

  /// Whether a continuous integration system started the process.
  package static var isContinuousIntegration: Bool { !self["CI", default: ""].isEmpty }
}
