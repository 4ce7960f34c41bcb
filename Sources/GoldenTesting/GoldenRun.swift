package import ScriptSyntax

/// The results of one run of a test.
package struct GoldenRun: Sendable {
  /// The results of one block.
  package struct Block: Hashable, Sendable {
    package var output: [String] = []
    /// How the block's prediction compares with what happened, line by line, with the rules.
    ///
    /// Empty if it is right, or if there is none.
    package var reasons: [String] = []
    /// Whether the block's lines are a prediction that is right in other words.
    package var isPredicted = false
    /// Descriptions of how callbacks broke the replay law.
    package var breaches: [String] = []
    /// Whether the block was skipped, because the script asks for it.
    package var isSkipped = false
    /// The error that ended a block that is expected to fail.
    package var error: UncaughtError?

    package init(output: [String] = [], breaches: [String] = []) {
      self.output = output
      self.breaches = breaches
    }
  }

  /// The end of a run.
  package enum End: Hashable, Sendable {
    /// All blocks that were needed ran.
    case finished
    /// The last block ended with an error that no `try` caught.
    case uncaught(UncaughtError)
    /// The last block ran longer than the test may.
    case timedOut(TimeLimit)
    /// The last block used more of a resource than the test may.
    case exceeded(ByteLimit)
    /// The program itself crashed in the last block; the text is the reason.
    case crashed(String)
    /// The run was cancelled, so it has no result.
    case stopped
  }

  /// An error with its place, which may be in a file that the script includes.
  package struct UncaughtError: Hashable, Sendable {
    package let diagnostic: Diagnostic
    package let source: SourceText
  }

  package let store: TestStore
  /// The blocks that ran, in order.
  package var blocks: [Block] = []
  package var end = End.finished
  /// The time limit of the run, and of its comparison.
  package var limit = TimeLimit(TestDirectives.defaultTimeout, setBy: "'#@ timeout'")

  /// How long the run took.
  package var duration: Duration = .zero

  package init(store: TestStore) { self.store = store }
}
