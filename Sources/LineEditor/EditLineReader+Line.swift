import CLibEdit

extension EditLineReader {
  /// The text being edited, cut at the cursor.
  struct Line {
    var before: String
    var after: String

    var text: String { before + after }
  }

  /// The line as it stands.
  var line: Line {
    guard let info = el_wline(editLine)?.pointee,
      let buffer = info.buffer, let cursor = info.cursor, let end = info.lastchar
    else { return Line(before: "", after: "") }
    // While libedit reads the pattern of vi's `/`, the cursor is not within.
    let count = max(0, end - buffer)
    let place = min(max(0, cursor - buffer), count)
    return Line(
      before: String(wide: UnsafeBufferPointer(start: buffer, count: place)),
      after: String(wide: UnsafeBufferPointer(start: buffer + place, count: count - place)))
  }

  /// Puts `line` in the place of the whole line.
  func replaceLine(with line: Line) {
    let old = self.line
    moveCursor(by: old.after.unicodeScalars.count)
    deleteBackward(old.text)
    insert(line.text)
    moveCursor(by: -line.after.unicodeScalars.count)
  }

  /// Inserts `text` before the cursor.
  func insert(_ text: String) {
    guard !text.isEmpty else { return }
    _ = text.withWide { el_winsertstr(editLine, $0) }
  }

  /// Deletes `text`, which stands before the cursor.
  func deleteBackward(_ text: String) {
    el_deletestr(editLine, CInt(clamping: text.unicodeScalars.count))
  }

  /// Moves the cursor by a number of Unicode scalars, negative to the left.
  func moveCursor(by scalars: Int) {
    if scalars != 0 { _ = el_cursor(editLine, CInt(clamping: scalars)) }
  }
}
