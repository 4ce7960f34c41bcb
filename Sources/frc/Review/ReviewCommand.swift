import ArgumentParser
import Foundation
import GoldenTesting
import LineEditor
import Platform

/// `frc review PATH…`: asks about each block whose output is not as expected.
struct ReviewCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "review",
    abstract: "Go through output that is not as expected, and accept or reject it.",
    discussion: """
      frc shows each block that 'frc test --update' would rewrite, with the difference and the \
      rule for each changed callback. Press a to accept the output, r to reject it, e to edit \
      the lines in $EDITOR, or p to replace the differences by patterns. A, R and P answer for the \
      rest of the file; *a, *r and *p answer for all blocks that are left. u takes the last answer \
      back, and q quits.

      The files are written at the end, or when you quit. Until then the answers are kept in \
      .frc/review.json. If a review is interrupted, the next 'frc review' continues it.

      A review needs a terminal. Without one, use frc test with --update --dry-run, --update=new \
      or --accept FILE:LINE.
      """)

  @Argument(
    help: ArgumentHelp(
      "Scripts, FILE:LINE, or folders; those of frc.toml by default.", valueName: "path"))
  var paths: [String] = []

  @Flag(help: "Ask again about blocks that were rejected.")
  var again = false

  @OptionGroup(title: "Choosing tests") var choice: ChoiceOptions

  @OptionGroup(title: "Running tests") var options: RunOptions

  @Option(help: "Whether to use colours.")
  var color: ColorChoice = .auto

  func run() throws {
    let output = Output()
    defer { output.flush() }
    guard FileDescriptor.standardInput.isTerminal, FileDescriptor.standardOutput.isTerminal else {
      output.writeError(
        "frc: error: a review needs a terminal; without one, see 'frc test --update --dry-run', "
          + "--update=new and --accept FILE:LINE")
      throw ExitCode(2)
    }
    let project = try Project.found(output)
    let settings = TestSettings(paths: paths, options, project.settings)
    let history = LastRunFile(project)
    let tests = try TestChoice(
      options: choice, settings: settings, history: history, output: output
    ).chosen().tests
    var run = TestRun(
      reporter: TestReporter(output: output, form: .silent, isLive: true),
      permissions: settings.permissions)
    run.options = settings.suite
    run.update = .accept(isDryRun: true) { $0.accepted }
    run.isIsolated = true
    let result = run.perform(tests)
    if let status = InterruptFlag.exitStatus { throw ExitCode(status) }
    if let failure = result.startFailure {
      output.tell(startFailure: failure)
      throw ExitCode(2)
    }

    let console = ReviewConsole(
      output: output, usesColor: color.appliesTo(.standardOutput), settings)
    var session = ReviewSession(
      result.report.outcomes, file: ReviewFile(project), asksAgain: again, console: console)
    guard !session.isEmpty else {
      output.write("nothing to review: \(result.report.sums.words)")
      try? history.add(tests, result)
      if result.report.sums.failed > 0 { throw ExitCode(1) }
      return
    }
    let end = session.ask()
    guard end != .interrupted else { throw ExitCode(InterruptFlag.exitStatus ?? 130) }
    let outcomes = session.write()
    var written = result
    written.report = SuiteReport()
    for outcome in outcomes { written.report.add(outcome) }
    try? history.add(tests, written)
    let failed = outcomes.count { !$0.passed }
    if failed > 0 { throw ExitCode(1) }
  }
}
