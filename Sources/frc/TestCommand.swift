import ArgumentParser
import Foundation
import GoldenTesting

/// `frc test PATH…`: runs scripts as golden tests.
struct TestCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "test",
    abstract: "Compare what scripts print with what they say they print.",
    discussion: """
      A PATH is a script, FILE:LINE for the block on one line, or a folder, whose *.frc files are \
      all taken. The expected output of a statement stands under it in lines that begin with #>, \
      or the whole output in NAME.golden beside NAME.frc. In an expected line [..] stands for any \
      text, and a line … for any lines, where the output is not exactly the same.

      Nothing is written without --update, which runs everything twice and accepts only what was \
      printed both times. Callbacks that do not make the sections after of those before fail \
      whatever is expected, and cannot be accepted.

      Lines of a script that begin with #@ ask something of the test. Before the first statement: \
      'skip REASON', 'xfail REASON' (it has to fail), 'tag NAME', 'requires STORE', \
      'matrix store=memory,sqlite', 'timeout 5s' (60s else). Above a block: 'unordered'.

      The exit status is 0, 1 where a test fails, 2 where there is none or the call is wrong.
      """)

  @Argument(help: ArgumentHelp("Scripts, FILE:LINE, or folders.", valueName: "path"))
  var paths: [String]

  @Flag(help: "Rewrite the expected output in place, and nothing else.")
  var update = false

  @Flag(help: "Report one JSON object a line, for editors and reviews.")
  var json = false

  @Option(help: ArgumentHelp("Run only scripts with this tag.", valueName: "name"))
  var tag: [String] = []

  @Option(help: ArgumentHelp("Leave out scripts with this tag.", valueName: "name"))
  var skipTag: [String] = []

  @Option(help: ArgumentHelp("How many scripts run at a time.", valueName: "count"))
  var jobs = ProcessInfo.processInfo.activeProcessorCount

  @Option(help: ArgumentHelp("The locale of localized sorts.", valueName: "id"))
  var locale = "en"

  @Option(help: "When to use colour.")
  var color: ColorChoice = .auto

  func validate() throws {
    if jobs < 1 { throw ValidationError("--jobs \(jobs): at least 1 is needed") }
  }

  func run() throws {
    let output = Output()
    defer { output.flush() }
    let search = TestSearch(paths)
    let tests = try tests(of: search, output)
    let reporter: any TestReporter =
      json
      ? JSONReporter(output: output)
      : TextReporter(output: output, usesColor: color.appliesTo(1))
    let suite = GoldenSuite(tests, threads: jobs, locale: locale) {
      FileEnvironment(storeFolder: ScratchFolder())
    }
    var sums = TestSums()
    if update {
      suite.runTwice { outcome in
        let rest = accept(outcome, reporter, &sums)
        sums.add(rest, reporter)
      }
    } else {
      suite.run { sums.add($0, reporter) }
    }
    for path in search.strayGoldens {
      sums.failed += 1
      reporter.report(strayGolden: path)
    }
    reporter.report(sums)
    if sums.failed > 0 { throw ExitCode(1) }
  }

  /// Reads the tests, and leaves with status 2 where a path names none, or none
  /// is left.
  private func tests(of search: TestSearch, _ output: Output) throws -> [PreparedTest] {
    let scripts = search.scripts
    let read = OrderedWork.results(scripts.count, threads: jobs) { scripts[$0].read() }
    var tests: [PreparedTest] = []
    var failures = search.failures
    for result in read {
      switch result {
      case .success(let test): tests.append(test)
      case .failure(let failure): failures.append(failure)
      }
    }
    for failure in failures { output.writeError("frc: error: \(failure.description)") }
    let chosen = tests.filter { test in
      let tags = test.directives.tags
      return (tag.isEmpty || tag.contains(where: tags.contains))
        && !skipTag.contains(where: tags.contains)
    }
    if failures.isEmpty, chosen.isEmpty {
      output.writeError(
        "frc: error: no test found" + (tests.isEmpty ? "" : ": no script has the tags asked for"))
    }
    guard failures.isEmpty, !chosen.isEmpty else { throw ExitCode(2) }
    return chosen
  }

  /// Accepts an outcome's output, where nothing is wrong but the expectations,
  /// and returns what is left of it.
  private func accept(
    _ outcome: GoldenOutcome, _ reporter: any TestReporter, _ sums: inout TestSums
  ) -> GoldenOutcome {
    let update = GoldenUpdate(outcome)
    guard let path = update.file?.path else { return update.outcome }
    do {
      try FileReplacement.perform(update)
    } catch {
      return outcome.refusing(update: error.reason)
    }
    sums.updated += 1
    reporter.report(updated: path)
    return update.outcome
  }
}
