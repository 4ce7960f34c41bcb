import CLibEdit
import Glibc

/// Runs libedit's commands outside the editor, and says where they leave the cursor outside the
/// text.
///
/// Each runs in each of the key maps, on several texts, at several places of the cursor, with counts
/// and as the movement of an operator. A trial that leaves the cursor outside ends the line, so
/// nothing is written at a wrong place. It is printed as in
/// `ed-move-to-end, vi-command, '|', "3": cursor -1 of 0`.
enum CommandTrials {
  /// The names of libedit's commands.
  static var commands: [String] {
    guard let trial = Trial(map: .emacs, command: nil) else { return [] }
    _ = trial.takeOutput()
    frc_el_list_commands(trial.editLine)
    return trial.takeOutput().split(separator: "\n")
      .filter { !$0.hasPrefix("\t") && !$0.hasPrefix("trial-") }.map(String.init)
  }

  /// A key map of libedit.
  enum Map: String, CaseIterable {
    case emacs
    case insert = "vi-insert"
    case command = "vi-command"
  }

  /// A text with a cursor.
  private struct Start {
    let before: String
    let after: String
    /// What runs before the command.
    var keys: [Key] = []

    /// The start as a trial is printed.
    var shown: String {
      let text = (before.suffix(12) + "|" + after.prefix(12)).split(
        separator: "\n", omittingEmptySubsequences: false
      ).joined(separator: "\\n")
      let names = keys.map(\.name.debugDescription).joined(separator: ", ")
      return "'\(text)'" + (keys.isEmpty ? "" : " after \(names)")
    }
  }

  private static let starts = [
    Start(before: "", after: ""),
    Start(before: "", after: "a"),
    Start(before: "a", after: ""),
    Start(before: "", after: "ab (cd) e"),
    Start(before: "ab (", after: "cd) e"),
    Start(before: "ab (cd) e", after: ""),
    Start(before: "", after: "one {\n  two\nthree }"),
    Start(before: "one {\n  t", after: "wo\nthree }"),
    Start(before: "one {\n  two\nthree }", after: ""),
    // libedit leaves deleted text in its memory.
    Start(before: "  ", after: "    b", keys: [.killLine]),
    Start(before: "", after: "one\ntwo\nthree", keys: [.killLine]),
    Start(before: "ab (cd) e", after: "", keys: [.setMark, .killAll]),
    // Commands that go on with a search find one.
    Start(before: "", after: "ab (cd) e", keys: [.search, .text("b\r")]),
    Start(before: "", after: "ab (cd) e", keys: [.findChar, .text("b")]),
    Start(before: "ab (cd) e", after: "", keys: [.findCharBefore, .text("b")]),
  ]

  private static let longStart = Start(before: String(repeating: "a", count: 700), after: "")

  /// What is typed before the command.
  private static func prefixes(in map: Map) -> [String] {
    let counts = ["", "3", "0"]
    guard map == .command else { return counts }
    return counts + ["d", "c", "y"].flatMap { letter in counts.map { letter + $0 } }
  }

  /// What is typed after the command: more commands, and the text that some commands read.
  private static func continuations(of command: String, in map: Map) -> [[Key]] {
    switch command {
    case "vi-next-char", "vi-prev-char", "vi-to-next-char", "vi-to-prev-char", "vi-alias":
      [[.text("b")], [.text("a")]]
    case "vi-search-next", "vi-search-prev", "em-inc-search-next", "em-inc-search-prev",
      "ed-quoted-insert", "em-meta-next", "ed-sequence-lead-in", "vi-replace-char":
      [[.text("b\r")], [.text("zz\r")], [.text("b\u{17}\r")], [.text("\u{7F}")]]
    // On an empty command, it would crash.
    case "ed-command": [[.text("bind\r")]]
    // It would start an editor.
    case "vi-histedit": []
    default: map == .command ? [[], [.redo], [.command]] : [[], [.command]]
    }
  }

  /// Runs a command in all trials, and prints those that leave the cursor outside the text.
  static func run(_ command: String, withLongText: Bool) {
    // In insert mode, it would type itself again without an end.
    let maps = command == "vi-redo" ? [.command] : Map.allCases
    for map in maps {
      var used: Trial?
      for start in withLongText ? starts + [longStart] : starts {
        for prefix in prefixes(in: map) {
          for rest in continuations(of: command, in: map) {
            guard let trial = used ?? Trial(map: map, command: command) else { continue }
            let keys = start.keys + [.text(prefix), .command] + rest
            let place = trial.run(keys, before: start.before, after: start.after)
            used = place == nil ? trial : nil
            guard let place else { continue }
            let typed = ([prefix] + rest.map(\.name)).joined(separator: " ").debugDescription
            print(
              "\(command), \(map.rawValue), \(start.shown), \(typed): "
                + "cursor \(place.cursor) of \(place.count)")
          }
        }
      }
    }
  }

  /// A key of a trial.
  fileprivate enum Key {
    /// The command.
    case command
    case redo
    case killLine
    case killAll
    case setMark
    case search
    case findChar
    case findCharBefore
    case text(String)

    var name: String {
      switch self {
      case .command: "again"
      case .redo: "vi-redo"
      case .killLine: "ed-kill-line"
      case .killAll: "em-kill-line"
      case .setMark: "em-set-mark"
      case .search: "vi-search-prev"
      case .findChar: "vi-to-next-char"
      case .findCharBefore: "vi-to-prev-char"
      case .text(let text): text.replacing("\r", with: "^M")
      }
    }

    /// The characters that libedit reads.
    var scalars: [Unicode.Scalar] {
      switch self {
      case .command: ["\u{81}"]
      case .redo: ["\u{82}"]
      case .killLine: ["\u{83}"]
      case .killAll: ["\u{84}"]
      case .setMark: ["\u{85}"]
      case .search: ["\u{86}"]
      case .findChar: ["\u{87}"]
      case .findCharBefore: ["\u{88}"]
      case .text(let text): Array(text.unicodeScalars)
      }
    }

    /// libedit's commands for these keys.
    static let bound = [
      "\\203": "ed-kill-line", "\\204": "em-kill-line", "\\205": "em-set-mark",
      "\\206": "vi-search-prev", "\\207": "vi-to-next-char",
      "\\210": "vi-to-prev-char",
    ]
  }
}

/// A line of libedit, without the editor.
private final class Trial {
  let editLine: OpaquePointer
  private let history: OpaquePointer
  private let output: UnsafeMutablePointer<FILE>
  private let bytes: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  private let count: UnsafeMutablePointer<Int>
  private let map: CommandTrials.Map
  private var typed: [Unicode.Scalar] = []
  private var start = (before: "", after: "")
  /// Where the cursor was outside the text.
  private var place: (cursor: Int, count: Int)?
  /// Whether the line has its text.
  private var isReady = false

  init?(map: CommandTrials.Map, command: String?) {
    bytes = .allocate(capacity: 1)
    count = .allocate(capacity: 1)
    bytes.initialize(to: nil)
    count.initialize(to: 0)
    guard let output = open_memstream(bytes, count), let editLine = frc_el_init("trial", output),
      let history = history_winit()
    else { return nil }
    self.output = output
    self.editLine = editLine
    self.history = history
    self.map = map
    frc_el_set_client_data(editLine, Unmanaged.passUnretained(self).toOpaque())
    frc_el_set_reader(editLine) { editLine, scalar in
      Trial.of(editLine)?.read(into: scalar) ?? 0
    }
    frc_el_set_string(editLine, EL_EDITOR, map == .emacs ? "emacs" : "vi")
    frc_el_add_function(editLine, "trial-begin", "Put the text on the line") { editLine, _ in
      Trial.of(editLine)?.begin() ?? UInt8(CC_ERROR)
    }
    bind("\\200", to: "trial-begin")
    for (key, function) in CommandTrials.Key.bound { bind(key, to: function) }
    // In insert mode, it would type itself again without an end.
    frc_el_bind_alternative(editLine, "\\202", "vi-redo")
    for digit in 0...9 { bind(String(digit), to: "ed-argument-digit") }
    if let command { bind("\\201", to: command) }
    frc_history_set_size(history, 100)
    frc_el_set_history(editLine, history)
    for entry in [String(repeating: "c", count: 1500), "ab", "(x) ab\ncd", "a"] {
      add(entry)
    }
  }

  deinit {
    el_end(editLine)
    history_wend(history)
    fclose(output)
    free(bytes.pointee)
    bytes.deallocate()
    count.deallocate()
  }

  private static func of(_ editLine: OpaquePointer?) -> Trial? {
    guard let data = frc_el_client_data(editLine) else { return nil }
    return Unmanaged<Trial>.fromOpaque(data).takeUnretainedValue()
  }

  private func bind(_ key: String, to function: String) {
    frc_el_bind(editLine, key, function)
    frc_el_bind_alternative(editLine, key, function)
  }

  private func add(_ entry: String) {
    withWide(entry) { _ = frc_history_enter(history, $0) }
  }

  /// Returns what libedit has written since the last call.
  func takeOutput() -> String {
    fflush(output)
    let text = bytes.pointee.map { String(cString: $0) } ?? ""
    fseek(output, 0, SEEK_SET)
    return text
  }

  /// Edits a line.
  ///
  /// - Returns: The place of the cursor, if it was outside the text.
  func run(
    _ keys: [CommandTrials.Key], before: String, after: String
  ) -> (cursor: Int, count: Int)? {
    start = (before, after)
    // In vi, Escape enters the command mode.
    typed = (map == .command ? ["\u{1B}"] : []) + ["\u{80}"] + keys.flatMap(\.scalars)
    isReady = false
    place = nil
    var count: Int32 = 0
    el_wgets(editLine, &count)
    return place
  }

  /// Puts the text on the line.
  private func begin() -> UInt8 {
    let text = start.before + start.after
    if !text.isEmpty { withWide(text) { _ = el_winsertstr(editLine, $0) } }
    if !start.after.isEmpty { _ = el_cursor(editLine, -CInt(start.after.unicodeScalars.count)) }
    isReady = true
    return UInt8(CC_REFRESH)
  }

  /// Gives libedit the next character, after a look at the cursor.
  private func read(into scalar: UnsafeMutablePointer<wchar_t>?) -> CInt {
    if isReady, let info = el_wline(editLine)?.pointee, let buffer = info.buffer,
      let cursor = info.cursor, let end = info.lastchar, cursor < buffer || cursor > end
    {
      place = (cursor - buffer, end - buffer)
      return 0
    }
    guard !typed.isEmpty else { return 0 }
    scalar?.pointee = wchar_t(bitPattern: typed.removeFirst().value)
    return 1
  }

  private func withWide(_ text: String, _ body: (UnsafePointer<wchar_t>) -> Void) {
    let characters = text.unicodeScalars.map { wchar_t(bitPattern: $0.value) } + [0]
    characters.withUnsafeBufferPointer { if let start = $0.baseAddress { body(start) } }
  }
}
