import ArgumentParser
import Foundation
import GoldenTesting
import LineEditor
import Platform
import ScriptRuntime
import ScriptSyntax

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

      A PATH may be a Markdown file: its ```frc code blocks are the script, a session below each \
      heading.

      --report FORMAT may stand several times: junit=FILE, json=FILE, markdown=FILE, github \
      (annotations, and the summary of the step). A JSON report is what --times balances shards by, \
      and what --failed goes by: with --report json=FILE it runs the scripts that failed when FILE \
      was written.

      The exit status is 0, 1 where a test fails, 2 where there is none or the call is wrong, 130 \
      after Ctrl-C, 143 after SIGTERM; reports are then written of the tests that ended.
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

  @Option(help: ArgumentHelp("Run only scripts whose path has this in it.", valueName: "text"))
  var filter: [String] = []

  @Flag(help: "Run only scripts that failed in the JSON report that is to be written anew.")
  var failed = false

  @Option(
    help: ArgumentHelp(
      "Run one of n parts of the suite, which together are the suite.", valueName: "i/n"))
  var shard: String?

  @Option(
    help: ArgumentHelp("A JSON report of before, to balance shards by.", valueName: "file"))
  var times: [String] = []

  @Flag(help: "Stop at the first test that fails.")
  var failFast = false

  @Option(help: ArgumentHelp("List the tests that took longest.", valueName: "count"))
  var slowest = 0

  @Option(
    help: ArgumentHelp(
      "Write a report besides: junit=FILE, json=FILE, markdown=FILE or github.",
      valueName: "format"))
  var report: [ReportTarget] = []

  @Option(
    name: [.customShort("j"), .long],
    help: ArgumentHelp("How many scripts run at a time.", valueName: "count"))
  var jobs = ProcessInfo.processInfo.activeProcessorCount

  @Option(help: ArgumentHelp("The locale of localized sorts.", valueName: "id"))
  var locale = "en"

  @Option(help: "When to use colour.")
  var color: ColorChoice = .auto

  func validate() throws {
    if jobs < 1 { throw ValidationError("--jobs \(jobs): at least 1 is needed") }
    if slowest < 0 { throw ValidationError("--slowest \(slowest): at least 0 is needed") }
    if let shard, TestShard(shard) == nil {
      throw ValidationError("--shard \(shard): i/n is needed, with i from 1 to n")
    }
    if failed, report.compactMap(\.jsonFile).isEmpty {
      throw ValidationError("--failed: --report json=FILE has to name the report of the run before")
    }
  }

  func run() throws {
    let output = Output()
    defer { output.flush() }
    // A reader that goes away ends the run, too, and not in the midst of a test.
    InterruptFlag.install(endsProgram: true)
    let search = TestSearch(paths)
    let tests = try tests(of: search, output)
    output.warn(ofLocale: locale)
    let reporter = TestReporter(
      output: output,
      form: json ? .json : .text(OutcomeText(usesColor: color.appliesTo(.standardOutput))),
      isLive: json || FileDescriptor.standardOutput.isTerminal)
    var run = TestRun(reporter: reporter)
    run.options.threads = jobs
    run.options.locale = locale
    run.stopsAtFailure = failFast
    if update { run.update = .accept(isDryRun: false) { $0.accepted } }
    let result = run.perform(tests)
    var report = result.report
    if shard == nil || TestShard(shard ?? "")?.number == 1 {
      for path in search.strayGoldens where passesFilter(path) {
        report.add(strayGolden: path)
        reporter.report(strayGolden: path)
      }
    }
    reporter.report(slowest: report.slowest(slowest))
    reporter.report(report)
    try write(report, output)
    // A test that does not stop would keep the program from ending.
    if result.isRunning {
      output.flush()
      ProcessCalls.endAtOnce(status: InterruptFlag.exitStatus ?? 1)
    }
    if let status = InterruptFlag.exitStatus { throw ExitCode(status) }
    if report.sums.failed > 0 { throw ExitCode(1) }
  }

  /// Writes the reports; leaves with status 2 where one cannot be written.
  private func write(_ report: SuiteReport, _ output: Output) throws {
    var hasErrors = false
    for target in self.report {
      do {
        try target.write(report, output)
      } catch {
        output.writeError("frc: error: \(error.description)")
        hasErrors = true
      }
    }
    if hasErrors { throw ExitCode(2) }
  }

  /// Reads the tests, and leaves with status 2 where a path names none, or none
  /// is left.
  private func tests(of search: TestSearch, _ output: Output) throws -> [PreparedTest] {
    let scripts = search.scripts
    let read = ParallelWork.results(scripts.count, threads: jobs) { scripts[$0].read() }
    var tests: [PreparedTest] = []
    var failures = search.failures
    for result in read {
      switch result {
      case .success(let test): tests.append(test)
      case .failure(let failure): failures.append(failure)
      }
    }
    for failure in failures { output.writeError("frc: error: \(failure.description)") }
    let chosen = try chosen(of: tests, output)
    if failures.isEmpty, tests.isEmpty { output.writeError("frc: error: no test found") }
    guard failures.isEmpty, !tests.isEmpty else { throw ExitCode(2) }
    return chosen
  }

  /// The tests that the options ask for.
  ///
  /// A shard may have none, and so may a run of what failed; options that choose
  /// by name and leave none are wrong.
  private func chosen(of tests: [PreparedTest], _ output: Output) throws -> [PreparedTest] {
    let named = tests.filter { test in
      let tags = test.directives.tags
      let path = test.test.source.name
      return (tag.isEmpty || tag.contains(where: tags.contains))
        && !skipTag.contains(where: tags.contains)
        && passesFilter(path)
    }
    if named.isEmpty, !tests.isEmpty {
      let what = filter.isEmpty ? "tags" : tag.isEmpty && skipTag.isEmpty ? "text" : "text and tags"
      output.writeError("frc: error: no test found: no script has the \(what) asked for")
      throw ExitCode(2)
    }
    var chosen = named
    if let shard = shard.flatMap(TestShard.init) {
      let run = try recorded(times, output)
      chosen = shard.indices(of: named.map(\.test.source.name), seconds: run.seconds)
        .map { named[$0] }
    }
    if failed {
      let before = try recorded(report.compactMap(\.jsonFile), output)
      chosen = chosen.filter { before.hasFailed($0.test.source.name) }
    }
    return chosen
  }

  /// Whether a path has one of the texts asked for in it; every path has the
  /// empty one.
  private func passesFilter(_ path: String) -> Bool {
    filter.isEmpty || filter.contains { $0.isEmpty || path.contains($0) }
  }

  /// Reads JSON reports; leaves with status 2 where a file is none.
  private func recorded(_ files: [String], _ output: Output) throws -> RecordedRun {
    var run = RecordedRun()
    for file in files {
      let text: SourceText
      do {
        text = try FileEnvironment.read(file)
      } catch {
        output.writeError("frc: error: cannot read '\(file)': \(error.reason)")
        throw ExitCode(2)
      }
      guard run.add(String(decoding: text.bytes, as: UTF8.self)) else {
        output.writeError("frc: error: '\(file)' is no JSON report of frc test")
        throw ExitCode(2)
      }
    }
    return run
  }
}
