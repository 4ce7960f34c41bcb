import Foundation

/// The variables of the process's environment.
enum ProcessEnvironment {
  static subscript(name: String) -> String? { ProcessInfo.processInfo.environment[name] }

  static subscript(name: String, default fallback: String) -> String { self[name] ?? fallback }
}
