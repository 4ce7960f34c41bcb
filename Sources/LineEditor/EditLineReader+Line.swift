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
    return Line(
      before: String(wide: UnsafeBufferPointer(start: buffer, count: cursor - buffer)),
      after: String(wide: UnsafeBufferPointer(start: cursor, count: end - cursor)))
  }

  /// Puts `text` in the place of the whole line, the cursor behind `before`.
  func replaceLine(with line: Line) {
    moveCursor(by: self.line.after.unicodeScalars.count)
    el_deletestr(editLine, CInt(clamping: self.line.before.unicodeScalars.count))
    insert(line.text)
    moveCursor(by: -line.after.unicodeScalars.count)
  }

  /// Inserts `text` before the cursor.
  func insert(_ text: String) {
    guard !text.isEmpty else { return }
    _ = text.withWide { el_winsertstr(editLine, $0) }
  }

  /// Deletes `text`, which stands before the cursor.
  func deleteBackward(_ text: some StringProtocol) {
    el_deletestr(editLine, CInt(clamping: text.unicodeScalars.count))
  }

  /// Moves the cursor by a number of Unicode scalars, negative to the left.
  func moveCursor(by scalars: Int) {
    if scalars != 0 { _ = el_cursor(editLine, CInt(clamping: scalars)) }
  }

  /// Moves the cursor behind the text.
  func moveCursorToEnd() {
    moveCursor(by: line.after.unicodeScalars.count)
  }
}
