import ArgumentParser
import FetchedResults
import LineEditor

/// The program: without a subcommand the prompt, or a script from standard
/// input.
@main
struct FRC: ParsableCommand {
  static let version = "0.1.0"

  static let configuration = CommandConfiguration(
    commandName: "frc",
    abstract: "A playground and a test harness for fetched results controllers.",
    discussion: """
      Without a subcommand, frc reads statements from the terminal, or runs standard input as a \
      script. Type :help there to learn the language.
      """,
    version: version,
    subcommands: [RunCommand.self, TestCommand.self, CheckCommand.self])

  @Option(name: .customShort("e"), help: "Run these statements.")
  var statements: String?

  @OptionGroup var options: SessionOptions

  @Option(help: "How to print events.")
  var format: OutputFormat = .text

  func run() throws {
    try options.validate()
    if let statements {
      throw ScriptRun(options: options, format: format).run([.text(statements, name: "-e")])
    }
    if isTerminal(0) {
      throw REPLCommand(options: options, format: format).run()
    }
    throw ScriptRun(options: options, format: format).run([.standardInput])
  }
}

/// How events are printed.
enum OutputFormat: String, ExpressibleByArgument, CaseIterable {
  case text
  case json
}

/// When colour is used.
enum ColorChoice: String, ExpressibleByArgument, CaseIterable {
  case auto
  case always
  case never
}
