/// Undoes and redoes changes of the line.
///
/// Characters that are typed in a row count as one change, up to the next word. So do characters
/// that are deleted in a row.
final class UndoKeys {
  /// The kind of change between two lines.
  private enum Change {
    case typing
    case deleting
    case other
  }

  private let buffer: LineBuffer
  private var current = EditedLine(before: "", after: "")
  private var past: [EditedLine] = []
  private var undone: [EditedLine] = []
  private var last = Change.other

  /// The largest number of bytes of older lines that are kept.
  private static let room = 4 << 20

  init(_ buffer: LineBuffer) { self.buffer = buffer }

  /// Starts another line.
  func begin() {
    current = EditedLine(before: "", after: "")
    past = []
    undone = []
    last = .other
  }

  /// Records what the last key has changed.
  ///
  /// - Parameter isAwaited: Whether the user is waiting. If a long text comes at once, not every
  ///   letter is recorded.
  func note(isAwaited: Bool = true) {
    guard isAwaited || buffer.count < 1000 else { return }
    let line = buffer.line
    guard line.text != current.text else {
      // Typing at another place is another change.
      if line.before.utf8.count != current.before.utf8.count { last = .other }
      current = line
      return
    }
    let change = Self.change(from: current, to: line)
    if change == .other || change != last || Self.beginsWord(current, line) { keep(current) }
    undone = []
    last = change
    current = line
  }

  /// Undoes the last change.
  func undo() -> KeyResult {
    note()
    guard let line = past.popLast() else { return .refused }
    undone.append(current)
    return show(line)
  }

  /// Redoes the change that was undone last.
  func redo() -> KeyResult {
    note()
    guard let line = undone.popLast() else { return .refused }
    past.append(current)
    return show(line)
  }

  private func show(_ line: EditedLine) -> KeyResult {
    buffer.replace(with: line)
    current = buffer.line
    last = .other
    return .done
  }

  private func keep(_ line: EditedLine) {
    past.append(line)
    var bytes = 0
    let kept = past.reversed().prefix { line in
      bytes += line.before.utf8.count + line.after.utf8.count + 64
      return bytes <= Self.room
    }
    past.removeFirst(past.count - max(1, kept.count))
  }

  private static func change(from old: EditedLine, to new: EditedLine) -> Change {
    guard old.after == new.after else { return .other }
    let growth = new.before.utf8.count - old.before.utf8.count
    // A completion adds several characters at once.
    if growth > 0, new.before.utf8.starts(with: old.before.utf8),
      String(decoding: new.before.utf8.suffix(growth), as: UTF8.self).count == 1
    {
      return new.before.last?.isNewline == true ? .other : .typing
    }
    return -8...(-1) ~= growth && old.before.utf8.starts(with: new.before.utf8)
      ? .deleting : .other
  }

  /// Whether the typed character is the first letter after a blank.
  private static func beginsWord(_ old: EditedLine, _ new: EditedLine) -> Bool {
    guard let letter = new.before.last, let before = old.before.last else { return false }
    return before.isWhitespace && !letter.isWhitespace
  }
}
