import CLibEdit

/// A text divided at the cursor.
struct EditedLine {
  var before: String
  var after: String

  var text: String { before + after }
}

/// What the editor tells its tests about libedit.
package struct LineReports {
  /// Called when a command of libedit has left the cursor outside the text, before the cursor is
  /// put back.
  ///
  /// The numbers are the cursor's position, and the length of the text.
  package var moved: (_ cursor: Int, _ count: Int) -> Void = { _, _ in }

  /// Called when the line is used while the cursor is outside the text, which is a mistake of the
  /// editor.
  package var misused: (_ mistake: String) -> Void = { mistake in assertionFailure(mistake) }

  package init() {}
}

/// The text that libedit edits.
struct LineBuffer {
  private let editLine: OpaquePointer
  private let reports: LineReports
  private let last = Last()

  private final class Last {
    // The text that was read last; a key asks for it several times.
    var characters: [wchar_t] = []
    var place = 0
    var line = EditedLine(before: "", after: "")
    /// The number of characters for which libedit is known to have memory.
    var room = 0
  }

  /// The number of characters for which libedit has memory from the start.
  private static var leastRoom: Int { 1 << 15 }

  /// libedit's own memory of the text.
  private struct Memory {
    let start: UnsafePointer<wchar_t>
    /// The number of characters in the text.
    let count: Int
    /// The number of characters before the cursor; negative, or more than there are, if libedit
    /// has left the cursor outside the text.
    let cursor: Int

    var hasCursor: Bool { cursor >= 0 && cursor <= count }
  }

  init(_ editLine: OpaquePointer, reports: LineReports = LineReports()) {
    self.editLine = editLine
    self.reports = reports
    // The text is emptied before the first line.
    reserve(Self.leastRoom)
  }

  private var memory: Memory? {
    guard let info = el_wline(editLine)?.pointee,
      let start = info.buffer, let cursor = info.cursor, let end = info.lastchar
    else { return nil }
    return Memory(start: start, count: max(0, end - start), cursor: cursor - start)
  }

  /// Puts the cursor back into the text, if a command of libedit has left it outside.
  ///
  /// libedit's next command would write there, before or after its memory.
  func keepCursorInText() {
    guard let memory, !memory.hasCursor else { return }
    reports.moved(memory.cursor, memory.count)
    // libedit stops a movement at the end of the text. A movement of 0 is none.
    _ = el_cursor(editLine, memory.cursor < 0 ? 1 : -1)
    // libedit's next drawing of a single character depends on the place of the cursor.
    frc_el_refresh(editLine)
  }

  /// Keeps libedit's memory more than twice as long as the text.
  ///
  /// A command that deletes to the right reads as far beyond the end of the text as it deletes.
  /// Other commands insert at a place that they remember from before their memory moved.
  ///
  /// Only a command that has ended can have made the text longer, so none is interrupted here.
  func keepRoom() {
    let count = count
    guard last.room < 2 * count + 16 else { return }
    reserve(3 * count)
    el_deletestr(editLine, CInt(clamping: last.room - count))
    // In vi mode, `p` inserts what was deleted last.
    _ = " ".withWide { el_winsertstr(editLine, $0) }
    el_deletestr(editLine, 1)
  }

  /// Makes libedit's memory longer, by so many characters before the cursor as are missing.
  private func reserve(_ room: Int) {
    last.room = room
    _ = String(repeating: ".", count: room - count).withWide { el_winsertstr(editLine, $0) }
  }

  /// Reports a use of the line while the cursor is outside the text.
  private func requireCursorInText() {
    guard let memory, !memory.hasCursor else { return }
    reports.misused("the cursor is at \(memory.cursor) in a text of \(memory.count) characters")
    keepCursorInText()
  }

  /// The number of Unicode scalars in the text.
  var count: Int { memory?.count ?? 0 }

  /// The present text and cursor.
  var line: EditedLine {
    requireCursorInText()
    guard let memory, memory.hasCursor else { return EditedLine(before: "", after: "") }
    let (start, count, place) = (memory.start, memory.count, memory.cursor)
    if last.place == place, last.characters.count == count,
      wmemcmp(last.characters, start, count) == 0
    {
      return last.line
    }
    last.characters = Array(UnsafeBufferPointer(start: start, count: count))
    last.place = place
    last.line = EditedLine(
      before: String(wide: UnsafeBufferPointer(start: start, count: place)),
      after: String(wide: UnsafeBufferPointer(start: start + place, count: count - place)))
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
    requireCursorInText()
    _ = text.withWide { el_winsertstr(editLine, $0) }
  }

  /// Deletes `text`, which is directly before the cursor.
  func deleteBackward(_ text: String) {
    requireCursorInText()
    el_deletestr(editLine, CInt(clamping: text.unicodeScalars.count))
  }

  /// Moves the cursor by a number of Unicode scalars; a negative number moves it to the left.
  func moveCursor(by scalars: Int) {
    guard scalars != 0 else { return }
    requireCursorInText()
    _ = el_cursor(editLine, CInt(clamping: scalars))
  }
}
