import Basics
import Foundation
import PseudoTerminal
import RandomLaws
import RepositoryFiles
import Testing

/// A large suite with deliberate mistakes.
///
/// The whole output for each mistake is compared.
///
/// `FRC_RECORD=1` writes the output into `Breaks`, and fails.
@Suite("A large suite, broken")
struct BreakTests {
  private static let root = RepositoryFiles.url("Tests/frcTests/Breaks")
  private static let isRecording = ProcessInfo.processInfo.environment["FRC_RECORD"] != nil

  /// A change of one file.
  struct Break: CustomTestStringConvertible, Sendable {
    let name: String
    let file: String
    let old: String
    let new: String

    init(_ name: String, _ file: String, _ old: String, _ new: String) {
      (self.name, self.file, self.old, self.new) = (name, "t/" + file, old, new)
    }

    var testDescription: String { name }
  }

  private static let breaks = [
    Break("expected-value", "topic-3/changes.frc", "#> 6\n", "#> 7\n"),
    Break("expected-line-less", "topic-3/stores.frc", "#> Book 2\n", ""),
    Break("expected-line-more", "topic-3/stores.frc", "#> Book 2\n", "#> Book 2\n#> Book 2\n"),
    Break("expected-nothing", "topic-3/changes.frc", "#> 6\n", ""),
    Break("index-path", "topic-3/changes.frc", "[0, 0] -> [0, 2]", "[0, 0] -> [0, 1]"),
    Break("callback-kind", "topic-3/changes.frc", "object move", "object update"),
    Break("invisible", "topic-3/stores.frc", "#> Book 2\n", "#> Book 2 \n"),
    Break(
      "place", "topic-3/stores.frc", "#> Book 3\n#> Book 2\n#> Book 1\n",
      "#> Book 2\n#> Book 1\n#> Book 3\n"),
    Break("value", "topic-3/changes.frc", "print 3 * 2", "print 3 * 3"),
    Break("nothing-printed", "topic-3/changes.frc", "print 3 * 2", "let x = 3"),
    Break("syntax", "topic-3/changes.frc", "print 3", "prnt 3"),
    Break("unknown-name", "topic-3/changes.frc", "fetch books", "fetch boks"),
    Break("uncaught", "topic-3/changes.frc", "print 3 * 2", "print 3 / 0"),
    Break("fixture-syntax", "fixtures/model.frc", "entity Author {", "entity Author"),
    Break("fixture-value", "fixtures/books.frc", "i * 10", "i * 5"),
    Break("fixture-missing", "topic-3/stores.frc", "books.frc", "boks.frc"),
    Break("fixture-itself", "fixtures/model.frc", "# What", "include \"books.frc\"\n# What"),
    Break("xfail-passes", "topic-3/known.frc", "#> 4", "#> 3"),
    Break("pattern", "topic-3/patterns.frc", "run 3 took", "ran 3 took"),
    Break("pattern-type", "topic-3/patterns.frc", "0.25 s", "some s"),
    Break("pattern-lines", "topic-3/patterns.frc", "1...9", "1...8"),
    Break("unordered", "topic-3/tagged.frc", "#> line 2", "#> line 4"),
    Break("directive", "topic-3/tagged.frc", "#@ timeout", "#@ timout"),
    Break("directive-value", "topic-3/tagged.frc", "20s", "soon"),
    Break("matrix", "topic-3/stores.frc", "memory,sqlite", "memory,sqlit"),
    Break("conflict", "topic-3/known.frc", "print 3", "<<<<<<< HEAD\nprint 3"),
    Break("golden", "topic-3/whole.golden", "topic 3", "topic 4"),
    Break(
      "golden-and-lines", "topic-3/whole.frc", "print \"topic 3\"\n", "print \"topic 3\"\n#> x\n"),
    Break("stray", "topic-3/changes.frc", "#> 6\n", "#> 6\n\n#> 7\n"),
    Break("timeout", "topic-3/tagged.frc", "20s\n", "200ms\nrepeat 1000000000 { let x = 1 }\n"),
  ]

  @Test("the suite passes before it is broken")
  func whole() throws {
    let suite = try LargeSuite()

    #expect(try suite.files().keys.filter { $0.hasSuffix(".frc") }.count == 62)
    let known = (0..<10).map { "t/topic-\($0)/known.frc:1: failed as expected: a known mistake\n" }
    let sums = "50 passed, 0 failed, 10 failed as expected\n"

    try suite.program.expect("test", output: known.joined() + sums)
    #expect(Self.breaks.count == 30)
  }

  @Test("all that is said of a break", arguments: breaks)
  func said(of change: Break) throws {
    let suite = try LargeSuite()
    try suite.change(change.file, change.old, to: change.new)

    let result = try suite.program.run("test", "--jobs", "2")

    let text = result.output + result.errors + "status \(result.status)\n"
    let file = Self.root.appendingPathComponent(change.name + ".txt")
    if Self.isRecording {
      try FileManager.default.createDirectory(at: Self.root, withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
      Issue.record("recorded \(file.path)")
    }
    #expect(text == (try String(contentsOf: file, encoding: .utf8)))
  }

  // MARK: Kills

  /// Returns how many seconds a command takes.
  private func seconds(_ program: FRCProgram, _ arguments: String...) throws -> Double {
    let start = ContinuousClock.now
    _ = try program.run(arguments)
    return (ContinuousClock.now - start) / .seconds(1)
  }

  /// Starts a command, and sends it a signal at a random moment.
  ///
  /// - Parameters:
  ///   - seconds: How long the whole command takes.
  ///   - file: The file that must exist before. A busy machine may take long to get there.
  private func kill(
    _ program: FRCProgram, _ arguments: [String], _ signal: Int32,
    _ random: inout SeededGenerator, within seconds: Double, after file: String? = nil
  ) throws {
    let process = program.process(
      ["--default-signal=TERM", FRCProgram.program.path] + arguments)
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    while let file, process.isRunning, (try? program.read(file)) == nil {
      Thread.sleep(forTimeInterval: 0.002)
    }
    Thread.sleep(forTimeInterval: Double(random.number(0...1000)) / 1000 * seconds)
    Foundation.kill(process.processIdentifier, signal)
    process.waitUntilExit()
  }

  private struct Line: Decodable {
    let event: String
    let passed: Int?
    let failed: Int?
    let expectedFailures: Int?
    let notRun: Int?
  }

  @Test("a run that is ended at any moment leaves reports of what ended")
  func killedTest() throws {
    let suite = try LargeSuite()
    let whole = try seconds(suite.program, "test")
    for seed in LawSeeds(seconds: 0.6, atLeast: 4) {
      var random = SeededGenerator(seed: seed)
      try? FileManager.default.removeItem(atPath: suite.program.folder.path + "/r.json")
      try kill(
        suite.program, ["test", "--report", "json=r.json"], SIGTERM, &random, within: whole)
      // If the signal comes before the program handles it, there is no report.
      guard let text = try? suite.program.read("r.json") else { continue }
      let lines = try text.split(separator: "\n").map {
        try JSONDecoder().decode(Line.self, from: Data($0.utf8))
      }
      let sums = try #require(lines.last)
      let ended = (sums.passed ?? 0) + (sums.failed ?? 0) + (sums.expectedFailures ?? 0)
      #expect(sums.event == "summary")
      #expect(lines.count { $0.event == "test" } == ended)
      #expect(ended + (sums.notRun ?? 0) == 60)
    }
    #expect(try suite.program.run("test", "--failed").status == 0)
  }

  @Test("a run that is killed at any moment leaves whole lines of what ended")
  func killedReport() throws {
    let suite = try LargeSuite()
    let whole = try seconds(suite.program, "test")
    for seed in LawSeeds(seconds: 0.6, atLeast: 4, from: 10) {
      var random = SeededGenerator(seed: seed)
      try? FileManager.default.removeItem(atPath: suite.program.folder.path + "/r.json")
      try kill(
        suite.program, ["test", "--report", "json=r.json"], SIGKILL, &random, within: whole,
        after: "r.json")
      let text = try suite.program.read("r.json")
      #expect(text.isEmpty || text.hasSuffix("}\n"))
      for line in text.split(separator: "\n") {
        #expect(throws: Never.self) {
          try JSONDecoder().decode(Line.self, from: Data(line.utf8))
        }
      }
    }
  }

  @Test("an update that is killed at any moment leaves each file as it was or as it is to be")
  func killedUpdate() throws {
    let right = try LargeSuite()
    let whole = try seconds(right.program, "test", "--update")
    for seed in LawSeeds(seconds: 0.9, atLeast: 4) {
      var random = SeededGenerator(seed: seed)
      let suite = try LargeSuite()
      for topic in 0..<10 {
        try suite.change("t/topic-\(topic)/changes.frc", "#> \(topic * 2)\n", to: "#> wrong\n")
        try suite.change("t/topic-\(topic)/whole.golden", "topic", to: "wrong")
      }
      let before = try suite.files()
      try kill(
        suite.program, ["test", "--update"], seed % 4 < 3 ? SIGKILL : SIGTERM, &random,
        within: whole)

      let after = try suite.files()
      #expect(after.keys.sorted() == before.keys.sorted())
      let intended = try right.files()
      for (path, bytes) in after {
        #expect(bytes == before[path] || bytes == intended[path], "\(path)")
      }
      #expect(try suite.program.run("test", "--update").status == 0)
      #expect(try suite.files() == intended)
    }
  }

  @Test("a review that is killed at any moment changes no file, and can go on")
  func killedReview() throws {
    for seed in LawSeeds(seconds: 0.9) {
      var random = SeededGenerator(seed: seed)
      let suite = try LargeSuite()
      for topic in 0..<10 {
        try suite.change("t/topic-\(topic)/changes.frc", "#> \(topic * 2)\n", to: "#> wrong\n")
      }
      let before = try suite.files()
      let terminal = try suite.program.terminal("review", rows: 200)
      try terminal.wait(forText: "10 blocks in 10 files: 10 changed")
      // The last answer may not be written yet when the signal comes; those before it are.
      let count = random.number(2...8)
      for number in 1...count {
        try terminal.wait(for: "question \(number)") {
          $0.screen.text.contains("\n\(number) of 10\n") && $0.isRaw
            && $0.screen.cursorRow.hasPrefix("accept,")
        }
        try terminal.type("a")
      }
      terminal.send(SIGKILL)
      #expect(try terminal.waitForExit() == .signal(SIGKILL))
      #expect(try suite.files() == before)

      let next = try suite.program.terminal("review", rows: 200)
      try next.wait(forText: "answered before")
      try next.wait(for: "a question") { $0.isRaw && $0.screen.cursorRow.hasPrefix("accept,") }
      try next.type("*")
      try next.wait(for: "the next key") { $0.isRaw && $0.screen.cursorRow.hasPrefix("all:") }
      #expect(try next.exit(afterTyping: "a") == .code(0))
      #expect(try suite.files() == LargeSuite().files())
    }
  }
}
