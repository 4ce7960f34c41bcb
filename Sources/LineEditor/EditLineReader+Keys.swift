import CLibEdit
import Glibc

extension EditLineReader {
  private typealias KeyFunction = @convention(c) (OpaquePointer?, CInt) -> UInt8

  /// Gives the keys their functions, the user's wishes in the midst.
  func bindKeys() {
    frc_el_set_string(editLine, EL_EDITOR, "emacs")
    addFunctions()
    bindEditing()
    // May choose vi's keys, which undoes all bindings before it.
    el_source(editLine, nil)
    hasViKeys = frc_el_editor(editLine).map { String(cString: $0) } == "vi"
    bindEssentials()
  }

  private func addFunctions() {
    add("drop-line", "Drop the line") { editLine, _ in
      EditLineReader.call(editLine) { $0.dropLine() }
    }
    add("run-deferred", "Go on with a key's work") { editLine, _ in
      EditLineReader.call(editLine) { $0.runDeferred() }
    }
    add("insert-paste", "Insert what is pasted") { editLine, _ in
      EditLineReader.call(editLine) { $0.insertPaste() }
    }
    add("complete-text", "Complete the text") { editLine, _ in
      EditLineReader.call(editLine) { $0.complete() }
    }
    add("move-left", "Move left") { editLine, _ in
      EditLineReader.call(editLine) { $0.moveLeft() }
    }
    add("move-right", "Move right") { editLine, _ in
      EditLineReader.call(editLine) { $0.moveRight() }
    }
    add("delete-left", "Delete to the left") { editLine, _ in
      EditLineReader.call(editLine) { $0.deleteLeft() }
    }
    add("delete-right", "Delete to the right") { editLine, _ in
      EditLineReader.call(editLine) { $0.deleteRight() }
    }
    add("delete-right-or-leave", "Delete to the right, or leave") { editLine, _ in
      EditLineReader.call(editLine) { $0.deleteRightOrLeave() }
    }
    add("break-line", "Break the line") { editLine, _ in
      EditLineReader.call(editLine) { $0.breakLine() }
    }
    add("up-line-or-history", "Move up, or to an older entry") { editLine, _ in
      EditLineReader.call(editLine) { $0.moveUp() }
    }
    add("down-line-or-history", "Move down, or to a newer entry") { editLine, _ in
      EditLineReader.call(editLine) { $0.moveDown() }
    }
    add("older-entry", "Take an older entry") { editLine, _ in
      EditLineReader.call(editLine) { $0.recallEntry(.older) }
    }
    add("newer-entry", "Take a newer entry") { editLine, _ in
      EditLineReader.call(editLine) { $0.recallEntry(.newer) }
    }
    add("search-history", "Search the history") { editLine, _ in
      EditLineReader.call(editLine) { $0.beginSearch() }
    }
  }

  private func bindEditing() {
    bind(["\\e[A", "\\eOA"], to: "up-line-or-history")
    bind(["\\e[B", "\\eOB"], to: "down-line-or-history")
    bind(["^P", "\\ep"], to: "older-entry")
    bind(["^N", "\\en"], to: "newer-entry")
    bind(["\\e[1;5D", "\\e[1;3D"], to: "ed-prev-word")
    bind(["\\e[1;5C", "\\e[1;3C"], to: "em-next-word")
    bind(["\\e[H", "\\eOH", "\\e[1~", "\\e[7~"], to: "ed-move-to-beg")
    bind(["\\e[F", "\\eOF", "\\e[4~", "\\e[8~"], to: "ed-move-to-end")
    bind(["\\e[D", "\\eOD", "^B"], to: "move-left")
    bind(["\\e[C", "\\eOC", "^F"], to: "move-right")
    bind(["^H", "^?"], to: "delete-left")
    bind(["\\e[3~"], to: "delete-right")
    bind(["^D"], to: "delete-right-or-leave")
    bind(["\\e^J", "\\e^M"], to: "break-line")
  }

  private func bindEssentials() {
    bind(["^R"], to: "search-history")
    // With vi's keys Escape is a key of its own; see `viEscape()`.
    if !hasViKeys { bind(["\\e[200~"], to: "insert-paste") }
    if completions != nil { bind(["^I"], to: "complete-text") }
    for (key, function) in [("^C", "drop-line"), ("^^", "run-deferred")] {
      frc_el_bind(editLine, key, function)
      frc_el_bind_alternative(editLine, key, function)
    }
  }

  private func add(_ name: String, _ help: String, _ function: KeyFunction) {
    frc_el_add_function(editLine, name, help, function)
  }

  private func bind(_ keys: [String], to function: String) {
    for key in keys { frc_el_bind(editLine, key, function) }
  }

  private static func call(
    _ editLine: OpaquePointer?, _ function: (EditLineReader) -> KeyResult
  ) -> UInt8 {
    of(editLine).map { function($0).code } ?? KeyResult.refused.code
  }
}

// MARK: - The functions

extension EditLineReader {
  private func dropLine() -> KeyResult {
    moveCursorToEnd()
    return .refresh
  }

  private func runDeferred() -> KeyResult {
    guard let action = deferred else { return .refused }
    deferred = nil
    return action()
  }

  private func breakLine() -> KeyResult {
    insert("\n")
    return .refresh
  }
}
