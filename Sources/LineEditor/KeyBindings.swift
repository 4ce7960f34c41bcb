import CLibEdit

/// Binds the keys to their functions, and applies the user's own bindings.
struct KeyBindings {
  /// The function of a key that sends Escape and more.
  enum Meaning {
    case action(EditorKey.Function)
    /// libedit has the function, or the text that the key types; the user may have chosen either.
    case libedit
    case nothing
  }

  /// Whether Escape is a key of its own, as in vi, and starts no other key.
  let isEscapeKey: Bool
  /// The functions of the keys, by libedit's notation of what they send.
  private let functions: [String: String]
  /// vi's commands that take the next character as their argument, such as `f`.
  private let takers: Set<Unicode.Scalar>
  /// The keys that type a text, by libedit's notation of what they send.
  private let macros: Set<String>

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
    var listing = BindingList(list())
    Self.replaceHarmful(in: &listing, of: editLine)
    functions = listing.functions
    takers = areVi ? listing.takers : []
    macros = listing.macros
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
    let name = "^[" + sequence.unicodeScalars.map(BindingList.written).joined()
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

  /// Whether libedit types a text for a key, at least in one of vi's modes.
  func isMacro(_ key: [Unicode.Scalar]) -> Bool {
    guard !macros.isEmpty, let last = key.last else { return false }
    // In vi, a command may follow directly after Escape.
    return macros.contains(key.map(BindingList.written).joined())
      || macros.contains(BindingList.written(last))
  }

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
    guard areVi else { return }
    for (key, function) in viCommands { frc_el_bind_alternative(editLine, key, function) }
  }

  /// vi's commands that are replaced by the editor's own functions.
  ///
  /// libedit's `k` and `j` leave a text of several lines, and its history is not the session's.
  private static let viCommands = [
    "^_": "undo-change", "k": "up-line-or-history", "j": "down-line-or-history",
    "\\055": "up-line-or-history", "+": "down-line-or-history", "^P": "older-entry",
    "^N": "newer-entry",
  ]

  /// libedit's functions that harm the program, and the functions that run instead.
  ///
  /// README.md in this folder says what is wrong with each.
  private static let replacements = [
    "ed-quoted-insert": "quote-next",
    "ed-command": "ed-unassigned",
    "ed-prev-history": "older-entry",
    "ed-next-history": "newer-entry",
    "ed-search-prev-history": "older-entry",
    "ed-search-next-history": "newer-entry",
    "em-inc-search-next": "search-history",
    "em-inc-search-prev": "search-history",
    "vi-search-next": "search-history",
    "vi-search-prev": "search-history",
    "vi-repeat-search-next": "ed-unassigned",
    "vi-repeat-search-prev": "ed-unassigned",
    "em-meta-next": "ed-unassigned",
    "vi-redo": "ed-unassigned",
    "vi-undo": "undo-change",
    "vi-histedit": "edit-draft",
  ]

  /// Binds all keys of libedit's harmful functions to other functions, also those that the user has
  /// chosen.
  private static func replaceHarmful(in list: inout BindingList, of editLine: OpaquePointer) {
    for (key, function) in list.keys {
      guard let other = replacements[function] else { continue }
      frc_el_bind(editLine, BindingList.octal(key), other)
      list.keys[key] = other
    }
    for (key, function) in list.commands {
      guard let other = replacements[function] else { continue }
      frc_el_bind_alternative(editLine, BindingList.octal(key), other)
      list.commands[key] = other
    }
    for (sequence, function) in list.sequences {
      guard let other = replacements[function] else { continue }
      list.sequences[sequence] = other
      // The modes of vi share the sequences, but not the keys that begin one.
      if list.beginsSequence(sequence, in: list.keys) {
        frc_el_bind(editLine, sequence, other)
      } else if list.beginsSequence(sequence, in: list.commands) {
        frc_el_bind_alternative(editLine, sequence, other)
      }
    }
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
}

/// libedit's list of what its keys do.
struct BindingList {
  /// The functions of single keys.
  ///
  /// These are vi's keys of insert mode, or those of emacs.
  var keys: [Unicode.Scalar: String] = [:]
  /// The functions of single keys in vi's command mode.
  var commands: [Unicode.Scalar: String] = [:]
  /// The functions of keys that send several characters, by libedit's notation of what they send.
  var sequences: [String: String] = [:]
  /// The keys that type a text, by libedit's notation of what they send.
  private(set) var macros: Set<String> = []

  /// Parses the list.
  ///
  /// Its lines look like `"^[[A"  ->  up-line-or-history`, `"a"  to "z"  ->  ed-insert`, or
  /// `"^T"  ->  "text"`.
  init(_ text: String) {
    var isInCommands = false
    for line in text.split(separator: "\n") {
      if line.hasPrefix("Alternative key bindings") { isInCommands = true }
      guard line.hasPrefix("\""), let arrow = line.firstRange(of: "->  "),
        let quote = line[..<arrow.lowerBound].lastIndex(of: "\"")
      else { continue }
      let name = String(line[line.index(after: line.startIndex)..<quote])
      let function = String(line[arrow.upperBound...])
      if function.hasPrefix("\"") {
        macros.insert(name)
      } else if let range = Self.keys(named: name) {
        for value in range {
          guard let key = Unicode.Scalar(value) else { continue }
          if isInCommands { commands[key] = function } else { keys[key] = function }
        }
      } else {
        sequences[name] = function
      }
    }
  }

  /// The functions of all keys outside vi's command mode, by libedit's notation.
  var functions: [String: String] {
    var functions = sequences
    for (key, function) in keys { functions[Self.written(key)] = function }
    for key in macros { functions[key] = "a text" }
    return functions
  }

  /// Whether the first character of a sequence begins one in a map of single keys.
  func beginsSequence(_ sequence: String, in map: [Unicode.Scalar: String]) -> Bool {
    let first = Self.key(named: String(sequence.prefix(2))) ?? sequence.unicodeScalars.first
    return first.flatMap { map[$0] } == "ed-sequence-lead-in"
  }

  /// vi's commands that read a character themselves, such as `f`.
  var takers: Set<Unicode.Scalar> {
    let readers: Set = [
      "vi-next-char", "vi-prev-char", "vi-to-next-char", "vi-to-prev-char", "vi-alias",
      "ed-quoted-insert", "ed-sequence-lead-in",
    ]
    let takers = commands.filter { key, function in
      // A key that types a text begins no longer key.
      readers.contains(function) && key.value > 0x20
        && !(function == "ed-sequence-lead-in" && macros.contains(Self.written(key)))
    }
    return Set(takers.keys)
  }

  // MARK: libedit's notation

  /// Returns a character of a key as libedit writes it.
  static func written(_ scalar: Unicode.Scalar) -> String {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0: "^" + String(Character(Unicode.Scalar(UInt8(scalar.value ^ 0x40))))
    default: String(Character(scalar))
    }
  }

  /// Returns a key as libedit reads it, whatever the character means to libedit.
  static func octal(_ key: Unicode.Scalar) -> String {
    let digits = String(key.value, radix: 8)
    return "\\" + String(repeating: "0", count: max(0, 3 - digits.count)) + digits
  }

  /// Parses the name of a single key, or of a range such as `a"  to "z`; nil for anything else.
  private static func keys(named name: String) -> ClosedRange<UInt32>? {
    if let key = key(named: name) { return key.value...key.value }
    guard let middle = name.firstRange(of: " to \""),
      // The quote after the first name is followed by a varying number of blanks.
      let quote = name[..<middle.lowerBound].lastIndex(of: "\""),
      let first = key(named: String(name[..<quote])),
      let last = key(named: String(name[middle.upperBound...])), first <= last
    else { return nil }
    return first.value...last.value
  }

  /// Parses a name such as `a`, `^A` or `\U+0080`.
  private static func key(named name: String) -> Unicode.Scalar? {
    let scalars = Array(name.unicodeScalars)
    if scalars.count == 1 { return scalars[0] }
    if name.hasPrefix("\\U+") {
      return UInt32(name.dropFirst(3), radix: 16).flatMap { Unicode.Scalar($0) }
    }
    guard scalars.count == 2, scalars[0] == "^" else { return nil }
    // `^?` is Delete, and `^À` is U+0080, a control character too.
    return Unicode.Scalar(scalars[1].value ^ 0x40)
  }
}
