import CLibEdit

/// Binds the keys to their functions, and applies the user's own bindings.
struct KeyBindings {
  /// The function of a key that sends Escape and more.
  enum Meaning {
    case action(EditorKey.Function)
    /// libedit has the function, which the user may have chosen.
    case libedit
    case nothing
  }

  /// Whether Escape is a key of its own, as in vi, and starts no other key.
  let isEscapeKey: Bool
  /// The functions of the keys, by libedit's notation of what they send.
  private let functions: [String: String]
  /// vi's commands that take the next character as their argument, such as `f`.
  private let takers: Set<Unicode.Scalar>

  /// Whether vi's keys are bound.
  let areVi: Bool

  /// Binds all keys.
  ///
  /// - Parameters:
  ///   - editLine: The editor.
  ///   - canComplete: Whether Tab completes; otherwise it inserts a tab.
  ///   - list: Returns what libedit has written since the last call.
  ///   - deferred: The function of `run-deferred`.
  ///   - command: Its function in vi's command mode.
  init(
    _ editLine: OpaquePointer, canComplete: Bool, list: () -> String,
    deferred: EditorKey.Function, command: EditorKey.Function
  ) {
    frc_el_set_string(editLine, EL_EDITOR, "emacs")
    frc_el_add_function(editLine, "run-deferred", "Do what a key sequence asks for", deferred)
    frc_el_add_function(editLine, "run-command", "Do what a key asks for in a command", command)
    for key in EditorKey.all {
      if let action = key.action {
        frc_el_add_function(editLine, key.function, key.help, action)
      }
      if key.canBeChanged { Self.bind(key.sequences, to: key.function, in: editLine) }
    }
    // `~/.editrc` may select vi's keys, which removes all bindings made before.
    el_source(editLine, nil)
    areVi = frc_el_editor(editLine).map { String(cString: $0) } == "vi"
    Self.bindEssentials(of: editLine, canComplete: canComplete, areVi: areVi)
    _ = list()
    frc_el_list_bindings(editLine)
    let listed = list()
    functions = Self.bindQuoting(Self.functions(listed: listed), in: editLine)
    takers = areVi ? Self.takers(listed: listed) : []
    isEscapeKey = areVi && functions["^["] != "ed-sequence-lead-in"
    // In vi's command mode, too, no sequence may begin with Escape any more.
    if isEscapeKey { frc_el_bind_alternative(editLine, "^[", "ed-unassigned") }
  }

  /// Returns the function of a key.
  ///
  /// - Parameters:
  ///   - sequence: The characters that it sends after Escape.
  ///   - isAlt: Whether the sequence is a single character.
  func meaning(of sequence: String, isAlt: Bool) -> Meaning {
    let name = "^[" + sequence.unicodeScalars.map(Self.written).joined()
    if isEscapeKey {
      // In vi, a command may follow directly after Escape.
      guard !isAlt || sequence == "\n" || sequence == "\r" else { return .libedit }
      return Self.defaults[name].map(Meaning.action) ?? .nothing
    }
    guard let function = functions[name] else {
      // `bind -e` in `~/.editrc` has removed it.
      return Self.defaults[name].map(Meaning.action) ?? .nothing
    }
    guard function != "ed-unassigned" else { return .nothing }
    return Self.actions[function].map(Meaning.action) ?? .libedit
  }

  /// Whether a key of vi's command mode takes the next character as its argument.
  func takesNext(_ command: Unicode.Scalar) -> Bool { takers.contains(command) }

  /// Whether the user has bound a key that begins with Ctrl-X.
  var usesPrefix: Bool { functions.keys.contains { $0.hasPrefix("^X") && $0 != "^X" } }

  // MARK: Binding

  private static func bindEssentials(
    of editLine: OpaquePointer, canComplete: Bool, areVi: Bool
  ) {
    for key in EditorKey.all where !key.canBeChanged {
      switch key.function {
      case "complete-text" where !canComplete: continue
      case "enter", "clear-screen", "search-history":
        bindBoth(key.sequences, to: key.function, in: editLine)
      default: bind(key.sequences, to: key.function, in: editLine)
      }
    }
    bind(["^^"], to: "run-deferred", in: editLine)
    frc_el_bind_alternative(editLine, "^^", "run-command")
    if areVi {
      replaceViCommands(in: editLine)
    } else {
      bind(["\\ex", "\\eX"], to: "ed-unassigned", in: editLine)
    }
  }

  /// Replaces those of vi's commands that harm the program.
  ///
  /// - libedit's command line (`:`, and Alt-X outside of vi) crashes on an empty command.
  /// - After its search, the text that `p` inserts is undefined.
  /// - `.` types a text again as commands, endlessly if the text contains a number.
  /// - `v` starts an editor while the terminal is still in raw mode.
  /// - `k` and `j` leave a text of several lines, `u` knows only one change, and the history is not
  ///   the session's.
  private static func replaceViCommands(in editLine: OpaquePointer) {
    for (key, function) in viCommands { frc_el_bind_alternative(editLine, key, function) }
    for key in [":", "n", "N", "."] {
      frc_el_bind_alternative(editLine, key, "ed-unassigned")
    }
  }

  /// vi's commands that are replaced by the editor's own functions.
  private static let viCommands = [
    "/": "search-history", "?": "search-history", "v": "edit-draft", "u": "undo-change",
    "^_": "undo-change", "k": "up-line-or-history", "j": "down-line-or-history",
    "\\055": "up-line-or-history", "+": "down-line-or-history", "^P": "older-entry",
    "^N": "newer-entry",
  ]

  /// Binds the keys that quote the next key to the editor's own function.
  ///
  /// libedit's function would quote only the first character of a key's sequence.
  ///
  /// - Returns: The functions of the keys.
  private static func bindQuoting(
    _ functions: [String: String], in editLine: OpaquePointer
  ) -> [String: String] {
    var functions = functions
    for (key, function) in functions where function == "ed-quoted-insert" {
      bind([key], to: "quote-next", in: editLine)
      functions[key] = "quote-next"
    }
    return functions
  }

  private static func bind(
    _ keys: [String], to function: String, in editLine: OpaquePointer
  ) {
    for key in keys { frc_el_bind(editLine, key, function) }
  }

  /// Binds `keys` in vi's command mode too.
  private static func bindBoth(
    _ keys: [String], to function: String, in editLine: OpaquePointer
  ) {
    for key in keys {
      frc_el_bind(editLine, key, function)
      frc_el_bind_alternative(editLine, key, function)
    }
  }

  // MARK: What is bound

  /// Parses libedit's list, whose lines look like `"^[[A" -> up-line-or-history`.
  private static func functions(listed list: String) -> [String: String] {
    // The first list contains the keys of insert mode.
    Dictionary(pairs(listed: list)) { first, _ in first }
  }

  /// Finds vi's commands that read a character themselves.
  private static func takers(listed list: String) -> Set<Unicode.Scalar> {
    let readers: Set = [
      "vi-next-char", "vi-prev-char", "vi-to-next-char", "vi-to-prev-char", "vi-alias",
      "ed-quoted-insert", "ed-sequence-lead-in",
    ]
    let keys = pairs(listed: list).filter { readers.contains($0.1) }.map(\.0)
    return Set(keys.compactMap { $0.unicodeScalars.count == 1 ? $0.unicodeScalars.first : nil })
  }

  private static func pairs(listed list: String) -> [(String, String)] {
    list.split(separator: "\n").compactMap { line in
      guard line.hasPrefix("\""), let arrow = line.ranges(of: "->  ").last,
        let quote = line[..<arrow.lowerBound].lastIndex(of: "\"")
      else { return nil }
      return (
        String(line[line.index(after: line.startIndex)..<quote]),
        String(line[arrow.upperBound...])
      )
    }
  }

  /// The editor's own functions by name.
  private static let actions = Dictionary(
    EditorKey.all.compactMap { key in key.action.map { (key.function, $0) } }
  ) { first, _ in first }

  /// The default functions of the editor's own keys, by libedit's notation.
  private static let defaults = Dictionary(
    EditorKey.all.flatMap { key in
      key.action.map { action in
        key.sequences.filter { $0.hasPrefix("\\e") }.map { ("^[" + $0.dropFirst(2), action) }
      } ?? []
    }
  ) { first, _ in first }

  /// Returns a character of a key in libedit's notation.
  private static func written(_ scalar: Unicode.Scalar) -> String {
    switch scalar.value {
    case 0..<0x20, 0x7F: "^" + String(Character(Unicode.Scalar(UInt8(scalar.value ^ 0x40))))
    default: String(Character(scalar))
    }
  }
}
