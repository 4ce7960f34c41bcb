package import ScriptSyntax

/// What one run of a test gave.
package struct GoldenRun: Sendable {
  /// What one block gave.
  package struct Block: Hashable, Sendable {
    package var output: [String] = []
    /// How the block's prediction compares with what happened, line by line, with the rules;
    /// empty if it is right, or if there is none.
    package var reasons: [String] = []
    /// How callbacks broke the replay law, in words.
    package var breaches: [String] = []
    /// Whether the block was not run, because the script says so.
    package var isSkipped = false
    /// The error that ended a block which is expected to fail.
    package var error: UncaughtError?

    package init(output: [String] = [], breaches: [String] = []) {
      self.output = output
      self.breaches = breaches
    }
  }

  /// How a run came to its end.
  package enum End: Hashable, Sendable {
    /// Every block that was needed ran.
    case finished
    /// An error that no `try` took, in the last block.
    case uncaught(UncaughtError)
    /// The last block ran longer than the test may.
    case timedOut(TimeLimit)
    /// The last block took more of something than the test may.
    case exceeded(ByteLimit)
    /// The program itself failed in the last block, and why, in words.
    case crashed(String)
    /// The run was cancelled, so that it says nothing.
    case stopped
  }

  /// An error with its place, which may be in a file that the script includes.
  package struct UncaughtError: Hashable, Sendable {
    package let diagnostic: Diagnostic
    package let source: SourceText

    package init(diagnostic: Diagnostic, source: SourceText) {
      self.diagnostic = diagnostic
      self.source = source
    }
  }

  package let store: TestStore
  /// The blocks that ran, in order.
  package var blocks: [Block] = []
  package var end = End.finished
  /// How long the run could take, and how long its comparison may.
  package var limit = TimeLimit(TestDirectives.defaultTimeout, setBy: "'#@ timeout'")

  /// How long the run took.
  package var duration: Duration = .zero

  package init(store: TestStore) { self.store = store }
}
