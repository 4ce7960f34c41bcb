package import ScriptSyntax

/// A script with its expected output.
package struct GoldenTest: Sendable {
  package let source: SourceText
  /// The text of `NAME.golden` beside `NAME.frc`; nil where the expectations
  /// stand in the script.
  package let golden: String?
  /// Only the statements on this line count, where a line is given.
  package let line: Int?

  package init(source: SourceText, golden: String? = nil, line: Int? = nil) {
    self.source = source
    self.golden = golden
    self.line = line
  }
}

/// What came of one test.
package struct GoldenOutcome: Sendable {
  package let test: GoldenTest
  /// Faults that keep the script from running.
  package var diagnostics: [Diagnostic] = []
  package var mismatches: [Mismatch] = []
  /// How many blocks were compared.
  package var blocks = 0
  /// The error that ended the script, rendered with its place.
  package var uncaught: String?
  /// Lines of top-level statements that an error kept from running.
  package var unreached: [Int] = []
  /// The output of each block, for rewriting.
  package var outputs: [[String]] = []

  package var passed: Bool {
    mismatches.isEmpty && uncaught == nil && unreached.isEmpty
      && !diagnostics.contains { $0.severity == .error }
  }
}

/// Output that is not what was expected.
package struct Mismatch: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// The output of the statements on these lines.
    case block(lines: ClosedRange<Int>)
    /// The whole output, against a `.golden` file.
    case file
    /// Expected lines that stand under no statement.
    case stray
  }

  package let kind: Kind
  /// The line that a reader should look at, counted from 1.
  package let line: Int
  package let expected: [String]
  package let actual: [String]
}

extension GoldenTest {
  /// Whether a top-level statement stands on a line, counted from 1.
  package func hasStatement(on line: Int) -> Bool {
    ScriptParser.parse(source).groups.contains { $0.lines.contains(line) }
  }
}
