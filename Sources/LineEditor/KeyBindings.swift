import CLibEdit

/// Gives the keys their functions, the user's wishes in the midst.
struct KeyBindings {
  private let editLine: OpaquePointer
  private let canComplete: Bool
  /// Whether `~/.editrc` has chosen vi's keys.
  let areVi: Bool

  /// Binds every key.
  ///
  /// - Parameters:
  ///   - editLine: The editor.
  ///   - canComplete: Whether Tab completes; else it inserts itself.
  ///   - deferred: What `run-deferred` does.
  init(_ editLine: OpaquePointer, canComplete: Bool, deferred: EditorKey.Function) {
    self.editLine = editLine
    self.canComplete = canComplete
    frc_el_set_string(editLine, EL_EDITOR, "emacs")
    frc_el_add_function(editLine, "run-deferred", "Do what a key sequence asks for", deferred)
    for key in EditorKey.all {
      if let action = key.action {
        frc_el_add_function(editLine, key.function, key.help, action)
      }
      if key.canBeChanged { Self.bind(key.sequences, to: key.function, in: editLine) }
    }
    // May choose vi's keys, which undoes all bindings before it.
    el_source(editLine, nil)
    areVi = frc_el_editor(editLine).map { String(cString: $0) } == "vi"
    bindEssentials()
  }

  private func bindEssentials() {
    for key in EditorKey.all where !key.canBeChanged {
      switch key.function {
      case "complete-text" where !canComplete: continue
      // With vi's keys Escape is a key of its own, which may begin no sequence;
      // see `ViEscape`.
      case "insert-paste" where areVi: continue
      case "enter", "clear-screen": bindBoth(key.sequences, to: key.function)
      default: bind(key.sequences, to: key.function)
      }
    }
    bindBoth(["^^"], to: "run-deferred")
    if areVi {
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
    Self.bind(keys, to: function, in: editLine)
  }

  private static func bind(
    _ keys: [String], to function: String, in editLine: OpaquePointer
  ) {
    for key in keys { frc_el_bind(editLine, key, function) }
  }

  /// Binds `keys` in vi's command mode too.
  private func bindBoth(_ keys: [String], to function: String) {
    for key in keys {
      frc_el_bind(editLine, key, function)
      frc_el_bind_alternative(editLine, key, function)
    }
  }
}
