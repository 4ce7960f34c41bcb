import ArgumentParser
import Basics
import LogReplay
import Platform

/// The command for `frc` without a subcommand: the prompt, `-e`, or standard input.
struct SessionCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "session",
    abstract: "Start the prompt, or run the statements of -e or of standard input.",
    usage: "frc [-e <statements>] [<options>]")

  @Option(
    name: .customShort("e"),
    help: ArgumentHelp(
      "Run these statements. Repeat -e to run more, in order.",
      valueName: "statements"))
  var statements: [String] = []

  @OptionGroup var store: StoreChoice

  @OptionGroup var options: SessionOptions

  @Option(help: "How to print events.")
  var format: OutputFormat = .text

  @Flag(
    help: ArgumentHelp(
      "Use plain lines of text, for a screen reader: no colours, no drawing, no line editing."))
  var plain = false

  @Flag(name: .customLong("no-config"), help: "Start the prompt without running config.frc.")
  var skipsConfiguration = false

  /// Accepts arguments without an option, to give a helpful message.
  @Argument(help: .hidden)
  var others: [String] = []

  /// The answer to a crash text that is an argument; nil for other arguments.
  private var crash: CrashAnswer? {
    statements.isEmpty && !others.isEmpty ? CrashAnswer(others.joined(separator: " ")) : nil
  }

  func validate() throws {
    guard let other = others.first, crash == nil else { return }
    let commands = FRC.configuration.subcommands.compactMap { $0.configuration.commandName }
    if commands.contains(other) {
      throw ValidationError("write options after the command: frc \(other) …")
    }
    if let near = nearestName(to: other, among: commands) {
      throw ValidationError("unknown command '\(other)'; did you mean '\(near)'?")
    }
    let hint = statements.isEmpty ? "; a script is run by 'frc run \(other)'" : ""
    throw ValidationError("unexpected argument '\(other)'" + hint)
  }

  /// The inputs and settings that the arguments ask for.
  var start: SessionStart {
    var settings = options.settings(for: store.store)
    settings.isPlain = plain
    settings.readsConfiguration = !skipsConfiguration
    return SessionStart(statements: statements, settings: settings, format: format)
  }

  func run() throws {
    guard let crash else { throw start.run() }
    let output = Output()
    defer { output.flush() }
    for line in CrashAnswerText(crash, file: nil).lines { output.write(line) }
    throw ExitCode(1)
  }
}

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
