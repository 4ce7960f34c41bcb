import GoldenTesting
import ScriptSyntax
import ScriptWorlds

/// Reads a golden that is in memory.
func prepared(_ text: String, golden: String? = nil, lines: Set<Int>? = nil) -> PreparedTest {
  PreparedTest(
    GoldenTest(
      source: SourceText(name: "test.frc", text: text),
      golden: golden.map { SourceText(name: "test.golden", text: $0) }, lines: lines))
}

/// Runs a golden that is in memory.
func outcome(
  of text: String, golden: String? = nil, lines: Set<Int>? = nil, files: [String: String] = [:]
) -> GoldenOutcome {
  let test = prepared(text, golden: golden, lines: lines)
  return test.outcome(of: GoldenRunner(environment: ScriptFiles(files)).runs(of: test))
}

/// Returns a golden after an update; nil if nothing changes.
func updated(_ text: String, golden: String? = nil, lines: Set<Int>? = nil) -> String? {
  let update = GoldenUpdate(outcome(of: text, golden: golden, lines: lines))
  return update.file.map { String(decoding: $0.bytes, as: UTF8.self) }
}

extension GoldenOutcome {
  /// The failures as short texts: line, code and message.
  var words: [String] {
    failures.map { "\($0.lines.lowerBound) \($0.code)" }
  }

  var mismatches: [OutputMismatch] {
    failures.compactMap {
      if case .output(let mismatch) = $0.kind { mismatch } else { nil }
    }
  }
}
