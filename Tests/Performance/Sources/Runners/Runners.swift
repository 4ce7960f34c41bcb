import Foundation

/// Times `frc test` and other runners on 2,000 trivial tests, and the commands of frc on 10,000
/// scripts.
///
/// `Runners [ROUNDS]`; the default is 3 rounds. The other runners are installed from PyPI into a
/// temporary folder.
@main
struct Runners {
  static func main() throws {
    let rounds = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 3
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("frc-runners-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let frc = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
      .deletingLastPathComponent().appendingPathComponent("frc").path
    try rivals(folder, rounds, frc)
    exit(try ours(folder, rounds, frc) ? 0 : 1)
  }

  // MARK: Other runners

  private static let trivialCount = 2_000

  private static func rivals(_ folder: URL, _ rounds: Int, _ frc: String) throws {
    try scripts(trivialCount, in: folder.appendingPathComponent("frc"))
    let cores = ProcessInfo.processInfo.activeProcessorCount
    print("\(trivialCount) trivial tests, seconds, on \(cores) cores")
    try report("frc test -j 2", folder, rounds, [frc, "test", "frc", "-j", "2"])
    let bin = folder.path + "/python/bin/"
    guard try run(folder, ["python3", "-m", "venv", "python"]).succeeds else {
      return print("no other runner: python3 -m venv cannot be had")
    }
    for (name, write, arguments) in [
      ("pytest", pytest, [bin + "pytest", "-q", "-p", "no:cacheprovider", "pytest"]),
      ("lit", lit, [bin + "lit", "-j", "2", "-q", "lit"]),
      ("prysk", prysk, [bin + "prysk", "-q", "prysk"]),
    ] {
      guard try run(folder, [bin + "pip", "install", "-q", name]).succeeds else {
        print("\(name): cannot be had")
        continue
      }
      try write(folder.appendingPathComponent(name))
      try report(
        arguments.map { $0.replacing(bin, with: "") }.joined(separator: " "), folder, rounds,
        arguments)
    }
  }

  private static func scripts(_ count: Int, in folder: URL) throws {
    try files(count, in: folder, "frc") { "print \($0)\n#> \($0)\n" }
  }

  /// Runs one test function with that many parameters.
  private static func pytest(_ folder: URL) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let text = """
      import pytest
      @pytest.mark.parametrize("n", range(\(trivialCount)))
      def test_number(n):
          assert str(n) == f"{n}"

      """
    try Data(text.utf8).write(to: folder.appendingPathComponent("test_numbers.py"))
  }

  private static func lit(_ folder: URL) throws {
    try files(trivialCount, in: folder, "test") { "# RUN: echo \($0)\n" }
    let text = """
      import lit.formats
      config.name = "numbers"
      config.test_format = lit.formats.ShTest(False)
      config.suffixes = [".test"]

      """
    try Data(text.utf8).write(to: folder.appendingPathComponent("lit.cfg"))
  }

  private static func prysk(_ folder: URL) throws {
    try files(trivialCount, in: folder, "t") { "  $ echo \($0)\n  \($0)\n" }
  }

  private static func files(
    _ count: Int, in folder: URL, _ suffix: String, _ text: (Int) -> String
  ) throws {
    for number in 0..<count {
      let topic = folder.appendingPathComponent("topic-\(number % 20)")
      try FileManager.default.createDirectory(at: topic, withIntermediateDirectories: true)
      try Data(text(number).utf8)
        .write(to: topic.appendingPathComponent("number-\(number).\(suffix)"))
    }
  }

  // MARK: Our own commands

  /// Returns whether each command stays within its limit.
  private static func ours(_ folder: URL, _ rounds: Int, _ frc: String) throws -> Bool {
    let count = 10_000
    try scripts(count, in: folder.appendingPathComponent("many"))
    print("\n\(count) scripts, seconds, and what is allowed")
    var isFastEnough = true
    for (arguments, limit) in [
      (["test", "many"], 2.0), (["check", "many"], 2), (["fmt", "--check", "many"], 2),
    ] {
      let median = try report(
        "frc \(arguments.joined(separator: " "))", folder, rounds, [frc] + arguments, limit)
      isFastEnough = isFastEnough && median <= limit
    }
    // In each round, every expectation must be written.
    var updates: [Double] = []
    for _ in 0..<rounds {
      try files(count, in: folder.appendingPathComponent("many"), "frc") { "print \($0)\n#> x\n" }
      updates.append(try run(folder, [frc, "test", "many", "--update"]).seconds)
    }
    let update = median(updates)
    say("frc test many --update", update, 4)

    let lines = (0..<20_000).map { "print \($0)\n" }.joined()
    var blocks: [Double] = []
    for _ in 0..<rounds {
      try Data(lines.utf8).write(to: folder.appendingPathComponent("blocks.frc"))
      blocks.append(try run(folder, [frc, "test", "blocks.frc", "--update"]).seconds)
    }
    say("--update of 20,000 new blocks", median(blocks), 1)
    let unordered = try unordered(folder, rounds, frc)
    return isFastEnough && update <= 4 && median(blocks) <= 1 && unordered <= 1
  }

  /// Returns the median time for output of 5,000 lines in any order, of which one does not fit.
  ///
  /// It is that of the slower of two kinds of pattern.
  private static func unordered(_ folder: URL, _ rounds: Int, _ frc: String) throws -> Double {
    let count = 5_000
    let statement = "#@ unordered\nfor i in 1...\(count) { print \"row \\(i)\" }\n"
    var slowest = 0.0
    for (name, pattern) in [
      ("[..]", { (_: Int) in "row [..]" }), ("[re:…]", { "[re:[a-z]+ 0*\($0)]" }),
    ] {
      let lines = (2...count).reversed().map { "#> \(pattern($0))\n" }.joined()
      try Data((statement + lines + "#> other [..]\n").utf8)
        .write(to: folder.appendingPathComponent("rows.frc"))
      let times = try (0..<rounds).map { _ in try run(folder, [frc, "test", "rows.frc"]).seconds }
      say("5,000 lines in any order, \(name), one wrong", median(times), 1)
      slowest = max(slowest, median(times))
    }
    return slowest
  }

  // MARK: Measuring

  @discardableResult
  private static func report(
    _ name: String, _ folder: URL, _ rounds: Int, _ arguments: [String], _ limit: Double? = nil
  ) throws -> Double {
    var times: [Double] = []
    for _ in 0..<rounds {
      let (seconds, succeeds) = try run(folder, arguments)
      if !succeeds { print("\(name): failed") }
      times.append(seconds)
    }
    say(name, median(times), limit)
    return median(times)
  }

  private static func say(_ name: String, _ seconds: Double, _ limit: Double?) {
    let allowed = limit.map { String(format: "  (%.0f)", $0) } ?? ""
    print(
      name.padding(toLength: 48, withPad: " ", startingAt: 0)
        + String(format: "%7.2f", seconds) + allowed)
  }

  private static func median(_ times: [Double]) -> Double { times.sorted()[times.count / 2] }

  private static func run(
    _ folder: URL, _ arguments: [String]
  ) throws -> (seconds: Double, succeeds: Bool) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    process.currentDirectoryURL = folder
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    let clock = ContinuousClock()
    let start = clock.now
    try process.run()
    process.waitUntilExit()
    return ((clock.now - start) / .seconds(1), process.terminationStatus == 0)
  }
}
