package import Platform

/// Provides what the program shows around the line, and handles the program's own keys.
///
/// The editor asks and draws. The companion decides what to show, and writes nothing itself.
package protocol LineCompanion: AnyObject {
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
  func press(_ key: CompanionKey, at text: String) -> CompanionAnswer

  /// Whether the companion takes the keys at present, as a list to choose from does.
  var takesKeys: Bool { get }

  /// Handles a key while ``takesKeys`` is true.
  func take(_ move: CompanionMove) -> CompanionAnswer

  /// Called when a line ends, and when one begins.
  func leave()
}

/// A key with a meaning that the program defines.
package enum CompanionKey: Hashable, Sendable {
  /// Ctrl-O.
  case timeline
  /// Alt-E.
  case explanation
  /// Alt-C.
  case correction
}

/// A key that a companion handles while it takes the keys.
package enum CompanionMove: Hashable, Sendable {
  case left, right, up, down, pageUp, pageDown, first, last, enter, escape
  /// The key that opened the list.
  case key(CompanionKey)
  /// Any other key.
  case other
}

/// The effect of a key that the companion handled.
package enum CompanionAnswer: Equatable, Sendable {
  /// The key has no effect here; the bell rings.
  case refused
  /// There may be something new to draw.
  case done
  /// The key is not the companion's, and has its usual meaning.
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
