/// Reads the text of scripts.
package enum ScriptParser {
  /// Where a text is.
  package enum Setting: Sendable {
    case file
    /// One entry at the prompt: where more is needed, a line end asks for it,
    /// so that there it never counts.
    case prompt
  }

  /// Whether the prompt runs an entry or asks for more.
  package enum Completeness: Hashable, Sendable {
    case complete
    case incomplete
  }

  /// How deep brackets, blocks and signs may nest.
  package static let maximumDepth = 200

  /// How many operators may follow one another in one expression, so that
  /// whoever walks an expression may do so by recursion.
  package static let maximumHeight = 1000

  /// The first words of statements, in alphabetical order.
  package static var statementWords: [String] { StatementWord.all }

  /// Parses a whole script and finds every error in it, one error each.
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

  /// Tells whether an entry at the prompt is whole.
  ///
  /// It is not where its first error is that the text ends: with an open
  /// bracket, block or string, or where an operand, a name or a sign must
  /// follow. An entry that is wrong before its end is whole: it can be
  /// reported at once.
  package static func completeness(of text: String) -> Completeness {
    cursor(behind: text).needsMore ? .incomplete : .complete
  }

  /// Tells whether an entry that is not whole lacks its rest within a bracket,
  /// a block or a string, where an empty line is nothing unusual.
  package static func isOpen(_ text: String) -> Bool {
    cursor(behind: text).isOpen
  }

  /// The cursor that has read an entry at the prompt.
  private static func cursor(behind text: String) -> TokenCursor {
    let cursor = TokenCursor(SourceText(name: "", text: text), setting: .prompt)
    _ = StatementParser(cursor).parseScript()
    return cursor
  }
}
