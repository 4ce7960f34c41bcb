/// The style of a text, as the parameters of a terminal's SGR sequence.
package struct TextStyle: Hashable, Sendable {
  /// The part between `ESC [` and `m`, such as `1;31`; empty for plain text.
  package let parameters: String

  /// Creates a style.
  package init(_ parameters: String) { self.parameters = parameters }

  /// The terminal's default style.
  package static let plain = TextStyle("")

  var isPlain: Bool { parameters.isEmpty }
}

/// A part of a text, with its style.
package struct StyledSpan: Hashable, Sendable {
  /// The part, in UTF-8 bytes of the text.
  package var range: Range<Int>
  package var style: TextStyle

  /// Creates a span.
  package init(_ range: Range<Int>, _ style: TextStyle) {
    self.range = range
    self.style = style
  }
}

/// The styles of what the editor itself adds to a line.
package struct EditorStyles: Hashable, Sendable {
  /// The hint that the right arrow would insert.
  package var hint: TextStyle
  /// A candidate that a menu offers.
  package var candidate: TextStyle
  /// The candidate that is chosen.
  package var chosen: TextStyle
  /// The description of a candidate.
  package var detail: TextStyle

  /// Creates styles, which are plain by default.
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
