/// Brings a terminal from one frame to the next.
///
/// libedit's own drawing counts scalars, not the cells of what a person sees:
/// it loses its place with accents, joined emoji, and wide characters at the
/// edge. So it draws into the void, and what it edits is drawn here.
///
/// The functions return what is to be written; nothing is written here.
struct LineDisplay {
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

  /// How many rows below the first one shown the cursor is.
  var cursorRow: Int { position.row }

  /// Draws `frame`.
  ///
  /// - Parameters:
  ///   - frame: What is to be seen.
  ///   - height: The number of rows of the terminal.
  /// - Returns: What is to be written.
  mutating func update(to frame: Frame, height: Int) -> String {
    if shown.isEmpty {
      // What is typed while a statement runs is shown by the system; it will
      // be shown as part of the line.
      output += "\r\u{1B}[J"
    }
    scroll(to: frame, height: height)
    let rows = Array(frame.rows[top..<(top + min(height, frame.rows.count - top))])
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
  ///   - mark: What is written behind the text.
  /// - Returns: What is to be written.
  mutating func finish(with frame: Frame, height: Int, mark: String = "") -> String {
    var result = ""
    if frame.rows.count > height {
      move(toRow: 0, column: 0)
      result = output + "\u{1B}[J"
      forget()
    }
    result += update(to: frame, height: max(height, frame.rows.count)) + mark
    // Behind a full row the cursor is where the next output begins already.
    let isBelow = frame.cursor.column == 0 && frame.rows.count > 1 && mark.isEmpty
    let wasWrapped = isBelow && frame.rows[frame.rows.count - 2].wraps
    forget()
    return result + (wasWrapped ? "" : "\r\n")
  }

  /// Erases what is shown, in a terminal that may have wrapped it anew.
  ///
  /// - Parameter rows: How many rows above the cursor the first one is.
  /// - Returns: What is to be written.
  mutating func erase(rowsAbove rows: Int) -> String {
    forget()
    return (rows > 0 ? "\u{1B}[\(rows)A" : "") + "\r\u{1B}[J"
  }

  /// Forgets what is shown; the next frame is drawn in the cursor's row.
  mutating func forget() {
    self = LineDisplay()
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
    for cell in cells[common...] { output += cell.text }
    let width = rows[index].width
    position = (index, width)
    isAtEdge = rows[index].wraps
    if let old, width < old.reduce(0, { $0 + $1.width }) { output += "\u{1B}[K" }
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
