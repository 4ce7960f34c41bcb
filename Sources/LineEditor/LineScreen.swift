import CLibEdit
import Platform

/// The terminal's screen, on which the line is shown.
final class LineScreen {
  private var painter: any LinePainter
  private(set) var size = TerminalSize(columns: 80, rows: 24)
  /// What libedit draws, which nobody sees; its bell is heard.
  private let drawing: DiscardedOutput

  /// What is written where the program is stopped in the midst of a line.
  static let farewell = "\u{1B}[0m\u{1B}[?2004l\r\n\u{1B}[J"

  init(_ painter: any LinePainter, drawing: DiscardedOutput) {
    self.painter = painter
    self.drawing = drawing
  }

  /// Shows the line, and rings the bell if libedit rang it.
  func show(_ view: LineView) {
    let bell = drawing.takeBell() ? "\u{7}" : ""
    write(painter.show(view, in: size) + bell)
  }

  /// Shows the line, and leaves the bell for the next time.
  func showSilently(_ view: LineView) { write(painter.show(view, in: size)) }

  /// Shows the line for the last time and goes below it.
  ///
  /// - Parameters:
  ///   - view: The line, with the cursor at its end.
  ///   - mark: What is written after the text.
  func finish(_ view: LineView, mark: String) {
    _ = drawing.takeBell()
    write(painter.finish(view, in: size, mark: mark))
  }

  /// Shows the line for the window's new size.
  func showResized(_ view: LineView) {
    measure()
    write(painter.showResized(view, in: size))
  }

  func clear() { write(painter.clearScreen()) }

  /// Forgets what is shown; the line will be shown where the cursor is then.
  func forget() { painter.forget() }

  /// Asks the terminal for its size.
  func measure() { size = TerminalSize(of: .standardOutput) ?? size }

  /// Asks the terminal to mark what is pasted, or not to.
  func markPastes(_ areMarked: Bool) { write(areMarked ? "\u{1B}[?2004h" : "\u{1B}[?2004l") }

  private func write(_ text: String) {
    frc_write_text(text)
  }
}
