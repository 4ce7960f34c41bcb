import ArgumentParser
import GoldenTesting
import LineEditor
import ScriptSyntax

/// Options that select tests.
struct ChoiceOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Run only scripts with these tags, such as 'slow and not sqlite'.", valueName: "tags"))
  var tag: [String] = []

  @Option(help: ArgumentHelp("Leave out scripts with this tag.", valueName: "name"))
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

  @Option(
    help: ArgumentHelp(
      "Run only part i of the n parts into which the suite is divided.", valueName: "i/n"))
  var shard: String?

  @Option(
    help: ArgumentHelp(
      "A JSON report of an earlier run, which balances the shards.", valueName: "file"))
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

  @Option(
    help: ArgumentHelp(
      "Fail if the tests exercise less than this percentage of them.", valueName: "percent"))
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
    help: ArgumentHelp("How many scripts run at the same time.", valueName: "count"))
  var jobs: Int?

  @Option(help: ArgumentHelp("The locale of localized sorts.", valueName: "id"))
  var locale: String?

  @Option(
    help: ArgumentHelp(
      "The stores for scripts without a 'store' statement: memory, sqlite, or memory,sqlite.",
      valueName: "stores"))
  var stores: String?

  @Option(
    help: ArgumentHelp(
      "Scripts that others include and that are not tests; a pattern as for --filter.",
      valueName: "pattern"))
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
