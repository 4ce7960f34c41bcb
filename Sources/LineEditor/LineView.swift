/// All that a person is to see of the line being edited; how it gets onto a
/// terminal is a `LinePainter`'s.
package struct LineView {
  /// The text before the cursor.
  package var before: String
  /// The text behind it.
  package var after: String
  /// What stands before the first line.
  package var prompt = Prompt("")
  /// What stands before each further line.
  package var continuationPrompt = Prompt("")
  /// How the parts of the text look, in order; what no span holds is plain.
  package var spans: [StyledSpan] = []
  /// What stands lightly behind the text, on its last line.
  package var hint = ""
  /// What stands under the text.
  package var menu: [MenuRow] = []
  /// What stands around the text.
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
