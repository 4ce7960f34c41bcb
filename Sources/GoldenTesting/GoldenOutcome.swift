package import Foundation
package import ScriptSyntax

/// What came of one test.
package struct GoldenOutcome: Sendable {
  /// The word for a test in the sums.
  package enum Verdict: Hashable, Sendable {
    case passed
    case failed
    case skipped(reason: String)
    /// The test failed, as its `xfail` says.
    case expectedFailure(reason: String)
  }

  package internal(set) var prepared: PreparedTest
  package internal(set) var verdict: Verdict = .passed
  /// In the order of their places; of an expected failure too.
  package internal(set) var failures: [GoldenFailure] = []
  /// Blocks that were skipped or failed as expected, in the order of their places.
  package internal(set) var notes: [BlockNote] = []
  /// Whether the test passed, and asserted only that nothing is printed.
  package internal(set) var assertsNothing = false
  /// What is odd but no failure, in the order of their places.
  package internal(set) var warnings: [Diagnostic] = []
  /// When the test began; nil if it was not run by a suite.
  package internal(set) var began: Date?
  /// How long the runs took.
  package internal(set) var duration: Duration = .zero
  /// How often the test was run.
  package internal(set) var tries = 1
  /// What came of the tries before one that did not fail; of tries that failed in
  /// the same, the first.
  package internal(set) var failedTries: [GoldenOutcome] = []
  /// Whether its comparison was stopped, so that it says nothing.
  package internal(set) var isStopped = false
  /// What each block printed, in the first run; nothing if none was made.
  package internal(set) var blocks: [GoldenRun.Block] = []

  package var source: SourceText { prepared.test.source }

  package var passed: Bool { verdict != .failed }

  /// Whether the test failed at first, and did not when it was tried again.
  package var isFlaky: Bool { !failedTries.isEmpty }

  /// The outcome where a warning is as bad as an error.
  package var withWarningsAsErrors: GoldenOutcome {
    guard passed, !warnings.isEmpty else { return self }
    var outcome = self
    outcome.warnings = []
    outcome.failures = warnings.map { warning in
      var error = warning
      error.severity = .error
      let line = source.line(of: warning.range.lowerBound)
      return GoldenFailure(.diagnostic(error), in: source.name, line...line)
    }
    outcome.verdict = .failed
    return outcome
  }
}

/// What a directive above a block excused.
package struct BlockNote: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// The block was not run.
    case skipped
    case expectedFailure
  }

  package let kind: Kind
  package let reason: String
  /// The lines of the block, counted from 1.
  package let lines: ClosedRange<Int>
  /// Where only one of several stores is concerned.
  package var store: TestStore?

  /// `failed as expected: a known fault (store sqlite)`.
  package var words: String {
    let verb =
      switch kind {
      case .skipped: "skipped"
      case .expectedFailure: "failed as expected"
      }
    return "\(verb): \(reason)" + (store.map { " (store \($0))" } ?? "")
  }
}

/// One thing that is wrong with a test.
package struct GoldenFailure: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// A block's output, or with a golden file the whole, is not as expected.
    case output(OutputMismatch)
    /// An expected line that is under no statement.
    case strayExpectation(String)
    /// Callbacks that do not make the sections after of those before.
    case replay(breach: String)
    /// An error that no `try` took.
    case uncaught(GoldenRun.UncaughtError)
    case timedOut(TimeLimit)
    /// A run took more of something than the test may.
    case exceeded(ByteLimit)
    /// The program itself failed while it ran the test, and why, in words.
    case crashed(String)
    /// Blocks that did not run, since the script ended before them.
    case unreached(blocks: Int)
    /// A second run printed something else.
    case unstable(OutputMismatch)
    /// The script or its directives are wrong.
    case diagnostic(Diagnostic)
    case conflictMarker
    /// There is nothing to run.
    case empty
    /// Nothing failed, though a failure was expected.
    case unexpectedPass(reason: String)
    /// The file could not be updated.
    case update(reason: String)
  }

  package let kind: Kind
  /// The file with the place; the script, or its golden file.
  package let file: String
  /// From where to where a reader should look, counted from 1.
  package let lines: ClosedRange<Int>
  /// Where only one of several stores fails.
  package var store: TestStore?
  /// Of a prediction, how it compares with what happened, with the rules; nil of anything
  /// else.
  package var reasons: [String]?

  package init(_ kind: Kind, in file: String, _ lines: ClosedRange<Int>) {
    self.kind = kind
    self.file = file
    self.lines = lines
  }
}

/// Output that is not what was expected.
package struct OutputMismatch: Hashable, Sendable {
  package let expected: [String]
  package let actual: [String]
  /// Whether the lines may come in any order.
  package let isUnordered: Bool
  /// What the names of earlier blocks that are reused represent.
  package let captured: CapturedTexts

  package init(
    expected: [String], actual: [String], isUnordered: Bool = false,
    captured: CapturedTexts = CapturedTexts()
  ) {
    self.expected = expected
    self.actual = actual
    self.isUnordered = isUnordered
    self.captured = captured
  }

  /// What was expected, to be compared with other output.
  var expectation: ExpectedOutput {
    ExpectedOutput(expected, isUnordered: isUnordered, captured: captured)
  }
}
