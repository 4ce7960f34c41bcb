/// The functions that give the editor the meaning of a text.
///
/// The editor itself knows only characters, rows and keys. Each closure is called between two keys,
/// so it has to answer within a millisecond or two.
package struct LineAssistance {
  /// Returns the completions for Tab; nil if Tab inserts a tab.
  package var completions: Completion.Provider?

  /// Returns the styles of the parts of a text, in order and without overlaps.
  ///
  /// - Parameters:
  ///   - text: The statement so far.
  ///   - cursorOffset: The cursor's position in it, in UTF-8 bytes; negative if the cursor has left
  ///     the text.
  package var spans: (_ text: String, _ cursorOffset: Int) -> [StyledSpan] = { _, _ in [] }

  /// Returns how a statement may continue.
  ///
  /// Called only if no history entry begins with it.
  package var hint: (_ text: String) -> String? = { _ in nil }

  /// Returns the indentation of a new line after a text.
  package var indentation: (_ before: String) -> String = { _ in "" }

  /// Returns the text to insert for a pasted text.
  package var pasted: (_ text: String) -> String = { $0 }

  /// Returns the present styles of hints and menus.
  package var makeStyles: () -> EditorStyles = { EditorStyles() }

  /// Provides what the program shows around the line; nil for nothing.
  package var companion: (any LineCompanion)?

  /// Lets the user change a text in another editor; nil if there is none.
  ///
  /// Called while the terminal is in its normal mode, so that it may be written to.
  ///
  /// - Returns: The new text, or nil to keep the old one.
  package var edit: ((_ text: String) -> String?)?

  /// The styles of hints and menus.
  package var styles: EditorStyles {
    get { makeStyles() }
    set { makeStyles = { newValue } }
  }

  /// Creates an assistance that provides completions, and nothing else.
  package init(completions: Completion.Provider? = nil) { self.completions = completions }
}
