import CLibEdit
import Platform

/// The terminal's screen, on which the line is shown.
final class LineScreen {
  private var painter: any LinePainter
  private(set) var size = TerminalSize(columns: 80, rows: 24)
  /// Discards what libedit draws, except that it notices the bell.
  private let drawing: DiscardedOutput

  /// The text that is written when the program is stopped in the middle of a line.
  static let farewell = "\u{1B}[0m\u{1B}[?2004l\r\n\u{1B}[J"

  init(_ painter: any LinePainter, drawing: DiscardedOutput) {
    self.painter = painter
    self.drawing = drawing
  }

  /// Draws the line, and rings the bell if libedit rang it.
  func show(_ view: LineView) {
    let bell = drawing.takeBell() ? "\u{7}" : ""
    write(painter.show(view, in: size) + bell)
  }

  /// Draws the line, and leaves the bell for the next time.
  func showSilently(_ view: LineView) { write(painter.show(view, in: size)) }

  /// Draws the line for the last time and moves below it.
  ///
  /// - Parameters:
  ///   - view: The line, with the cursor at its end.
  ///   - mark: A text to write after it.
  func finish(_ view: LineView, mark: String) {
    _ = drawing.takeBell()
    write(painter.finish(view, in: size, mark: mark))
  }

  /// Draws the line for the window's new size.
  func showResized(_ view: LineView) {
    measure()
    write(painter.showResized(view, in: size))
  }

  func clear() { write(painter.clearScreen()) }

  /// Forgets what was drawn; the line is then drawn at the cursor.
  func forget() { painter.forget() }

  /// Asks the terminal for its size.
  func measure() { size = TerminalSize(of: .standardOutput) ?? size }

  /// Makes the terminal mark pasted text, or not.
  func markPastes(_ areMarked: Bool) { write(areMarked ? "\u{1B}[?2004h" : "\u{1B}[?2004l") }

  private func write(_ text: String) {
    frc_write_text(text)
  }
}
