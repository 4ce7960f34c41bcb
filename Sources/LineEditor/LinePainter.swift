package import Platform

/// Shows the line being edited: the one part of the editor that knows how a
/// terminal is written to.
///
/// The functions return what is to be written; nothing is written by them.
package protocol LinePainter {
  /// Shows a line in the place of the one shown.
  mutating func show(_ view: LineView, in size: TerminalSize) -> String

  /// Shows a line for the last time and goes to the row below it.
  ///
  /// - Parameters:
  ///   - view: The line, with the cursor at its end, no hint and no menu.
  ///   - size: The terminal's size.
  ///   - mark: What is written after the text.
  mutating func finish(_ view: LineView, in size: TerminalSize, mark: String) -> String

  /// Shows a line in a window that has got another size.
  mutating func showResized(_ view: LineView, in size: TerminalSize) -> String

  /// Clears the screen; the line will be shown in its first row.
  mutating func clearScreen() -> String

  /// Forgets what is shown; the line will be shown in the cursor's row.
  mutating func forget()
}
