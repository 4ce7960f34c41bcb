/// All that a person sees of the line being edited.
///
/// A `LinePainter` draws it on a terminal.
package struct LineView {
  /// The text before the cursor.
  package var before: String
  /// The text after the cursor.
  package var after: String
  /// The prompt before the first line.
  package var prompt = Prompt("")
  /// The prompt before each further line.
  package var continuationPrompt = Prompt("")
  /// The styles of the text's parts, in order.
  ///
  /// Text outside all spans is plain.
  package var spans: [StyledSpan] = []
  /// The hint that is shown dimly after the text, on its last line.
  package var hint = ""
  /// The rows under the text.
  package var menu: [MenuRow] = []
  /// What is shown around the text.
  package var surroundings = LineSurroundings()
  /// The styles of the hint and the menu.
  package var styles = EditorStyles()

  /// A row under the text.
  package struct MenuRow: Equatable, Sendable {
    package var text: String
    package var detail: String
    package var isChosen: Bool

    package init(_ text: String, detail: String = "", isChosen: Bool = false) {
      self.text = text
      self.detail = detail
      self.isChosen = isChosen
    }
  }

  package init(before: String, after: String) {
    self.before = before
    self.after = after
  }
}
