/// Reads the text of scripts.
package enum ScriptParser {
  /// The kind of text.
  package enum Setting: Sendable {
    case file
    /// One entry at the prompt. If more text is needed, the prompt asks for another line, so a line
    /// end never ends such an entry.
    case prompt
  }

  /// Whether the prompt runs an entry or asks for another line.
  package enum Completeness: Hashable, Sendable {
    case complete
    case incomplete
  }

  /// The largest depth of nested brackets, blocks and signs.
  package static let maximumDepth = 200

  /// The largest number of operators in a row in one expression, so that code may walk an
  /// expression by recursion.
  package static let maximumHeight = 1000

  /// The first words of statements, in alphabetical order.
  package static var statementWords: [String] { StatementWord.all }

  /// Parses a whole script, and finds one error for each mistake in it.
  ///
  /// - Complexity: O(*n*), where *n* is the length of the text.
  package static func parse(
    _ source: SourceText, as setting: Setting = .file
  ) -> ParsedScript {
    let cursor = TokenCursor(source, setting: setting)
    let statements = StatementParser(cursor).parseScript()
    let diagnostics = cursor.diagnostics.enumerated().sorted {
      ($0.element.range.lowerBound, $0.offset) < ($1.element.range.lowerBound, $1.offset)
    }
    return ParsedScript(
      source: source, statements: statements, diagnostics: diagnostics.map(\.element),
      marks: cursor.marks)
  }

  /// Returns whether an entry at the prompt is complete.
  ///
  /// It is incomplete if its first error is that the text ends: a bracket, block or string is open,
  /// or an operand, a name or a sign must follow. An entry with an earlier error is complete, so
  /// that the error is reported at once.
  package static func completeness(of text: String) -> Completeness {
    cursor(after: text).needsMore ? .incomplete : .complete
  }

  /// Returns whether an incomplete entry ends within a bracket, a block or a string.
  ///
  /// An empty line is common there.
  package static func isOpen(_ text: String) -> Bool {
    cursor(after: text).isOpen
  }

  /// Returns the cursor after parsing an entry at the prompt.
  private static func cursor(after text: String) -> TokenCursor {
    let cursor = TokenCursor(SourceText(name: "", text: text), setting: .prompt)
    _ = StatementParser(cursor).parseScript()
    return cursor
  }
}
