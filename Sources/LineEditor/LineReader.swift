/// A source of statements, which a person types or which come through a pipe.
///
/// It does not know what a statement means: the caller decides when a text is complete.
package protocol LineReader: AnyObject {
  /// Reads lines until they form a complete statement.
  ///
  /// - Parameters:
  ///   - prompt: The prompt before the first line.
  ///   - continuationPrompt: The prompt before each further line.
  ///   - isComplete: Returns whether the lines so far, joined by `\n`, need no further one. Called
  ///     at the end of each line.
  /// - Returns: The statement without its last line end, or the reason why there is none.
  func readStatement(
    prompt: String,
    continuationPrompt: String,
    isComplete: (String) -> Bool
  ) -> ReadResult
}

/// The result of reading a statement.
package enum ReadResult: Equatable, Sendable {
  /// A complete text. Its lines are joined by `\n`. It ends with a line end only if one was pasted
  /// or typed there.
  case text(String)

  /// Ctrl-C was pressed; all lines of the statement are dropped.
  case interrupted

  /// The input has ended.
  case endOfInput
}
