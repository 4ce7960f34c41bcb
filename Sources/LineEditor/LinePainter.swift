package import Platform

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
