/// What the editor asks of whoever knows what the text means.
///
/// The editor itself knows characters, rows and keys only. Each closure is
/// asked between two keys, so it has to answer within a millisecond or two.
package struct LineAssistance {
  /// What Tab offers; nil for a Tab that inserts itself.
  package var completions: Completion.Provider?

  /// How the parts of a text look, in order and without overlaps.
  ///
  /// - Parameters:
  ///   - text: The statement so far.
  ///   - cursorOffset: Where the cursor is in it, in UTF-8 bytes; negative
  ///     where it has left the text.
  package var spans: (_ text: String, _ cursorOffset: Int) -> [StyledSpan] = { _, _ in [] }

  /// How the statement may go on that is typed; asked where the history has
  /// nothing that begins so.
  package var hint: (_ text: String) -> String? = { _ in nil }

  /// What a new line after a text begins with.
  package var indentation: (_ before: String) -> String = { _ in "" }

  /// What to insert for a text that was pasted.
  package var pasted: (_ text: String) -> String = { $0 }

  /// How hints and menus look now.
  package var makeStyles: () -> EditorStyles = { EditorStyles() }

  /// What the program shows around the line; nil for nothing.
  package var companion: (any LineCompanion)?

  /// Lets the user change a text in an editor of their own; nil where there is none.
  ///
  /// Called while the terminal is in order, so that it may be written to.
  ///
  /// - Returns: The new text, or nil where the old one stays.
  package var edit: ((_ text: String) -> String?)?

  /// How hints and menus look.
  package var styles: EditorStyles {
    get { makeStyles() }
    set { makeStyles = { newValue } }
  }

  /// Creates an assistance that knows nothing.
  package init(completions: Completion.Provider? = nil) { self.completions = completions }
}
