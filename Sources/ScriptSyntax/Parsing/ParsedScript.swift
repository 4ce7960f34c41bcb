/// A script's statements, its errors, and the comments that are meant for tools.
package struct ParsedScript: Sendable {
  package var source: SourceText
  /// The top-level statements without errors, in order.
  package var statements: [Statement]
  /// The errors and warnings, in the order of their places.
  package var diagnostics: [Diagnostic]
  /// The statements grouped by lines, with the expected output under them.
  package var groups: [StatementGroup]
  /// Expected output that does not follow a top-level statement.
  package var strayExpectations: [ExpectedLine]
  /// The `#@` lines, in order.
  package var directives: [Directive]

  /// The information about tokens that the formatter needs.
  package var marks: SourceMarks

  package var hasErrors: Bool { diagnostics.contains { $0.severity == .error } }
}

/// Top-level statements that share a line, with the expected output directly under them.
///
/// Most groups have one statement.
package struct StatementGroup: Hashable, Sendable {
  /// The indices of the statements in the script.
  package var statements: Range<Int>
  /// The lines from the first statement's start to the last one's end, counted from 1.
  package var lines: ClosedRange<Int>
  /// The `#>` and `#?` lines directly under the last line.
  package var expected: [ExpectedLine]
  /// Where expected lines begin or would begin: the start of the line after the last one, or the
  /// end of the source.
  package var expectedOffset: Int

  /// Whether the expected output is a prediction.
  package var isPrediction: Bool { expected.contains(where: \.isPrediction) }
}

/// A line `#> TEXT`, or `#? TEXT`.
package struct ExpectedLine: Hashable, Sendable {
  /// The text after `#> `; empty for `#>` alone.
  package var text: String
  /// Whether the line is a prediction, `#?`.
  package var isPrediction = false
  /// The line number, counted from 1.
  package var line: Int
  /// The bytes of the line, including its line end.
  package var range: Range<Int>
}

/// A line `#@ TEXT`.
package struct Directive: Hashable, Sendable {
  /// The text after `#@`, without blanks around it.
  package var text: String
  /// The line number, counted from 1.
  package var line: Int
  /// The bytes of the line, without its line end.
  package var range: Range<Int>
}
