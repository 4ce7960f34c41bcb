import CLibEdit

extension EditLineReader {
  private typealias KeyFunction = @convention(c) (OpaquePointer?, CInt) -> UInt8

  /// Gives the keys their functions, the user's wishes in the midst.
  func bindKeys() {
    frc_el_set_string(editLine, EL_EDITOR, "emacs")
    addEditing()
    addKilling()
    addHistory()
    bindEditing()
    // May choose vi's keys, which undoes all bindings before it.
    el_source(editLine, nil)
    hasViKeys = frc_el_editor(editLine).map { String(cString: $0) } == "vi"
    bindEssentials()
  }

  private func addEditing() {
    add("enter", "End the statement or the line") { editLine, _ in
      EditLineReader.call(editLine) { $0.enter() }
    }
    add("break-line", "Break the line") { editLine, _ in
      EditLineReader.call(editLine) { $0.breakLine() }
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
    add("clear-screen", "Clear the screen") { editLine, _ in
      EditLineReader.call(editLine) { $0.clearScreen() }
    }
    add("insert-paste", "Insert what is pasted") { editLine, _ in
      EditLineReader.call(editLine) { $0.insertPaste() }
    }
    add("complete-text", "Complete the text") { editLine, _ in
      EditLineReader.call(editLine) { $0.complete() }
    }
    add("run-deferred", "Do what a key sequence asks for") { editLine, _ in
      EditLineReader.call(editLine) { $0.runDeferred() }
    }
  }

  private func addKilling() {
    add("move-to-line-start", "Move to the start of the line") { editLine, _ in
      EditLineReader.call(editLine) { $0.moveToLineStart() }
    }
    add("move-to-line-end", "Move to the end of the line") { editLine, _ in
      EditLineReader.call(editLine) { $0.moveToLineEnd() }
    }
    add("kill-to-line-end", "Delete up to the end of the line") { editLine, _ in
      EditLineReader.call(editLine) { $0.killToLineEnd() }
    }
    add("kill-to-line-start", "Delete back to the start of the line") { editLine, _ in
      EditLineReader.call(editLine) { $0.killToLineStart() }
    }
    add("kill-blank-word", "Delete back to a blank") { editLine, _ in
      EditLineReader.call(editLine) { $0.killBlankWord() }
    }
    add("kill-word-left", "Delete back to the start of a word") { editLine, _ in
      EditLineReader.call(editLine) { $0.killWordLeft() }
    }
    add("kill-word-right", "Delete up to the end of a word") { editLine, _ in
      EditLineReader.call(editLine) { $0.killWordRight() }
    }
    add("yank", "Insert what was deleted") { editLine, _ in
      EditLineReader.call(editLine) { $0.yank() }
    }
  }

  private func addHistory() {
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
    bind(["^A", "\\e[H", "\\eOH", "\\e[1~", "\\e[7~"], to: "move-to-line-start")
    bind(["^E", "\\e[F", "\\eOF", "\\e[4~", "\\e[8~"], to: "move-to-line-end")
    bind(["\\e<"], to: "ed-move-to-beg")
    bind(["\\e>"], to: "ed-move-to-end")
    bind(["^K"], to: "kill-to-line-end")
    bind(["^U"], to: "kill-to-line-start")
    bind(["^W"], to: "kill-blank-word")
    bind(["\\e^H", "\\e^?"], to: "kill-word-left")
    bind(["\\ed"], to: "kill-word-right")
    bind(["^Y"], to: "yank")
    bind(["\\e[D", "\\eOD", "^B"], to: "move-left")
    bind(["\\e[C", "\\eOC", "^F"], to: "move-right")
    bind(["^H", "^?"], to: "delete-left")
    bind(["\\e[3~"], to: "delete-right")
    bind(["^D"], to: "delete-right-or-leave")
    bind(["\\e^J", "\\e^M"], to: "break-line")
  }

  private func bindEssentials() {
    bind(["^R"], to: "search-history")
    if completions != nil { bind(["^I"], to: "complete-text") }
    bindBoth(["^J", "^M"], to: "enter")
    bindBoth(["^L"], to: "clear-screen")
    bindBoth(["^^"], to: "run-deferred")
    // With vi's keys Escape is a key of its own, which may begin no sequence;
    // see `viEscape()`.
    if hasViKeys {
      replaceViCommands()
    } else {
      bind(["\\ex", "\\eX"], to: "ed-unassigned")
      bind(["\\e[200~"], to: "insert-paste")
    }
  }

  /// Takes away those of vi's commands that harm the program.
  ///
  /// libedit's command line (`:`, and Alt-X outside of vi) crashes on an empty
  /// command, and its search leaves what `p` inserts undefined. Our search is
  /// in its place.
  private func replaceViCommands() {
    for key in ["/", "?"] { frc_el_bind_alternative(editLine, key, "search-history") }
    for key in [":", "n", "N"] { frc_el_bind_alternative(editLine, key, "ed-unassigned") }
  }

  private func add(_ name: String, _ help: String, _ function: KeyFunction) {
    frc_el_add_function(editLine, name, help, function)
  }

  private func bind(_ keys: [String], to function: String) {
    for key in keys { frc_el_bind(editLine, key, function) }
  }

  /// Binds `keys` in vi's command mode too.
  private func bindBoth(_ keys: [String], to function: String) {
    for key in keys {
      frc_el_bind(editLine, key, function)
      frc_el_bind_alternative(editLine, key, function)
    }
  }

  private static func call(
    _ editLine: OpaquePointer?, _ function: (EditLineReader) -> KeyResult
  ) -> UInt8 {
    of(editLine).map { function($0).code } ?? KeyResult.refused.code
  }
}
