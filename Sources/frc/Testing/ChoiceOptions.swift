import ArgumentParser
import GoldenTesting

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
