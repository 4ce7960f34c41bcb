import Foundation
import RandomLaws
import RepositoryFiles
import ScriptRuntime
import ScriptSyntax
import ScriptWorlds
import Testing

/// A session continues, whatever a person types.
struct MutationLawTests {
  @Test("a garbled script never crashes or hangs; each failure is one message with a place")
  func mutations() throws {
    let corpus = try Corpus()
    try #require(corpus.scripts.count > 100)
    let before = Self.residentBytes
    var (rounds, ran) = (0, 0)
    for seed in LawSeeds(seconds: 0.6, atLeast: 20) {
      rounds += 1
      var mutator = ScriptMutator(seed: seed, scripts: corpus.scripts)
      let text = mutator.script()
      let start = ContinuousClock.now

      let trial = Trial(text, files: corpus.files)

      ran += trial.ran
      let time = ContinuousClock.now - start
      guard trial.faults.isEmpty, time < .seconds(60) else {
        Issue.record("seed \(seed), \(time): \(trial.faults)\n\(text)")
        return
      }
    }

    #expect(ran > rounds, "most garbled scripts must still run in part")
    #expect(Self.residentBytes - before < 1 << 30)
  }

  /// How much memory the process has.
  private static var residentBytes: Int {
    let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?
      .split(separator: " ").dropFirst().first
    return (pages.flatMap { Int($0) } ?? 0) * 4096
  }
}

/// The examples and goldens, by lines, and what they include.
private struct Corpus {
  var scripts: [[Substring]] = []
  var files: [String: String] = [:]

  init() throws {
    for folder in ["Examples", "Tests/GoldenTests/Goldens"] {
      let url = RepositoryFiles.url(folder)
      let found = FileManager.default.enumerator(atPath: url.path)?.allObjects ?? []
      for path in found.compactMap({ $0 as? String }).sorted() {
        guard path.hasSuffix(".frc") || path.hasSuffix(".txt") else { continue }
        let text = try String(contentsOf: url.appendingPathComponent(path), encoding: .utf8)
        if path.hasSuffix(".frc") {
          scripts.append(text.split(separator: "\n").filter { !$0.hasPrefix("#> ") })
        } else {
          files[path.split(separator: "/").suffix(2).joined(separator: "/")] = text
        }
      }
    }
  }
}

/// A garbled script, which is parsed, checked, and run statement by statement as at the prompt.
private struct Trial {
  /// How many statements ran without an error.
  private(set) var ran = 0
  /// The violations of the law.
  private(set) var faults: [String] = []

  init(_ text: String, files: [String: String]) {
    let source = SourceText(name: "mutant", text: text)
    let script = ScriptParser.parse(source)
    for diagnostic in script.diagnostics { check(diagnostic, in: source) }
    for finding in Checker(environment: ScriptFiles(files)).check(script) {
      check(finding.diagnostic, in: finding.source)
    }
    run(script, files: files)
  }

  private mutating func run(_ script: ParsedScript, files: [String: String]) {
    var isAlive = false
    let interpreter = Interpreter(environment: ScriptFiles(files), stepLimit: 500) { event in
      if event.lines.last == "still here" { isAlive = true }
      _ = event.jsonLines
    }
    for statement in script.statements {
      interpreter.steps.remaining = 500
      do {
        try interpreter.run(statement, in: script.source)
        ran += 1
      } catch {
        check(error.diagnostic, in: error.source)
      }
    }
    let next = SourceText(name: "next", text: "print \"still \" + \"here\"")
    interpreter.steps.remaining = 500
    // A delegate that never stops changing objects may fail the turn of a statement, but not the
    // statement.
    try? interpreter.run(ScriptParser.parse(next))
    if !isAlive { faults.append("the next statement did not run") }
  }

  /// Checks that a message is one line with a place in its source.
  private mutating func check(_ diagnostic: Diagnostic, in source: SourceText) {
    if diagnostic.message.isEmpty || diagnostic.message.contains("\n") {
      faults.append("a message of no or several lines: \(diagnostic.message)")
    }
    let range = diagnostic.range
    if range.lowerBound < 0 || range.upperBound > source.bytes.count {
      faults.append("a place outside the source: \(range) \(diagnostic.message)")
    }
    if DiagnosticRenderer().render(diagnostic, in: source).split(
      separator: "\n", omittingEmptySubsequences: false
    ).count != 3 {
      faults.append("a rendering of other than three lines: \(diagnostic.message)")
    }
  }
}
