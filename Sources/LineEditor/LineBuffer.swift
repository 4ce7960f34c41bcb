import CLibEdit

/// A text divided at the cursor.
struct EditedLine {
  var before: String
  var after: String

  var text: String { before + after }
}

/// The text that libedit edits.
struct LineBuffer {
  private let editLine: OpaquePointer
  private let last = Last()

  /// The text that was read last; a key asks for it several times.
  private final class Last {
    var characters: [wchar_t] = []
    var place = 0
    var line = EditedLine(before: "", after: "")
  }

  init(_ editLine: OpaquePointer) { self.editLine = editLine }

  /// The number of Unicode scalars in the text.
  var count: Int {
    guard let info = el_wline(editLine)?.pointee, let buffer = info.buffer,
      let end = info.lastchar
    else { return 0 }
    return max(0, end - buffer)
  }

  /// The present text and cursor.
  var line: EditedLine {
    guard let info = el_wline(editLine)?.pointee,
      let buffer = info.buffer, let cursor = info.cursor, let end = info.lastchar
    else { return EditedLine(before: "", after: "") }
    // While libedit reads the pattern of vi's `/`, the cursor is outside the text.
    let count = max(0, end - buffer)
    let place = min(max(0, cursor - buffer), count)
    if last.place == place, last.characters.count == count,
      wmemcmp(last.characters, buffer, count) == 0
    {
      return last.line
    }
    last.characters = Array(UnsafeBufferPointer(start: buffer, count: count))
    last.place = place
    last.line = EditedLine(
      before: String(wide: UnsafeBufferPointer(start: buffer, count: place)),
      after: String(wide: UnsafeBufferPointer(start: buffer + place, count: count - place)))
    return last.line
  }

  /// Replaces the whole text by `line`.
  func replace(with line: EditedLine) {
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

  /// Deletes `text`, which is directly before the cursor.
  func deleteBackward(_ text: String) {
    el_deletestr(editLine, CInt(clamping: text.unicodeScalars.count))
  }

  /// Moves the cursor by a number of Unicode scalars; a negative number moves it to the left.
  func moveCursor(by scalars: Int) {
    if scalars != 0 { _ = el_cursor(editLine, CInt(clamping: scalars)) }
  }
}
