import ArgumentParser
import GoldenTesting

/// Which of the tests in some folders are run.
struct ChoiceOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Run only scripts with these tags, such as 'slow and not sqlite'.", valueName: "tags"))
  var tag: [String] = []

  @Option(help: ArgumentHelp("Leave out scripts with this tag.", valueName: "name"))
  var skipTag: [String] = []

  @Option(
    help: ArgumentHelp(
      "Run only scripts whose path has this text in it, or matches this pattern: *, **, ?, [a-c]. "
        + "With ! in front they are left out.", valueName: "text"))
  var filter: [String] = []

  @Flag(help: "Run only scripts that failed when they ran last, or that did not run.")
  var failed = false

  @Flag(
    help:
      "Run only scripts that git says were changed, or that look at such a file; --changed=REV, or --changed REV, since they left that revision."
  )
  var changed = false

  @Option(help: .hidden)
  var changedSince: String?

  @Option(
    help: ArgumentHelp(
      "Run one of n parts of the suite, which together are the suite.", valueName: "i/n"))
  var shard: String?

  @Option(
    help: ArgumentHelp("A JSON report of before, to balance shards by.", valueName: "file"))
  var times: [String] = []

  func validate() throws {
    if let shard, TestShard(shard) == nil {
      throw ValidationError("--shard \(shard): i/n is needed, with i from 1 to n")
    }
  }

  /// The revision from which changes count; nil if all tests are wanted.
  var revision: String? { changedSince ?? (changed ? "HEAD" : nil) }

  /// The part of the suite; nil for all of it.
  var part: TestShard? { shard.flatMap(TestShard.init) }

  /// Chooses paths by `--filter`.
  var pathFilter: PathFilter { PathFilter(filter) }
}
