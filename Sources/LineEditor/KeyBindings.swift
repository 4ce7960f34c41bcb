import CLibEdit

/// Gives the keys their functions, the user's wishes in the midst.
struct KeyBindings {
  /// What a key does that sends Escape and more.
  enum Meaning {
    case action(EditorKey.Function)
    /// libedit has a function for it, which the user may have chosen.
    case libedit
    case nothing
  }

  /// Whether Escape is a key of its own, as vi has it, and begins no other.
  let isEscapeKey: Bool
  /// The functions of the keys, by what libedit writes for what they send.
  private let functions: [String: String]
  /// vi's commands that take the next character for themselves, such as `f`.
  private let takers: Set<Unicode.Scalar>

  /// Whether vi's keys are bound.
  let areVi: Bool

  /// Binds every key.
  ///
  /// - Parameters:
  ///   - editLine: The editor.
  ///   - canComplete: Whether Tab completes; else it inserts itself.
  ///   - list: What libedit has written since this was called last.
  ///   - deferred: What `run-deferred` does.
  ///   - command: What it does in vi's command mode.
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
    // May choose vi's keys, which undoes all bindings before it.
    el_source(editLine, nil)
    areVi = frc_el_editor(editLine).map { String(cString: $0) } == "vi"
    Self.bindEssentials(of: editLine, canComplete: canComplete, areVi: areVi)
    _ = list()
    frc_el_list_bindings(editLine)
    let listed = list()
    functions = Self.bindQuoting(Self.functions(listed: listed), in: editLine)
    takers = areVi ? Self.takers(listed: listed) : []
    isEscapeKey = areVi && functions["^["] != "ed-sequence-lead-in"
    // Also for vi's commands no sequence begins with it any more.
    if isEscapeKey { frc_el_bind_alternative(editLine, "^[", "ed-unassigned") }
  }

  /// Returns what a key does.
  ///
  /// - Parameters:
  ///   - sequence: What it sends after Escape.
  ///   - isAlt: Whether that is a character.
  func meaning(of sequence: String, isAlt: Bool) -> Meaning {
    let name = "^[" + sequence.unicodeScalars.map(Self.written).joined()
    if isEscapeKey {
      // vi's commands follow Escape.
      guard !isAlt || sequence == "\n" || sequence == "\r" else { return .libedit }
      return Self.defaults[name].map(Meaning.action) ?? .nothing
    }
    guard let function = functions[name] else {
      // `bind -e` in `~/.editrc` has taken it away.
      return Self.defaults[name].map(Meaning.action) ?? .nothing
    }
    guard function != "ed-unassigned" else { return .nothing }
    return Self.actions[function].map(Meaning.action) ?? .libedit
  }

  /// Whether a key of vi's command mode takes the next character for itself.
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

  /// Takes away those of vi's commands that harm the program.
  ///
  /// libedit's command line (`:`, and Alt-X outside of vi) crashes on an empty
  /// command, its search leaves what `p` inserts undefined, `.` types a text again as
  /// commands, for ever if it has a number in it, and `v` starts an editor in a
  /// terminal that it does not put in order. Its `k` and `j` leave a text of
  /// several lines, its `u` knows one change, and its history is not the session's.
  private static func replaceViCommands(in editLine: OpaquePointer) {
    for (key, function) in viCommands { frc_el_bind_alternative(editLine, key, function) }
    for key in [":", "n", "N", "."] {
      frc_el_bind_alternative(editLine, key, "ed-unassigned")
    }
  }

  /// vi's commands that are the editor's own functions.
  private static let viCommands = [
    "/": "search-history", "?": "search-history", "v": "edit-draft", "u": "undo-change",
    "^_": "undo-change", "k": "up-line-or-history", "j": "down-line-or-history",
    "\\055": "up-line-or-history", "+": "down-line-or-history", "^P": "older-entry",
    "^N": "newer-entry",
  ]

  /// Gives keys that quote the next one the editor's own function: libedit's would take the first
  /// character of a sequence for the key.
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

  /// Reads libedit's list, lines such as `"^[[A"            ->  up-line-or-history`.
  private static func functions(listed list: String) -> [String: String] {
    // The first list is of the keys that insert.
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

  /// The editor's own functions by their names.
  private static let actions = Dictionary(
    EditorKey.all.compactMap { key in key.action.map { (key.function, $0) } }
  ) { first, _ in first }

  /// What the editor's own keys do by themselves, by what libedit writes for them.
  private static let defaults = Dictionary(
    EditorKey.all.flatMap { key in
      key.action.map { action in
        key.sequences.filter { $0.hasPrefix("\\e") }.map { ("^[" + $0.dropFirst(2), action) }
      } ?? []
    }
  ) { first, _ in first }

  /// How libedit writes a character of a key.
  private static func written(_ scalar: Unicode.Scalar) -> String {
    switch scalar.value {
    case 0..<0x20, 0x7F: "^" + String(Character(Unicode.Scalar(UInt8(scalar.value ^ 0x40))))
    default: String(Character(scalar))
    }
  }
}
