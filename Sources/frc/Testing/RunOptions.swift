import ArgumentParser
import GoldenTesting

/// How tests are run; what is left out may be in `frc.toml`.
struct RunOptions: ParsableArguments {
  @Option(
    name: [.customShort("j"), .long],
    help: ArgumentHelp("How many scripts run at a time.", valueName: "count"))
  var jobs: Int?

  @Option(help: ArgumentHelp("The locale of localized sorts.", valueName: "id"))
  var locale: String?

  @Option(
    help: ArgumentHelp(
      "The stores of scripts that name none: memory, sqlite, or memory,sqlite.",
      valueName: "stores"))
  var stores: String?

  @Option(
    help: ArgumentHelp(
      "How long a script may run at most, such as 500ms, 5s or 2min; 10s by default.",
      valueName: "time"))
  var timeout: String?

  @Option(
    help: ArgumentHelp(
      "How much memory the objects and variables of a script may take, such as 500MB; 1GB by default.",
      valueName: "size"))
  var maxMemory: String?

  @Option(
    help: ArgumentHelp(
      "How much a script may print, such as 10MB; 100MB by default.", valueName: "size"))
  var maxOutput: String?

  @Option(
    help: ArgumentHelp(
      "Scripts that others include, and that are no tests: a pattern as of --filter.",
      valueName: "pattern"))
  var fixtures: [String] = []

  @Flag(inversion: .prefixedNo, help: "Let a test fail that has a warning.")
  var warningsAsErrors: Bool?

  @OptionGroup var access: PermissionOptions

  @Flag(
    help: "Leave out what 'allow' in frc.toml allows, where somebody else may have written it.")
  var noAllow = false

  func validate() throws {
    if let jobs, jobs < 1 { throw ValidationError("--jobs \(jobs): at least 1 is needed") }
    if let timeout, Duration(words: timeout) == nil {
      throw ValidationError("--timeout \(timeout): a time is needed, such as 500ms, 5s or 2min")
    }
    for (name, size) in [("--max-memory", maxMemory), ("--max-output", maxOutput)] {
      guard let size, Int(wordsOfBytes: size) == nil else { continue }
      throw ValidationError("\(name) \(size): a size is needed, such as 64kB, 500MB or 2GB")
    }
    if stores != nil, namedStores == nil {
      throw ValidationError("--stores \(stores ?? ""): there are memory and sqlite")
    }
  }

  /// The stores that are named; nil if none is, or one is unknown.
  var namedStores: [TestStore]? {
    guard let words = stores?.split(separator: ",") else { return nil }
    let known = words.compactMap { TestStore(rawValue: String($0)) }
    return known.count == words.count && !known.isEmpty ? known : nil
  }
}
