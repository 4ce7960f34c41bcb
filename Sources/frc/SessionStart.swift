import ArgumentParser
import Platform

/// The inputs and settings of `frc`, `frc -e` and `frc run`.
struct SessionStart: Equatable {
  /// The scripts; if there are none, the prompt or standard input.
  var inputs: [ScriptRun.Input]
  var settings = SessionSettings()
  var format = OutputFormat.text

  /// Runs the inputs or the prompt.
  ///
  /// - Returns: The exit status.
  func run() -> ExitCode {
    if !inputs.isEmpty { return ScriptRun(settings: settings, format: format).run(inputs) }
    if FileDescriptor.standardInput.isTerminal {
      return REPLCommand(settings: settings, format: format).run()
    }
    return ScriptRun(settings: settings, format: format).run([.standardInput])
  }
}

extension SessionStart {
  /// Parses arguments that contain no option except `-e`; nil for any others.
  ///
  /// The argument parser can read these too. But it asks the runtime for the types of all commands
  /// and options, which takes longer than everything else before the first statement.
  init?(plain arguments: [String]) {
    if arguments.first == "run" {
      let files = arguments.dropFirst()
      guard !files.isEmpty, files.allSatisfy({ $0 == "-" || !$0.hasPrefix("-") }) else {
        return nil
      }
      self.init(inputs: files.map { .file($0) })
      return
    }
    var statements: [String] = []
    var rest = arguments[...]
    while let option = rest.popFirst() {
      guard option == "-e", let text = rest.popFirst(), !text.hasPrefix("-") else { return nil }
      statements.append(text)
    }
    self.init(statements: statements)
  }

  /// - Parameter statements: The statements of each `-e`, in order; empty for the prompt.
  init(
    statements: [String], settings: SessionSettings = SessionSettings(),
    format: OutputFormat = .text
  ) {
    inputs = statements.isEmpty ? [] : [.text(statements.joined(separator: "\n"), name: "-e")]
    self.settings = settings
    self.format = format
  }
}
