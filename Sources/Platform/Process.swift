import CLibrary

/// Operations on the current process.
package enum ProcessCalls {
  /// Ends the program with an exit status.
  package static func end(status: Int32) -> Never { exit(status) }

  /// Ends the program immediately with an exit status, without exit handlers.
  package static func endAtOnce(status: Int32) -> Never { _exit(status) }

  /// Runs a shell command in this terminal, and waits until it ends.
  ///
  /// - Returns: 0 if the command succeeded.
  package static func runShell(_ command: String) -> Int32 { system(command) }
}
