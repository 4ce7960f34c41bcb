import ArgumentParser
import Platform

/// What `frc`, `frc -e` and `frc run` were asked for.
struct SessionStart: Equatable {
  /// The scripts; without any, the prompt or standard input.
  var inputs: [ScriptRun.Input]
  var settings = SessionSettings()
  var format = OutputFormat.text

  /// Starts it.
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
  /// Reads arguments without an option but `-e`; nil of any others.
  ///
  /// The parser of arguments reads these as well. But it asks the runtime for the types of all
  /// commands and their options, which takes longer than all else until the first statement runs.
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

  /// - Parameter statements: What `-e` says, one after the other; none for the prompt.
  init(
    statements: [String], settings: SessionSettings = SessionSettings(),
    format: OutputFormat = .text
  ) {
    inputs = statements.isEmpty ? [] : [.text(statements.joined(separator: "\n"), name: "-e")]
    self.settings = settings
    self.format = format
  }
}
