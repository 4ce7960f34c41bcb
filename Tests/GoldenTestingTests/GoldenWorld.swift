import GoldenTesting
import ScriptRuntime
import ScriptSyntax

/// Runs a golden that stands in memory.
func outcome(
  of text: String, golden: String? = nil, line: Int? = nil, files: [String: String] = [:]
) -> GoldenOutcome {
  let source = SourceText(name: "test.frc", text: text)
  return GoldenRunner(environment: MemoryFiles(files))
    .run(GoldenTest(source: source, golden: golden, line: line))
}

/// Returns a golden as an update would leave it, or nil where nothing changes.
func updated(_ text: String, line: Int? = nil) -> String? {
  GoldenRewriter.rewrite(outcome(of: text, line: line)).map { String(decoding: $0, as: UTF8.self) }
}

/// Files that stand in memory.
private final class MemoryFiles: ScriptEnvironment {
  private let files: [String: String]
  let isInterrupted = false

  init(_ files: [String: String]) { self.files = files }

  func source(
    at path: String, includedFrom includer: String
  ) throws(UnreadableSource) -> SourceText {
    guard let text = files[path] else { throw UnreadableSource(reason: "no such file") }
    return SourceText(name: path, text: text)
  }
}
