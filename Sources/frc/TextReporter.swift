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

/// The difference of two lists of lines as people read it.
enum LineDiff {
  /// Returns the lines of both, those only expected behind `-`, those only
  /// actual behind `+`.
  static func lines(from expected: [String], to actual: [String]) -> [String] {
    let difference = actual.difference(from: expected)
    var removed: Set<Int> = []
    var inserted: Set<Int> = []
    for change in difference {
      switch change {
      case .remove(let offset, _, _): removed.insert(offset)
      case .insert(let offset, _, _): inserted.insert(offset)
      }
    }
    var result: [String] = []
    var old = 0
    var new = 0
    while old < expected.count || new < actual.count {
      if removed.contains(old) {
        result.append("  - " + expected[old])
        old += 1
      } else if inserted.contains(new) {
        result.append("  + " + actual[new])
        new += 1
      } else {
        result.append("    " + expected[old])
        old += 1
        new += 1
      }
    }
    return result
  }
}
