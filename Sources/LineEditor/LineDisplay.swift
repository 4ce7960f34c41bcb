import CLibEdit
package import Platform

/// A painter that changes a terminal from one frame to the next.
///
/// libedit's own drawing counts scalars, not the columns that a person sees. It goes wrong with
/// accents, joined emoji, and wide characters at the edge. So its drawing is discarded, and the
/// line is drawn here.
///
/// The functions return the text to write; they write nothing themselves.
package struct LineDisplay: LinePainter {
  /// The rows on the terminal, from the first visible one of the frame.
  private var shown: [Frame.Row] = []

  /// The terminal cursor's row and column, counted from the first visible row.
  private var position = (row: 0, column: 0)

  /// Whether the last row has just been filled to its last cell, so that the terminal wraps only at
  /// the next character.
  private var isAtEdge = false

  /// The index of the first visible row of the frame.
  ///
  /// It is 0 unless the text is higher than the terminal.
  private var top = 0

  private var output = ""

  /// The style that the terminal has set now.
  private var style = TextStyle.plain

  /// Whether the terminal wraps the rows on its screen again when its width changes.
  private let reflows: Bool

  /// Creates a painter that has drawn nothing yet.
  ///
  /// - Parameter reflows: Whether the terminal is known to wrap the rows on its screen again when
  ///   its width changes.
  package init(reflows: Bool = false) { self.reflows = reflows }

  package mutating func show(_ view: LineView, in size: TerminalSize) -> String {
    update(to: Frame(view, columns: size.columns), height: size.rows)
  }

  package mutating func finish(
    _ view: LineView, in size: TerminalSize, mark: String
  ) -> String {
    finish(with: Frame(view, columns: size.columns), height: size.rows, mark: mark)
  }

  /// Draws a line in a window of another size.
  ///
  /// Most terminals wrap their rows again, some do not. If this is unknown, the smaller number of
  /// rows is erased, so that nothing above the line is lost.
  package mutating func showResized(_ view: LineView, in size: TerminalSize) -> String {
    let frame = Frame(view, columns: size.columns)
    let rows =
      reflows ? rowsAbove(wrappedAt: size.columns) : min(position.row, frame.cursor.row)
    forget()
    // Rows are erased one by one: some terminals save a screen that is erased at once, and restore
    // it when they get wider.
    return "\r\u{1B}[K" + String(repeating: "\u{1B}[A\u{1B}[K", count: rows)
      + update(to: frame, height: size.rows)
  }

  package mutating func clearScreen() -> String {
    forget()
    return "\u{1B}[H\u{1B}[2J"
  }

  package mutating func forget() {
    self = LineDisplay(reflows: reflows)
  }

  /// Returns how many rows are between the first visible row and the cursor, after the terminal has
  /// wrapped them at another width.
  private func rowsAbove(wrappedAt columns: Int) -> Int {
    var above = 0
    // The cells of rows that the terminal treats as one line.
    var cells = 0
    for row in shown.prefix(position.row) {
      cells += row.width
      if !row.wraps {
        above += max(1, (cells + columns - 1) / columns)
        cells = 0
      }
    }
    return above + (cells + position.column) / columns
  }

  /// Draws `frame`.
  ///
  /// - Parameters:
  ///   - frame: The frame to draw.
  ///   - height: The number of rows of the terminal.
  /// - Returns: The text to write.
  private mutating func update(to frame: Frame, height: Int) -> String {
    if shown.isEmpty {
      // The system shows what is typed while a statement runs. It is erased here and drawn as part
      // of the line.
      output += "\r\u{1B}[J"
    }
    // The menu leaves at least the cursor's row.
    let menu = frame.menu.prefix(height - 1)
    let textHeight = height - menu.count
    scroll(to: frame, height: textHeight)
    let rows = Array(frame.rows[top..<(top + min(textHeight, frame.rows.count - top))] + menu)
    for index in rows.indices { draw(index, of: rows) }
    if shown.count > rows.count {
      move(toRow: rows.count, column: 0)
      output += "\u{1B}[J"
    }
    shown = rows
    move(toRow: frame.cursor.row - top, column: frame.cursor.column)
    defer { output = "" }
    return output
  }

  /// Draws `frame` for the last time and moves to the row below it.
  ///
  /// If the text is higher than the terminal, all its rows are written, so that the user can scroll
  /// back to them.
  ///
  /// - Parameters:
  ///   - frame: A frame with the cursor at its end.
  ///   - height: The number of rows of the terminal.
  ///   - mark: A text to write after it.
  /// - Returns: The text to write.
  private mutating func finish(with frame: Frame, height: Int, mark: String) -> String {
    var result = ""
    if frame.rows.count > height {
      move(toRow: 0, column: 0)
      result = output + "\u{1B}[J"
      forget()
    }
    result += update(to: frame, height: max(height, frame.rows.count)) + mark
    // After a full row, the cursor is already where the next output begins.
    let isBelow = frame.cursor.column == 0 && frame.rows.count > 1 && mark.isEmpty
    let wasWrapped = isBelow && frame.rows[frame.rows.count - 2].wraps
    forget()
    return result + (wasWrapped ? "" : "\r\n")
  }

  private mutating func scroll(to frame: Frame, height: Int) {
    if frame.rows.count <= height { top = 0 }
    top = min(top, frame.cursor.row)
    top = max(top, frame.cursor.row - height + 1)
  }

  /// Draws the changed part of a row.
  private mutating func draw(_ index: Int, of rows: [Frame.Row]) {
    let cells = rows[index].cells
    let old = index < shown.count ? shown[index].cells : nil
    if cells == old { return }
    let common = zip(cells, old ?? []).prefix { $0 == $1 }.count
    if common == 0, isAtEdge, position.row == index - 1 {
      // The terminal wraps to this row by itself, and so treats both rows as one line. If nothing
      // is drawn here, a blank makes it wrap.
      if cells.isEmpty { output += " \r" }
    } else {
      move(toRow: index, column: cells[..<common].reduce(0) { $0 + $1.width })
    }
    for cell in cells[common...] {
      use(cell.style)
      output += cell.text
    }
    use(.plain)
    let width = rows[index].width
    position = (index, width)
    isAtEdge = rows[index].wraps
    if let old, width < old.reduce(0, { $0 + $1.width }) { output += "\u{1B}[K" }
  }

  /// Switches to a style.
  private mutating func use(_ next: TextStyle) {
    guard next != style else { return }
    // A style that a prompt's own sequences have set is kept.
    if !style.isPlain { output += "\u{1B}[0m" }
    if !next.isPlain { output += "\u{1B}[\(next.parameters)m" }
    style = next
  }

  private mutating func move(toRow row: Int, column: Int) {
    if !isAtEdge, position == (row, column) { return }
    if row < position.row { output += "\u{1B}[\(position.row - row)A" }
    output += "\r" + String(repeating: "\n", count: max(0, row - position.row))
    if column > 0 { output += "\u{1B}[\(column)C" }
    position = (row, column)
    isAtEdge = false
  }
}

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

/// All that a person sees of the line being edited.
///
/// A `LinePainter` draws it on a terminal.
package struct LineView {
  /// The text before the cursor.
  package var before: String
  /// The text after the cursor.
  package var after: String
  /// The prompt before the first line.
  package var prompt = Prompt("")
  /// The prompt before each further line.
  package var continuationPrompt = Prompt("")
  /// The styles of the text's parts, in order.
  ///
  /// Text outside all spans is plain.
  package var spans: [StyledSpan] = []
  /// The hint that is shown dimly after the text, on its last line.
  package var hint = ""
  /// The rows under the text.
  package var menu: [MenuRow] = []
  /// What is shown around the text.
  package var surroundings = LineSurroundings()
  /// The styles of the hint and the menu.
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
