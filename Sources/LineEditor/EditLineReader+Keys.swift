import CLibEdit

extension EditLineReader {
  /// Gives the keys their functions, the user's wishes in the midst.
  func bindKeys() {
    frc_el_set_string(editLine, EL_EDITOR, "emacs")
    let deferred: EditorKey.Function = { editLine, _ in
      EditLineReader.call(editLine) { $0.runDeferred() }
    }
    frc_el_add_function(editLine, "run-deferred", "Do what a key sequence asks for", deferred)
    for key in EditorKey.all {
      if let action = key.action {
        frc_el_add_function(editLine, key.function, key.help, action)
      }
      if key.canBeChanged { bind(key.sequences, to: key.function) }
    }
    // May choose vi's keys, which undoes all bindings before it.
    el_source(editLine, nil)
    hasViKeys = frc_el_editor(editLine).map { String(cString: $0) } == "vi"
    bindEssentials()
  }

  private func bindEssentials() {
    for key in EditorKey.all where !key.canBeChanged {
      switch key.function {
      case "complete-text" where assistance.completions == nil: continue
      // With vi's keys Escape is a key of its own, which may begin no sequence;
      // see `viEscape()`.
      case "insert-paste" where hasViKeys: continue
      case "enter", "clear-screen": bindBoth(key.sequences, to: key.function)
      default: bind(key.sequences, to: key.function)
      }
    }
    bindBoth(["^^"], to: "run-deferred")
    if hasViKeys {
      replaceViCommands()
    } else {
      bind(["\\ex", "\\eX"], to: "ed-unassigned")
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

  static func call(
    _ editLine: OpaquePointer?, _ function: (EditLineReader) -> KeyResult
  ) -> UInt8 {
    of(editLine).map { function($0).code } ?? KeyResult.refused.code
  }
}
