import Foundation
import GoldenTesting
import Platform
import PromptTools
import ScriptRuntime
import ScriptSyntax

extension PromptSession {
  /// Writes the session as a script, and runs the script to compare its output.
  func record(_ argument: String?) {
    var words = (argument ?? "").split(separator: " ").map(String.init)
    var keepsFailures = false
    if words.count > 1, words.last == "try" {
      keepsFailures = true
      words.removeLast()
    }
    guard !words.isEmpty else {
      return usage(.record)
    }
    let path = words.joined(separator: " ").expandingHome
    guard recorded.contains(path) || !FileStatus.exists(path) else {
      return console.answer(["'\(path)' is there already, and this session has not written it"])
    }
    let failures = timeline.points[..<timeline.position].count { $0.failure != nil }
    var script = recording(keepsFailures: keepsFailures, at: path)
    var outcome = tested(script, at: path)
    var keepsThem = keepsFailures
    if !keepsFailures, failures > 0, !outcome.passed {
      // A statement that failed may have changed something before it failed.
      let whole = recording(keepsFailures: true, at: path)
      let other = tested(whole, at: path)
      if other.passed { (script, outcome, keepsThem) = (whole, other, true) }
    }
    do {
      try FileEnvironment.replace(path, with: Array(script.text.utf8))
    } catch {
      return console.answer(["cannot write '\(path)': \(error.reason)"])
    }
    recorded.insert(path)
    console.acknowledge(
      "# \(path): \(Self.count(script.statementCount, "statement"))"
        + Self.remark(on: failures, kept: keepsThem, asAsked: keepsThem == keepsFailures))
    if let failure = outcome.failures.first {
      console.answer([
        "line \(failure.lines.lowerBound) of '\(path)' prints something else when it runs again, "
          + "so frc test fails there" + emptyStore
      ])
    }
  }

  private func recording(keepsFailures: Bool, at path: String) -> SessionScript {
    SessionScript(
      timeline.points[..<timeline.position], printing: timeline.outputs(),
      keepsFailures: keepsFailures, path: path, locale: settings.locale, store: settings.store)
  }

  /// The comment that a session with a store in a file may run differently next time.
  private var emptyStore: String {
    timeline.session.openStore.map { name in
      "; a test begins with an empty '\(name)', whatever this session found in it"
    } ?? ""
  }

  private func tested(_ script: SessionScript, at path: String) -> GoldenOutcome {
    GoldenRunner(environment: environment.asTest())
      .run(GoldenTest(source: SourceText(name: path, text: script.text)))
  }

  private static func remark(on failures: Int, kept: Bool, asAsked: Bool) -> String {
    guard failures > 0 else { return "" }
    let number = failures == 1 ? "one that failed is" : "\(failures) that failed are"
    guard kept else { return "; \(number) left out" }
    return "; \(number) kept with try"
      + (asAsked ? "" : ", for what they did before they failed is needed later")
  }

  private static func count(_ count: Int, _ noun: String) -> String {
    "\(count) \(noun)\(count == 1 ? "" : "s")"
  }
}
