/// All that a person is to see of the line being edited; how it gets onto a
/// terminal is a `LinePainter`'s.
package struct LineView {
  /// The text before the cursor.
  package var before: String
  /// The text after it.
  package var after: String
  /// What is shown before the first line.
  package var prompt = Prompt("")
  /// What is shown before each further line.
  package var continuationPrompt = Prompt("")
  /// How the parts of the text look, in order; what no span holds is plain.
  package var spans: [StyledSpan] = []
  /// What is shown dimly after the text, on its last line.
  package var hint = ""
  /// What is shown under the text.
  package var menu: [MenuRow] = []
  /// What is shown around the text.
  package var surroundings = LineSurroundings()
  /// How hint and menu look.
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
