/// A script's statements, its faults, and what its comments say to the tools.
package struct ParsedScript: Sendable {
  package var source: SourceText
  /// The top-level statements that are right, in order.
  package var statements: [Statement]
  /// Errors and warnings in the order of their places.
  package var diagnostics: [Diagnostic]
  /// The statements by lines, with the expected output under them.
  package var groups: [StatementGroup]
  /// Expected output that is under no top-level statement.
  package var strayExpectations: [ExpectedLine]
  /// The `#@` lines, in order.
  package var directives: [Directive]

  /// What the formatter has to know of the tokens.
  package var marks: SourceMarks

  package var hasErrors: Bool { diagnostics.contains { $0.severity == .error } }
}

/// Top-level statements that share a line, and the expected output right under
/// them; for the most part one statement.
package struct StatementGroup: Hashable, Sendable {
  /// Indices into the script's statements.
  package var statements: Range<Int>
  /// From the line on which the first begins to the one on which the last
  /// ends, counted from 1.
  package var lines: ClosedRange<Int>
  /// The `#>` and `#?` lines directly under the last line.
  package var expected: [ExpectedLine]
  /// Where expected lines begin, or would: the start of the line under the
  /// last, or the end of the source.
  package var expectedOffset: Int

  /// Whether the expected output is someone's prediction.
  package var isPrediction: Bool { expected.contains(where: \.isPrediction) }
}

/// A line `#> TEXT`, or `#? TEXT`.
package struct ExpectedLine: Hashable, Sendable {
  /// The text after `#> `; empty for `#>` alone.
  package var text: String
  /// Whether the line is someone's prediction, `#?`.
  package var isPrediction = false
  /// Counted from 1.
  package var line: Int
  /// The bytes of the line, its line end included.
  package var range: Range<Int>
}

/// A line `#@ TEXT`.
package struct Directive: Hashable, Sendable {
  /// The text after `#@`, without blanks around it.
  package var text: String
  /// Counted from 1.
  package var line: Int
  /// The bytes of the line, without its line end.
  package var range: Range<Int>
}
