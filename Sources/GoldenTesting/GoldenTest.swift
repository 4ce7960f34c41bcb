package import ScriptSyntax

/// A script with its expected output.
package struct GoldenTest: Sendable {
  package let source: SourceText
  /// The text of `NAME.golden` beside `NAME.frc`; nil where the expectations
  /// stand in the script.
  package let golden: SourceText?
  /// Only the blocks on these lines count, where lines are given.
  package let lines: Set<Int>?

  package init(source: SourceText, golden: SourceText? = nil, lines: Set<Int>? = nil) {
    self.source = source
    self.golden = golden
    self.lines = lines
  }

  /// Returns the path of the golden file beside a script.
  package static func goldenPath(of path: String) -> String {
    (path.hasSuffix(".frc") ? String(path.dropLast(4)) : path) + ".golden"
  }
}

/// A store on which tests can be asked to run.
package enum TestStore: String, CaseIterable, Sendable {
  case memory
  /// A file of the run's own.
  case sqlite
}
