package import Platform

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
  package var panes: (any LinePanes)?

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

/// Provides what the program shows around the line, and handles the program's own keys.
///
/// The editor asks and draws. The panes decide what to show, and write nothing themselves.
package protocol LinePanes: AnyObject {
  /// Returns what is shown around the line.
  ///
  /// Called each time the line is drawn, so it has to answer within a millisecond.
  ///
  /// - Parameters:
  ///   - text: The text of the line.
  ///   - size: The size of the terminal.
  func surroundings(of text: String, in size: TerminalSize) -> LineSurroundings

  /// Called when the user has paused.
  ///
  /// - Returns: Whether there is something new to draw.
  func rest(at text: String) -> Bool

  /// Handles one of the program's own keys.
  func press(_ key: PaneKey, at text: String) -> PaneKeyEffect

  /// Whether the panes take the keys at present, as a list to choose from does.
  var takesKeys: Bool { get }

  /// Handles a key while ``takesKeys`` is true.
  func take(_ move: PaneMove) -> PaneKeyEffect

  /// Called when a line ends, and when one begins.
  func leave()
}

/// A key with a meaning that the program defines.
package enum PaneKey: Hashable, Sendable {
  /// Ctrl-O.
  case timeline
  /// Alt-E.
  case explanation
  /// Alt-C.
  case correction
}

/// A key that the panes handle while they take the keys.
package enum PaneMove: Hashable, Sendable {
  case left, right, up, down, pageUp, pageDown, first, last, enter, escape
  /// The key that opened the list.
  case key(PaneKey)
  /// Any other key.
  case other
}

/// The effect of a key that the panes handled.
package enum PaneKeyEffect: Equatable, Sendable {
  /// The key has no effect here; the bell rings.
  case refused
  /// There may be something new to draw.
  case done
  /// The key is not the panes', and has its usual meaning.
  case passed
  /// A text replaces the line.
  case replaces(String)
  /// A text is run as if it had been typed. Afterwards the line is shown again.
  case runs(String)
}

/// What is shown around a line.
package struct LineSurroundings: Equatable, Sendable {
  /// The rows under the text and under a menu.
  package var below: [StyledRow] = []
  /// The rows at the right.
  ///
  /// The first one is beside the first row of the text.
  package var beside: [StyledRow] = []
  /// The width of the rows at the right, including the rule before them, in columns.
  package var besideColumns = 0

  package init() {}

  /// The smallest width that a pane leaves for the line.
  package static let narrowestLine = 40
}

/// A row of text whose parts have different styles.
package struct StyledRow: Hashable, Sendable {
  /// A part of a row.
  package struct Part: Hashable, Sendable {
    package var text: String
    package var style: TextStyle
  }

  package private(set) var parts: [Part] = []

  package init() {}

  package init(_ text: String, _ style: TextStyle = .plain) { add(text, style) }

  package mutating func add(_ text: String, _ style: TextStyle = .plain) {
    if !text.isEmpty { parts.append(Part(text: text, style: style)) }
  }

  /// The text of all parts.
  package var text: String { parts.map(\.text).joined() }
}

/// The hint after the text, which shows how a line may continue.
struct LineHints {
  let buffer: LineBuffer
  let history: LineHistory
  let assistance: LineAssistance
  let search: SearchMode
  let completion: CompletionMode

  /// Returns how a line may continue: as in the newest entry that begins with it, or else as the
  /// language allows.
  ///
  /// Returns an empty text if the hint would look like typed text.
  func hint(for line: EditedLine) -> String {
    guard line.after.isEmpty, !assistance.styles.hint.isPlain, !completion.isOpen, !search.isActive,
      line.before.contains(where: { !$0.isWhitespace })
    else { return "" }
    let text = line.before
    if let entry = history.newest(beginningWith: text) {
      return String(entry.dropFirst(text.count))
    }
    return assistance.hint(text) ?? ""
  }

  /// Inserts the hint, or its first part.
  ///
  /// - Returns: Whether there was a hint.
  func take(_ part: (String) -> String = { $0 }) -> Bool {
    let line = buffer.line
    guard line.after.isEmpty else { return false }
    let hint = part(hint(for: line))
    buffer.insert(hint)
    return !hint.isEmpty
  }
}

/// Draws the line being edited.
///
/// This is the only part of the editor that knows a terminal's control sequences.
///
/// The functions return the text to write; they write nothing themselves.
package protocol LinePainter {
  /// Draws a line in place of the previous one.
  mutating func show(_ view: LineView, in size: TerminalSize) -> String

  /// Draws a line for the last time and moves to the row below it.
  ///
  /// - Parameters:
  ///   - view: The line, with the cursor at its end, no hint and no menu.
  ///   - size: The terminal's size.
  ///   - mark: A text to write after it.
  mutating func finish(_ view: LineView, in size: TerminalSize, mark: String) -> String

  /// Draws a line after the window's size has changed.
  mutating func showResized(_ view: LineView, in size: TerminalSize) -> String

  /// Clears the screen; the line is then drawn in its first row.
  mutating func clearScreen() -> String

  /// Forgets what was drawn; the line is then drawn in the cursor's row.
  mutating func forget()
}
