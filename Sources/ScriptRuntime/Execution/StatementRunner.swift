import ScriptSyntax

/// Runs the statements inside others, such as those of a loop or a callback.
protocol StatementRunner: AnyObject {
  func execute(_ statements: [Statement]) throws(ScriptError)

  /// Runs the statements of another file in the frame of the running one.
  func run(_ script: ParsedScript) throws(ScriptError)

  /// Runs the statements of another file in a session of their own.
  ///
  /// - Parameter includers: The names of the files that include it.
  func runAlone(_ script: ParsedScript, includedBy includers: [String]) throws(ScriptError)
}
