import ArgumentParser
import Basics
import Foundation
import GoldenTesting
import LineEditor
import Platform
import ScriptRuntime
import ScriptSyntax

/// `frc test PATH…`: runs scripts as golden tests.
struct TestCommand: WritingCommand {
  static let configuration = CommandConfiguration(
    commandName: "test",
    abstract: "Compare what scripts print with their expected output.",
    discussion: """
      A PATH is a script, a folder with *.frc files, or a Markdown file with ```frc code blocks. \
      FILE:LINE is the block of statements on that line. Lines that begin with #> are the expected \
      output of the statement above them. Instead, a file NAME.golden next to NAME.frc may contain \
      the whole output. Lines that begin with #@ are directives, which set options of the test. \
      GRAMMAR.md lists the directives, and the patterns for expected lines.

      Nothing is written without --update, which runs everything twice and accepts only what was \
      printed both times. 'frc review' asks about each block instead. A test always fails if \
      replaying its callbacks on the old sections does not produce the new ones. This is the \
      replay law, and such output cannot be accepted.

      The file frc.toml may set paths, fixtures, timeout, max-memory, max-output, jobs, locale, \
      stores, reports, warnings-as-errors and allow. frc looks for it in the working folder, and \
      in the folders above it up to the top of the repository. Options of the command line have \
      priority. The results of every run are kept in .frc/last.json, for --failed.

      --timeout is the limit for scripts without one of their own; no script may set a longer \
      one. --tag takes expressions: 'slow and not (sqlite or cache)'. --report may be repeated.

      The exit status is 0 if all tests pass, 1 if a test fails, and 2 if there is no test, a file \
      cannot be read or the arguments are wrong. It is 130 after Ctrl-C and 143 after SIGTERM. In \
      these cases frc prints the running tests with their times, and reports contain the finished \
      tests.
      """)

  @Argument(
    help: .value(
      "path", "Scripts, FILE:LINE, or folders; - is standard input. Those of frc.toml by default."))
  var paths: [String] = []

  @Flag(
    help:
      "Rewrite the expected output in place, and nothing else. --update=new only adds output where none is expected yet."
  )
  var update = false

  @Option(help: .hidden)
  var updateKind: UpdateKind?

  @Option(help: .value("file:line", "Rewrite the expected output of this block."))
  var accept: [String] = []

  @Flag(help: "Print what --update or --accept would write, and write nothing.")
  var dryRun = false

  @Flag(help: "List the tests without running them; --list=json prints all details.")
  var list = false

  @Option(help: .hidden)
  var listForm: TestListing.Form?

  @Flag(help: "Keep running: after a file is saved, run the tests that use it. Ctrl-C ends.")
  var watch = false

  @Flag(help: "Report one JSON object per line, for editors and other tools.")
  var json = false

  @Flag(
    name: [.customShort("q"), .long],
    help: "Print only the ending: what failed or was left out, and the counts.")
  var quiet = false

  @Flag(
    name: [.customShort("v"), .long],
    help: "Print every difference as a whole, also if it is the same as another one.")
  var verbose = false

  @OptionGroup(title: "Choosing tests") var choice: ChoiceOptions

  @OptionGroup(title: "Running tests") var options: RunOptions

  @Flag(
    inversion: .prefixedNo,
    help: "Run each test in its own process, so that a crash fails only that test.")
  var isolate = true

  @Flag(help: "Stop at the first test that fails.")
  var failFast = false

  @Option(
    name: .customLong("repeat"),
    help: .value("n", "Run each test n times; it passes if every run passes."))
  var repetitions = 1

  @Option(
    help: .value("n", "Run a failed test again, at most n times; if it then passes, it is flaky."))
  var retries = 0

  @Option(
    help: .value("seed", "Run the tests in a random order; the same seed gives the same order."))
  var shuffle: UInt64?

  @Option(help: .value("count", "List the tests that took longest."))
  var slowest = 0

  @Option(
    help: .value(
      "format", "Also write a report: junit=FILE, json=FILE, markdown=FILE, tap=FILE or github."))
  var report: [ReportTarget] = []

  @OptionGroup(title: "Coverage") var coverage: CoverageOptions

  @Option(help: "Whether to use colours.")
  var color: ColorChoice = .auto

  /// The kinds of blocks that an update accepts.
  enum UpdateKind: String, ExpressibleByArgument {
    case all
    case new
  }

  func validate() throws {
    if slowest < 0 { throw ValidationError("--slowest \(slowest): at least 0 is needed") }
    if repetitions < 1 { throw ValidationError("--repeat \(repetitions): at least 1 is needed") }
    if retries < 0 { throw ValidationError("--retries \(retries): at least 0 is needed") }
    if json, report.contains(.github) {
      throw ValidationError(
        "--json and --report github both write to standard output; write --report json=FILE")
    }
    let amounts = [(json, "--json"), (quiet, "--quiet"), (verbose, "--verbose")].filter(\.0)
    if amounts.count > 1 {
      throw ValidationError("\(amounts[0].1) does not go with \(amounts[1].1)")
    }
    if dryRun, !isUpdate { throw ValidationError("--dry-run: --update is needed") }
    if let block = accept.first(where: { !Self.isBlock($0) }) {
      throw ValidationError("--accept \(block): FILE:LINE is needed")
    }
    if !accept.isEmpty, !paths.isEmpty {
      throw ValidationError("--accept names the blocks itself; write no other path")
    }
    if isUpdate, paths.contains("-") {
      throw ValidationError("--update: standard input cannot be rewritten")
    }
    if choice.revision != nil, paths.contains("-") {
      throw ValidationError("--changed: git does not know standard input; name a file")
    }
    let modes = [
      (isUpdate, "--update"), (repetitions > 1, "--repeat"), (retries > 0, "--retries"),
    ].filter(\.0).map(\.1)
    if modes.count > 1 { throw ValidationError("\(modes[0]) does not go with \(modes[1])") }
    if watch, isUpdate { throw ValidationError("--update does not go with --watch") }
  }

  private static func isBlock(_ path: String) -> Bool {
    path.split(separator: ":").last.flatMap { Int($0) } != nil && path.contains(":")
  }

  /// Whether expected output is rewritten.
  private var isUpdate: Bool { update || updateKind != nil || !accept.isEmpty }

  func run(writingTo output: Output) throws {
    let choice = try found(output)
    if list || listForm != nil {
      let listing = TestListing(
        form: listForm ?? .text, history: choice.history, stores: choice.settings.suite.stores,
        permissions: choice.settings.permissions)
      let chosen = try choice.chosen()
      for line in listing.lines(on: chosen.tests) { output.write(line) }
      // Tools that deal out the listed tests would lose the others.
      if chosen.isIncomplete { throw ExitCode(2) }
      return
    }
    output.warn(
      ofLocale: choice.settings.suite.locale, setBy: choice.settings.localeOrigin)
    let chosen = try choice.chosen()
    let status = try perform(chosen, choice, output)
    guard watch, InterruptFlag.exitStatus == nil else {
      if status != 0 { throw ExitCode(status) }
      return
    }
    let watch = TestWatcher(output: output, isJSON: json) { try found(output) }
    try watch.run(chosen, choice) { tests, choice in
      _ = try perform(.init(tests: tests), choice, output)
    }
    throw ExitCode(InterruptFlag.exitStatus ?? 0)
  }

  /// Returns the settings of the command line and of `frc.toml`.
  ///
  /// Exits with status 2 if they are wrong.
  private func found(_ output: Output) throws -> TestChoice {
    let project = try Project.found(output)
    let settings = TestSettings(
      paths: accept + paths, options, reports: report, project.settings)
    if let failure = settings.refusedReport {
      throw output.failure(failure.description, status: 2)
    }
    return TestChoice(
      options: choice, settings: settings,
      history: LastRunFile(project), output: output)
  }

  /// Runs tests once, and writes the reports.
  ///
  /// - Returns: The exit status.
  private func perform(
    _ chosen: TestChoice.Chosen, _ choice: TestChoice, _ output: Output
  ) throws -> Int32 {
    let settings = choice.settings
    let scripts = InputFiles(chosen.tests.map(\.test.source.name))
    if let refused = scripts.refusal(ofOutputs: settings.reports.compactMap(\.file)) {
      let failure = ReportTarget.Failure(file: refused.path, reason: refused.reason)
      throw output.failure(failure.description, status: 2)
    }
    let reporter = TestReporter(
      output: output,
      form: json ? .json : .text(RunLog(detail, usesColor: color.appliesTo(.standardOutput))),
      isLive: json || FileDescriptor.standardOutput.isTerminal, isDryRun: dryRun)
    if settings.reports.contains(.github) { output.quoteCommands() }
    let reports = RunReports(settings.reports, output, isDryRun: dryRun)
    var run = testRun(reporter, settings, chosen.tests.count)
    run.reports = reports
    KillTimer.bePatient()
    let result = run.perform(chosen.tests)
    var report = result.report
    for path in chosen.strayGoldens { report.add(strayGolden: path) }
    report.add(unread: chosen.unread)
    reporter.report(slowest: report.slowest(slowest))
    reporter.end(report, reports: settings.reports.compactMap(\.file))
    do {
      try choice.history.add(chosen.tests, result)
    } catch {
      // On a machine of a continuous integration system, the record would be discarded anyway.
      if !ProcessEnvironment.isContinuousIntegration {
        output.writeError("frc: warning: --failed will not include this run: \(error.reason)")
      }
    }
    let areWritten = reports.end(report)
    let isRead = settings.warningsAreErrors ? chosen.unread.isEmpty : !chosen.isIncomplete
    if let failure = result.startFailure { output.tell(startFailure: failure) }
    let isWhole = areWritten && isRead && result.startFailure == nil
    let status = InterruptFlag.exitStatus ?? (!isWhole ? 2 : report.sums.failed > 0 ? 1 : 0)
    // A test that does not stop would keep the program from ending.
    if result.isRunning {
      output.flush()
      TemporaryFolder.removeAll()
      ProcessCalls.endAtOnce(status: status)
    }
    let isCovered = coverage.tell(
      of: chosen.tests, settings.suite, settings.permissions, isJSON: json, output)
    return InterruptFlag.exitStatus ?? (status == 0 && !isCovered ? 1 : status)
  }

  /// How much of the results is printed.
  private var detail: RunLog.Detail { quiet ? .ending : verbose ? .all : .limited }

  /// Returns the run of the tests.
  private func testRun(
    _ reporter: TestReporter, _ settings: TestSettings, _ count: Int
  ) -> TestRun {
    var run = TestRun(reporter: reporter, permissions: settings.permissions)
    run.options = settings.suite
    run.options.retries = retries
    run.options.repetitions = repetitions
    if let shuffle {
      var generator = SeededGenerator(seed: shuffle)
      run.options.order = (0..<count).shuffled(using: &generator)
    }
    run.stopsAtFailure = failFast
    run.isIsolated = isolate
    run.warningsAreErrors = settings.warningsAreErrors
    if isUpdate {
      let takesAll = updateKind != .new
      run.update = .accept(isDryRun: dryRun) { takesAll || $0.isNew ? $0.accepted : nil }
    }
    return run
  }
}

/// Options that select tests.
struct ChoiceOptions: ParsableArguments {
  @Option(help: .value("tags", "Run only scripts with these tags, such as 'slow and not sqlite'."))
  var tag: [String] = []

  @Option(help: .value("name", "Leave out scripts with this tag."))
  var skipTag: [String] = []

  @Option(
    help: ArgumentHelp(
      "Run only scripts whose path contains this text or matches this pattern: *, **, ?, [a-c]. "
        + "With ! in front, leave them out.", valueName: "text"))
  var filter: [String] = []

  @Flag(help: "Run only scripts that failed in the last run, or did not run.")
  var failed = false

  @Flag(
    help:
      "Run only scripts that changed since the last commit, or that read a changed file. --changed=REV compares with the revision REV."
  )
  var changed = false

  @Option(help: .hidden)
  var changedSince: String?

  @Option(help: .value("i/n", "Run only part i of the n parts into which the suite is divided."))
  var shard: String?

  @Option(help: .value("file", "A JSON report of an earlier run, which balances the shards."))
  var times: [String] = []

  func validate() throws {
    if let shard, TestShard(shard) == nil {
      throw ValidationError("--shard \(shard): i/n is needed, with i from 1 to n")
    }
  }

  /// The revision with which files are compared; nil if all tests are wanted.
  var revision: String? { changedSince ?? (changed ? "HEAD" : nil) }

  /// The shard of the suite; nil for the whole suite.
  var part: TestShard? { shard.flatMap(TestShard.init) }

  /// The filter of `--filter`.
  var pathFilter: PathFilter { PathFilter(filter) }
}

/// Options of `frc test` for coverage.
struct CoverageOptions: ParsableArguments {
  @Flag(
    help: """
      List the rules, statements, callbacks and table exceptions, each with the number of tests \
      that exercise it, the least covered first.
      """)
  var coverage = false

  @Option(help: .value("percent", "Fail if the tests exercise less than this percentage of them."))
  var coverageFloor: Double?

  func validate() throws {
    if let coverageFloor, !(0...100).contains(coverageFloor) {
      throw ValidationError("--coverage-floor \(coverageFloor): 0 to 100 is needed")
    }
  }

  /// Runs the tests once more, and prints what they exercise.
  ///
  /// - Returns: Whether the coverage is sufficient.
  func tell(
    of tests: [PreparedTest], _ options: GoldenSuite.Options, _ permissions: Permissions,
    isJSON: Bool,
    _ output: Output
  ) -> Bool {
    guard coverage || coverageFloor != nil, !InterruptFlag.isRaised else { return true }
    let suite = GoldenSuite(
      tests, options: options, isInterrupted: { InterruptFlag.isRaised },
      environment: { FileEnvironment(permissions: permissions, storeFolder: ScratchFolder()) })
    let coverage = suite.coverage()
    if self.coverage {
      for line in isJSON ? coverage.jsonLines : coverage.lines { output.write(line) }
    }
    let share = coverage.share()
    guard let coverageFloor, share.percent < coverageFloor, !InterruptFlag.isRaised else {
      return true
    }
    output.writeError(
      "frc: error: the tests exercise \(share.words), which is below the floor of \(coverageFloor) %"
    )
    return false
  }
}

/// Options for running tests.
///
/// Values that are left out may be in `frc.toml`.
struct RunOptions: ParsableArguments {
  @Option(
    name: [.customShort("j"), .long],
    help: .value("count", "How many scripts run at the same time."))
  var jobs: Int?

  @Option(help: .value("id", "The locale of localized sorts."))
  var locale: String?

  @Option(
    help: .value(
      "stores",
      "The stores for scripts without a 'store' statement: memory, sqlite, or memory,sqlite."))
  var stores: String?

  @Option(
    help: .value(
      "pattern", "Scripts that others include and that are not tests; a pattern as for --filter."))
  var fixtures: [String] = []

  @Flag(inversion: .prefixedNo, help: "Fail a test that has a warning.")
  var warningsAsErrors: Bool?

  @OptionGroup(title: "Limits") var limits: LimitOptions

  @OptionGroup var access: PermissionOptions

  @Flag(
    help: "Ignore 'allow' in frc.toml, for projects that you do not trust.")
  var noAllow = false

  func validate() throws {
    if let jobs, jobs < 1 { throw ValidationError("--jobs \(jobs): at least 1 is needed") }
    if stores != nil, namedStores == nil {
      throw ValidationError("--stores \(stores ?? ""): there are memory and sqlite")
    }
  }

  /// The named stores; nil if none is named, or if one is unknown.
  var namedStores: [TestStore]? {
    guard let words = stores?.split(separator: ",") else { return nil }
    let known = words.compactMap { TestStore(rawValue: String($0)) }
    return known.count == words.count && !known.isEmpty ? known : nil
  }
}

extension TestListing.Form: ExpressibleByArgument {}

extension Project {
  /// Returns the project around the working folder.
  ///
  /// Exits with status 2 if its settings are wrong.
  static func found(_ output: Output) throws -> Project {
    do throws(ProjectSettings.Failure) {
      return try Project()
    } catch {
      throw output.failure(error.description, status: 2)
    }
  }
}

extension Output {
  /// Says that scripts did not run because no process could be started.
  func tell(startFailure failure: SystemError) {
    writeError("frc: error: no process could be started to run scripts: \(failure.words)")
  }
}
