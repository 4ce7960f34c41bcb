import FetchedResults
import Foundation
import GoldenTesting
import PromptTools
import RandomLaws
import ScriptFuzzing
import ScriptRuntime
import ScriptSyntax
import Testing

@testable import frc

/// Random sessions of the fuzzer, with recording and going back.
@Suite struct RandomSessionsTests {
  /// Returns the entries of a random session, some of which fail.
  private func entries(_ seed: UInt64) -> [String] {
    var entries: [String] = []
    let outcome = Fuzzer(environment: { FileEnvironment() }).run(turns: 12, seed: seed) { step in
      switch step {
      case .world(let text), .statements(let text): entries.append(text)
      }
    }
    #expect(outcome.failure == nil)
    // A statement that fails before it does anything, one that fails later, one that reads the
    // clock, and values after `try`.
    let failing = [
      "print nothing", "perform { undo; print nothing }", "let moment = now()\nprint moment",
      "try nothing\ntry 40 + 2\nprint _ + 1",
    ]
    for (index, entry) in failing.enumerated() {
      entries.insert(entry, at: 1 + (Int(seed) * 7 + index * 3) % entries.count)
    }
    return entries
  }

  private func timeline(_ output: Lines) -> SessionTimeline {
    SessionTimeline(
      environment: FileEnvironment(), evaluation: EvaluationEnvironment(), prepare: { _ in },
      warn: { _, _ in },
      emit: { output.lines += $0.lines })
  }

  private final class Lines {
    var lines: [String] = []
  }

  /// Types entries as at the prompt.
  private func type(_ entries: [String], into timeline: SessionTimeline) {
    for entry in entries {
      let script = ScriptParser.parse(SourceText(name: "<prompt>", text: entry), as: .prompt)
      for statement in script.statements {
        guard (try? timeline.run(statement, in: script.source)) != nil else { break }
      }
    }
  }

  @Test("a recorded session passes as a test at once, with what failed behind try")
  func recording() {
    for seed in LawSeeds(seconds: 0.6, from: 1) {
      let timeline = timeline(Lines())
      type(entries(seed), into: timeline)

      let script = SessionScript(
        timeline.points[...], printing: timeline.outputs(), keepsFailures: true, path: "s.frc",
        locale: "en", store: "memory")

      let outcome = GoldenRunner(environment: FileEnvironment())
        .run(GoldenTest(source: SourceText(name: "s.frc", text: script.text)))
      #expect(timeline.points.contains { $0.failure != nil })
      #expect(
        outcome.verdict == .passed,
        "seed \(seed): \(outcome.failures.map { "\($0.lines) \($0.kind)" })")
      if outcome.verdict != .passed { return }
    }
  }

  @Test("undone to the start, a session is a new one; undone anywhere, it goes on as it did")
  func undoing() throws {
    for seed in LawSeeds(seconds: 0.6, from: 1) {
      let entries = entries(seed).filter { !$0.contains("now()") }
      let output = Lines()
      let timeline = timeline(output)
      type(entries, into: timeline)
      let first = output.lines
      let points = timeline.points

      // Back at the start, the session is empty, and the same entries give the same output.
      try timeline.undo(timeline.position)
      let session = timeline.session
      #expect(session.entities.isEmpty && session.variableNames.isEmpty)
      #expect(session.controllerNames.isEmpty && session.tally == SessionTally())
      output.lines = []
      type(entries, into: timeline)
      #expect(output.lines == first, "seed \(seed)")

      // At any point, the statements after it do the same as before.
      let middle = Int(seed) * 5 % points.count
      try timeline.go(to: middle)
      #expect(output.lines == first, "going back prints nothing")
      output.lines = []
      for point in points[middle...] { try? timeline.run(point.statement, in: point.source) }
      let expected = points[middle...].flatMap { $0.output.lines ?? [] }
      #expect(output.lines == expected, "seed \(seed), from \(middle) on")
      if output.lines != expected { return }
    }
  }
}
