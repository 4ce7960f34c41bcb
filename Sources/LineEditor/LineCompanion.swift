package import Platform

/// What the program itself shows around the line, and the keys that it has there.
///
/// The editor asks and draws. The companion knows what there is to say, and writes nothing.
package protocol LineCompanion: AnyObject {
  /// Returns what is to be seen around the line.
  ///
  /// Called at each drawing, so it has to answer within a millisecond.
  ///
  /// - Parameters:
  ///   - text: The text of the line.
  ///   - size: The size of the terminal.
  func surroundings(of text: String, in size: TerminalSize) -> LineSurroundings

  /// Is told that nobody has typed for a moment.
  ///
  /// - Returns: Whether there is something new to see.
  func rest(at text: String) -> Bool

  /// Does what one of the program's own keys asks for.
  func press(_ key: CompanionKey, at text: String) -> CompanionAnswer

  /// Whether the companion takes the keys at the moment, as a list to choose from does.
  var takesKeys: Bool { get }

  /// Takes a key while ``takesKeys`` holds.
  func take(_ move: CompanionMove) -> CompanionAnswer

  /// Is told that the line is over, or begins.
  func leave()
}

/// A key that the program has given a meaning of its own.
package enum CompanionKey: Hashable, Sendable {
  /// Ctrl-O.
  case timeline
  /// Alt-E.
  case explanation
  /// Alt-C.
  case correction
}

/// A key that a companion takes while it has the keys.
package enum CompanionMove: Hashable, Sendable {
  case left, right, up, down, pageUp, pageDown, first, last, enter, escape
  /// The key that has opened it.
  case key(CompanionKey)
  /// Any other key.
  case other
}

/// What a key of the companion's has led to.
package enum CompanionAnswer: Equatable, Sendable {
  /// The key can do nothing here; the bell rings.
  case refused
  /// There may be something new to see.
  case done
  /// The key is not the companion's and has its usual meaning.
  case passed
  /// A text takes the place of the line.
  case replaces(String)
  /// A text is run as if it had been typed; the line is there again afterwards.
  case runs(String)
}

/// What is shown around a line.
package struct LineSurroundings: Equatable, Sendable {
  /// Rows under the text and under a menu.
  package var below: [StyledRow] = []
  /// Rows at the right, the first of them beside the first row of the text.
  package var beside: [StyledRow] = []
  /// How many columns the rows at the right take, with the rule before them.
  package var besideColumns = 0

  package init() {}

  /// The narrowest line that a pane leaves beside it.
  package static let narrowestLine = 40
}

/// A row of text whose parts look different.
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
