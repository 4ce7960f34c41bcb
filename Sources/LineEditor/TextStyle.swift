/// How a piece of text looks: the parameters of a terminal's SGR sequence.
package struct TextStyle: Hashable, Sendable {
  /// What is between `ESC [` and `m`, such as `1;31`; empty for plain text.
  package let parameters: String

  /// Creates a style.
  package init(_ parameters: String) { self.parameters = parameters }

  /// Text as the terminal shows it by itself.
  package static let plain = TextStyle("")

  var isPlain: Bool { parameters.isEmpty }
}

/// A part of a text, and how it looks.
package struct StyledSpan: Hashable, Sendable {
  /// In UTF-8 bytes of the text.
  package var range: Range<Int>
  package var style: TextStyle

  /// Creates a span.
  package init(_ range: Range<Int>, _ style: TextStyle) {
    self.range = range
    self.style = style
  }
}

/// How what the editor itself adds to a line looks.
package struct EditorStyles: Hashable, Sendable {
  /// What the right arrow would insert.
  package var hint: TextStyle
  /// A candidate that a menu offers.
  package var candidate: TextStyle
  /// The candidate that is chosen.
  package var chosen: TextStyle
  /// What is said of a candidate.
  package var detail: TextStyle

  /// Creates styles; plain ones by default.
  package init(
    hint: TextStyle = .plain, candidate: TextStyle = .plain, chosen: TextStyle = .plain,
    detail: TextStyle = .plain
  ) {
    self.hint = hint
    self.candidate = candidate
    self.chosen = chosen
    self.detail = detail
  }
}
