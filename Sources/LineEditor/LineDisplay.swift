package import Platform

/// Brings a terminal from one frame to the next.
///
/// libedit's own drawing counts scalars, not the cells of what a person sees:
/// it loses its place with accents, joined emoji, and wide characters at the
/// edge. So it draws into the void, and what it edits is drawn here.
///
/// The functions return what is to be written; nothing is written here.
package struct LineDisplay: LinePainter {
  /// The rows on the terminal, from the first one of ours that is seen.
  private var shown: [Frame.Row] = []

  /// Where the cursor of the terminal is, counted from the first row shown.
  private var position = (row: 0, column: 0)

  /// Whether a row was filled to its last cell just now, so that the terminal
  /// begins the next row with the next character.
  private var isAtEdge = false

  /// The first row of the frame that is seen; others than 0 for a text higher
  /// than the terminal.
  private var top = 0

  private var output = ""

  /// The style in which the terminal writes now.
  private var style = TextStyle.plain

  /// Whether the terminal wraps the rows on its screen again when its width changes.
  private let reflows: Bool

  /// Creates a painter that has shown nothing yet.
  ///
  /// - Parameter reflows: Whether the terminal is known to wrap the rows on its screen
  ///   again when its width changes.
  package init(reflows: Bool = false) { self.reflows = reflows }

  package mutating func show(_ view: LineView, in size: TerminalSize) -> String {
    update(to: Frame(view, columns: size.columns), height: size.rows)
  }

  package mutating func finish(
    _ view: LineView, in size: TerminalSize, mark: String
  ) -> String {
    finish(with: Frame(view, columns: size.columns), height: size.rows, mark: mark)
  }

  /// Shows a line in a window of another size.
  ///
  /// Most terminals wrap their rows again, some do not. Where that is not known, the
  /// smaller number of rows is taken back, so that nothing above the line is ever
  /// erased.
  package mutating func showResized(_ view: LineView, in size: TerminalSize) -> String {
    let frame = Frame(view, columns: size.columns)
    let rows =
      reflows ? rowsAbove(wrappedAt: size.columns) : min(position.row, frame.cursor.row)
    forget()
    // Row by row: some terminals keep a whole screen that is erased at once, and bring
    // it back when they get wider.
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

  /// How many rows are between the first one of ours and the cursor when the terminal
  /// has wrapped them at another width.
  private func rowsAbove(wrappedAt columns: Int) -> Int {
    var above = 0
    // The cells of rows that the terminal knows for one line.
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
  ///   - frame: What is to be seen.
  ///   - height: The number of rows of the terminal.
  /// - Returns: What is to be written.
  private mutating func update(to frame: Frame, height: Int) -> String {
    if shown.isEmpty {
      // What is typed while a statement runs is shown by the system; it will
      // be shown as part of the line.
      output += "\r\u{1B}[J"
    }
    // A menu leaves the row of the cursor at least.
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

  /// Draws `frame` for the last time and goes to the row below it.
  ///
  /// Of a text higher than the terminal all rows are written, so that they can
  /// be scrolled back to.
  ///
  /// - Parameters:
  ///   - frame: A frame with the cursor at its end.
  ///   - height: The number of rows of the terminal.
  ///   - mark: What is written after the text.
  /// - Returns: What is to be written.
  private mutating func finish(with frame: Frame, height: Int, mark: String) -> String {
    var result = ""
    if frame.rows.count > height {
      move(toRow: 0, column: 0)
      result = output + "\u{1B}[J"
      forget()
    }
    result += update(to: frame, height: max(height, frame.rows.count)) + mark
    // After a full row the cursor is where the next output begins already.
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

  /// Draws what has changed in a row.
  private mutating func draw(_ index: Int, of rows: [Frame.Row]) {
    let cells = rows[index].cells
    let old = index < shown.count ? shown[index].cells : nil
    if cells == old { return }
    let common = zip(cells, old ?? []).prefix { $0 == $1 }.count
    if common == 0, isAtEdge, position.row == index - 1 {
      // The terminal goes to this row by itself, and so knows both for one
      // line; where nothing else makes it do so, a blank does.
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

  /// Writes in a style from now on.
  private mutating func use(_ next: TextStyle) {
    guard next != style else { return }
    // What a prompt's own sequences have set is left alone.
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
