import ArgumentParser
import Basics
import LogReplay

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
    var settings = options.settings
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
