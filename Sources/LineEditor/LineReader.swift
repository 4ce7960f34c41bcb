/// A source of statements, typed by a person or coming through a pipe.
///
/// It knows nothing of what a statement means: the caller says when a text is
/// complete.
package protocol LineReader: AnyObject {
  /// Reads lines until they make a complete statement.
  ///
  /// - Parameters:
  ///   - prompt: What is shown before the first line.
  ///   - continuationPrompt: What is shown before each further line.
  ///   - isComplete: Tells whether the lines so far, joined by `\n`, need no
  ///     further one. Called at the end of a line.
  /// - Returns: The statement without its last line end, or why there is none.
  func readStatement(
    prompt: String,
    continuationPrompt: String,
    isComplete: (String) -> Bool
  ) -> ReadResult
}

/// What came of reading a statement.
package enum ReadResult: Equatable, Sendable {
  /// A complete text. Its lines are joined by `\n`; there is none at its end
  /// unless it was pasted or typed there.
  case text(String)

  /// Ctrl-C was pressed; the line, and the block that it is in, are dropped.
  case interrupted

  /// There is nothing more to read.
  case endOfInput
}
