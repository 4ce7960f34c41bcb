import CLibrary

/// What the running program asks of the system for itself.
package enum ProcessCalls {
  /// Ends the program with a status.
  package static func end(status: Int32) -> Never { exit(status) }

  /// Ends the program with a status, whatever its other threads are doing.
  package static func endAtOnce(status: Int32) -> Never { _exit(status) }

  /// Runs a command of the shell in this terminal, and waits for its end.
  ///
  /// - Returns: 0 where it ended well.
  package static func runShell(_ command: String) -> Int32 { system(command) }
}
