import GoldenTesting
import ScriptSyntax

/// Tells a person how tests went: each failure in place, then the sums.
final class TextReporter {
  private let output: Output
  private let renderer: DiagnosticRenderer
  private(set) var passed = 0
  private(set) var failed = 0
  private var updated = 0

  init(output: Output, usesColor: Bool) {
    self.output = output
    renderer = DiagnosticRenderer(usesColor: usesColor)
  }

  func noteUpdate(of path: String) {
    updated += 1
    output.write("updated \(path)")
  }

  /// Reports one test.
  func report(_ outcome: GoldenOutcome) {
    let source = outcome.test.source
    if outcome.passed { passed += 1 } else { failed += 1 }
    for diagnostic in outcome.diagnostics {
      output.write(renderer.render(diagnostic, in: source))
    }
    for mismatch in outcome.mismatches { report(mismatch, in: source) }
    if let uncaught = outcome.uncaught { output.write(uncaught) }
    if let first = outcome.unreached.first {
      let count = outcome.unreached.count
      output.write(
        "\(source.name):\(first): \(count) " + (count == 1 ? "block" : "blocks")
          + " not reached")
    }
  }

  private func report(_ mismatch: Mismatch, in source: SourceText) {
    switch mismatch.kind {
    case .block(let lines):
      output.write("\(source.name):\(mismatch.line): output differs")
      for line in lines { output.write("    " + source.text(ofLine: line)) }
    case .file:
      let golden = TestSearch.goldenPath(of: source.name)
      output.write("\(golden):\(mismatch.line): output differs")
    case .stray:
      output.write(
        "\(source.name):\(mismatch.line): expected output stands under no statement")
    }
    for line in LineDiff.lines(from: mismatch.expected, to: mismatch.actual) {
      output.write(line)
    }
  }

  /// Writes the sums.
  func finish() {
    if updated > 0 { output.write("\(updated) updated") }
    output.write("\(passed) passed, \(failed) failed")
  }
}
