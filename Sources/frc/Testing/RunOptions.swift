import ArgumentParser
import GoldenTesting

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
      "The longest time for a script, such as 500ms, 5s or 2min; 10s by default.",
      valueName: "time"))
  var timeout: String?

  @Option(
    help: ArgumentHelp(
      "The most memory for a script's objects and variables, such as 500MB; 1GB by default.",
      valueName: "size"))
  var maxMemory: String?

  @Option(
    help: ArgumentHelp(
      "The most output for a script, such as 10MB; 100MB by default.", valueName: "size"))
  var maxOutput: String?

  @Option(
    help: ArgumentHelp(
      "Scripts that others include and that are not tests; a pattern as for --filter.",
      valueName: "pattern"))
  var fixtures: [String] = []

  @Flag(inversion: .prefixedNo, help: "Fail a test that has a warning.")
  var warningsAsErrors: Bool?

  @OptionGroup var access: PermissionOptions

  @Flag(
    help: "Ignore 'allow' in frc.toml, for projects that you do not trust.")
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

  /// The named stores; nil if none is named, or if one is unknown.
  var namedStores: [TestStore]? {
    guard let words = stores?.split(separator: ",") else { return nil }
    let known = words.compactMap { TestStore(rawValue: String($0)) }
    return known.count == words.count && !known.isEmpty ? known : nil
  }
}
