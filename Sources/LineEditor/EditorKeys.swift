/// A key, or several keys with the same effect, and that effect.
///
/// This is the only list of keys: the editor binds its entries, and the help and the documentation
/// show them.
package struct EditorKey: Sendable {
  typealias Function = @convention(c) (OpaquePointer?, CInt) -> UInt8

  /// The names of the keys for people.
  package let keys: String
  /// The effect, in a sentence without a full stop.
  package let help: String
  package let group: Group

  /// The function's name in libedit.
  let function: String
  /// The sequences that terminals send, in libedit's notation.
  let sequences: [String]
  /// The action; nil if libedit has the function.
  let action: Function?
  /// Whether `~/.editrc` may bind the key to something else.
  let canBeChanged: Bool

  package enum Group: String, CaseIterable, Sendable {
    case entry = "Entry"
    case moving = "Moving"
    case changing = "Changing"
    case history = "History"
    case completion = "Completion"
    case session = "Session"
  }

  init(
    _ keys: String, _ help: String, in group: Group, _ function: String, _ sequences: [String],
    canBeChanged: Bool = true, action: Function? = nil
  ) {
    self.keys = keys
    self.help = help
    self.group = group
    self.function = function
    self.sequences = sequences
    self.canBeChanged = canBeChanged
    self.action = action
  }

  /// All keys of the editor.
  ///
  /// Other keys of libedit are unchanged.
  package static let all: [EditorKey] =
    entering + moving + changing + history + completing + session
}

extension EditorKey {
  private static let entering: [EditorKey] = [
    EditorKey(
      "Enter", "runs the statement if it is complete, otherwise starts a new line", in: .entry,
      "enter", ["^J", "^M"], canBeChanged: false
    ) { editLine, _ in EditLineReader.call(editLine) { $0.enter() } },
    EditorKey(
      "Alt-Enter", "starts a new line", in: .entry, "break-line", ["\\e^J", "\\e^M"]
    ) { editLine, _ in EditLineReader.call(editLine) { $0.text.breakLine() } },
    EditorKey(
      "Shift-Enter", "starts a new line, if the terminal can tell it from Enter", in: .entry,
      "break-line", ["\\e[13;2u", "\\e[27;2;13~"]
    ) { editLine, _ in EditLineReader.call(editLine) { $0.text.breakLine() } },
    EditorKey(
      "}  ]  )", "at the start of a line, aligns it with the start of the block", in: .entry,
      "close-block", ["}", "]", ")"]
    ) { editLine, key in
      EditLineReader.call(editLine) { $0.text.closeBlock(Unicode.Scalar(UInt32(key)) ?? "}") }
    },
  ]

  private static let moving: [EditorKey] = [
    EditorKey(
      "Left, Ctrl-B", "moves left", in: .moving, "move-left", ["\\e[D", "\\eOD", "^B"]
    ) { editLine, _ in EditLineReader.call(editLine) { $0.text.moveLeft() } },
    EditorKey(
      "Right, Ctrl-F", "moves right; at the end, accepts the hint", in: .moving, "move-right",
      ["\\e[C", "\\eOC", "^F"]
    ) { editLine, _ in EditLineReader.call(editLine) { $0.text.moveRight() } },
    EditorKey(
      "Ctrl-Left, Alt-B", "moves back by a word", in: .moving, "move-word-left",
      ["\\e[1;5D", "\\e[1;3D", "\\eOd", "\\eb"]
    ) { editLine, _ in EditLineReader.call(editLine) { $0.words.moveWordLeft() } },
    EditorKey(
      "Ctrl-Right, Alt-F", "moves forward by a word; at the end, accepts a word of the hint",
      in: .moving,
      "move-word-right", ["\\e[1;5C", "\\e[1;3C", "\\eOc", "\\ef"]
    ) { editLine, _ in EditLineReader.call(editLine) { $0.words.moveWordRight() } },
    EditorKey(
      "Home, Ctrl-A", "moves to the start of the line", in: .moving, "move-to-line-start",
      ["^A", "\\e[H", "\\eOH", "\\e[1~", "\\e[7~"]
    ) { editLine, _ in EditLineReader.call(editLine) { $0.words.moveToLineStart() } },
    EditorKey(
      "End, Ctrl-E", "moves to the end of the line; at the end, accepts the hint", in: .moving,
      "move-to-line-end", ["^E", "\\e[F", "\\eOF", "\\e[4~", "\\e[8~"]
    ) { editLine, _ in EditLineReader.call(editLine) { $0.words.moveToLineEnd() } },
    EditorKey(
      "Alt-<", "moves to the start of the statement", in: .moving, "ed-move-to-beg", ["\\e<"]),
    EditorKey(
      "Alt->", "moves to the end of the statement", in: .moving, "ed-move-to-end", ["\\e>"]),
  ]

  private static let changing: [EditorKey] = [
    EditorKey(
      "Backspace, Ctrl-H", "deletes to the left", in: .changing, "delete-left", ["^H", "^?"]
    ) { editLine, _ in EditLineReader.call(editLine) { $0.text.deleteLeft() } },
    EditorKey(
      "Delete", "deletes to the right", in: .changing, "delete-right", ["\\e[3~"]
    ) { editLine, _ in EditLineReader.call(editLine) { $0.text.deleteRight() } },
    EditorKey(
      "Ctrl-K", "deletes up to the end of the line", in: .changing, "kill-to-line-end", ["^K"]
    ) { editLine, _ in EditLineReader.call(editLine) { $0.words.killToLineEnd() } },
    EditorKey(
      "Ctrl-U", "deletes back to the start of the line", in: .changing, "kill-to-line-start",
      ["^U"]
    ) { editLine, _ in EditLineReader.call(editLine) { $0.words.killToLineStart() } },
    EditorKey(
      "Ctrl-W", "deletes back to a blank", in: .changing, "kill-blank-word", ["^W"]
    ) { editLine, _ in EditLineReader.call(editLine) { $0.words.killBlankWord() } },
    EditorKey(
      "Alt-Backspace", "deletes back to the start of a word", in: .changing, "kill-word-left",
      ["\\e^H", "\\e^?"]
    ) { editLine, _ in EditLineReader.call(editLine) { $0.words.killWordLeft() } },
    EditorKey(
      "Alt-D", "deletes up to the end of a word", in: .changing, "kill-word-right", ["\\ed"]
    ) { editLine, _ in EditLineReader.call(editLine) { $0.words.killWordRight() } },
    EditorKey(
      "Ctrl-Delete", "deletes up to the end of a word", in: .changing, "kill-word-right",
      ["\\e[3;5~"]
    ) { editLine, _ in EditLineReader.call(editLine) { $0.words.killWordRight() } },
    EditorKey(
      "Ctrl-Y", "inserts the text that these keys deleted last", in: .changing, "yank", ["^Y"]
    ) { editLine, _ in EditLineReader.call(editLine) { $0.words.yank() } },
    EditorKey(
      "Ctrl-T", "swaps the two characters before the cursor", in: .changing, "swap-characters",
      ["^T"]
    ) { editLine, _ in EditLineReader.call(editLine) { $0.text.swapCharacters() } },
    EditorKey(
      "Ctrl-V", "inserts the next character as it is, such as a Tab", in: .changing, "quote-next",
      ["^V", "^Q"], canBeChanged: false
    ) { editLine, _ in EditLineReader.call(editLine) { $0.text.quoteNext() } },
    EditorKey(
      "Ctrl-_", "undoes the last change, a word at a time; so does Ctrl-X Ctrl-U",
      in: .changing,
      "undo-change", ["^_"]
    ) { editLine, _ in EditLineReader.call(editLine) { $0.undo.undo() } },
    EditorKey(
      "Alt-/", "redoes the change that was undone", in: .changing, "redo-change", ["\\e/"]
    ) { editLine, _ in EditLineReader.call(editLine) { $0.undo.redo() } },
    EditorKey(
      "Ctrl-X Ctrl-E", "opens the entry in $VISUAL or $EDITOR", in: .changing, "edit-draft", []
    ) { editLine, _ in EditLineReader.call(editLine) { $0.editDraft() } },
    EditorKey(
      "Paste", "inserts the whole text at once, without prompts and #> lines", in: .changing, "", []
    ),
  ]

  private static let history: [EditorKey] = [
    EditorKey(
      "Up", "moves up a line, then to older entries that begin like this one", in: .history,
      "up-line-or-history", ["\\e[A", "\\eOA"]
    ) { editLine, _ in EditLineReader.call(editLine) { $0.entries.moveUp() } },
    EditorKey(
      "Down", "moves down a line, then to newer entries", in: .history,
      "down-line-or-history", ["\\e[B", "\\eOB"]
    ) { editLine, _ in EditLineReader.call(editLine) { $0.entries.moveDown() } },
    EditorKey(
      "Ctrl-P, Alt-P", "takes an older entry", in: .history, "older-entry", ["^P", "\\ep"]
    ) { editLine, _ in EditLineReader.call(editLine) { $0.entries.recallEntry(.older) } },
    EditorKey(
      "Ctrl-N, Alt-N", "takes a newer entry", in: .history, "newer-entry", ["^N", "\\en"]
    ) { editLine, _ in EditLineReader.call(editLine) { $0.entries.recallEntry(.newer) } },
    EditorKey(
      "Ctrl-R", "searches the history; Up and Down go from match to match, Ctrl-G cancels",
      in: .history, "search-history", ["^R"], canBeChanged: false
    ) { editLine, _ in EditLineReader.call(editLine) { $0.search.begin() } },
  ]

  private static let completing: [EditorKey] = [
    EditorKey(
      "Tab", "completes, and lists what can come here; again: chooses the next one",
      in: .completion,
      "complete-text", ["^I"], canBeChanged: false
    ) { editLine, _ in EditLineReader.call(editLine) { $0.completion.complete() } },
    EditorKey(
      "Shift-Tab", "chooses the previous one", in: .completion, "complete-backward", ["\\e[Z"]
    ) { editLine, _ in EditLineReader.call(editLine) { $0.completion.completeBackward() } },
    EditorKey(
      "Ctrl-G, Escape", "closes the list", in: .completion, "cancel", ["^G"]
    ) { editLine, _ in EditLineReader.call(editLine) { $0.completion.cancel() } },
  ]

  private static let session: [EditorKey] = [
    EditorKey(
      "Ctrl-O", "opens the timeline; Left and Right move, Enter goes there, Esc leaves",
      in: .session, "open-timeline", ["^O"]
    ) { editLine, _ in EditLineReader.call(editLine) { $0.press(.timeline) } },
    EditorKey(
      "Alt-E", "explains each callback of the last turn below the line; again: closes it",
      in: .session, "explain-turn", ["\\ee", "\\eE"]
    ) { editLine, _ in EditLineReader.call(editLine) { $0.press(.explanation) } },
    EditorKey(
      "Alt-C", "puts the corrected statement of the last error on the line", in: .session,
      "correct-entry", ["\\ec", "\\eC"]
    ) { editLine, _ in EditLineReader.call(editLine) { $0.press(.correction) } },
    EditorKey(
      "Ctrl-L", "clears the screen", in: .session, "clear-screen", ["^L"], canBeChanged: false
    ) { editLine, _ in EditLineReader.call(editLine) { $0.clearScreen() } },
    EditorKey(
      "Ctrl-C",
      "drops the entry; stops a running statement and undoes it; twice, leaves",
      in: .session, "", []),
    EditorKey(
      "Ctrl-D", "deletes to the right; on an empty line, leaves", in: .session,
      "delete-right-or-leave", ["^D"]
    ) { editLine, _ in EditLineReader.call(editLine) { $0.deleteRightOrLeave() } },
    EditorKey("Ctrl-Z", "suspends the program; fg continues it", in: .session, "", []),
  ]
}

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
