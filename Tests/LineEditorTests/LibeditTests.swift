import Glibc
import PseudoTerminal
import Testing

/// What libedit does wrongly, and must not do in the editor.
@Suite struct LibeditTests {
  /// The commands that leave the cursor outside the text, most of them with a count of 0.
  private static let misplacing: Set = [
    "ed-move-to-end", "ed-prev-line", "vi-to-column", "vi-to-next-char", "vi-repeat-next-char",
    "vi-repeat-prev-char",
    // Never run in the editor.
    "vi-repeat-search-next", "vi-repeat-search-prev",
    // Only where libedit's memory is too small for its text, which it never is in the editor.
    "em-copy-prev-word",
  ]

  /// The commands that end the input on an empty line.
  private static let ending: Set = ["ed-end-of-file", "vi-list-or-eof", "em-delete-or-list"]

  /// Returns a home folder with settings of libedit.
  private func home(_ settings: String...) throws -> TemporaryFolder { try home(settings) }

  private func home(_ settings: [String]) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try folder.write(settings.map { "frc:\($0)\n" }.joined().utf8, to: ".editrc")
    return folder
  }

  /// Returns what the probe says without a line to edit.
  private func answer(of arguments: String...) throws -> [String] {
    let probe = try PseudoTerminal(
      PseudoTerminal.builtProgram("LineEditorProbe"), arguments: arguments)
    #expect(try probe.waitForExit() == .code(0))
    return String(decoding: probe.output, as: UTF8.self)
      .split(whereSeparator: \.isNewline).map(String.init)
  }

  // MARK: The cursor

  @Test("libedit has no other command that leaves the cursor outside the text")
  func misplacing() throws {
    let lines = try answer(of: "--trials")

    #expect(lines.last == "end of the trials")
    let found = Set(lines.dropLast().compactMap { $0.split(separator: ",").first.map(String.init) })
    #expect(found.contains("ed-move-to-end"))
    #expect(found.subtracting(Self.misplacing).isEmpty, "\(lines)")
  }

  @Test("in the editor the cursor is in the text after each command", arguments: ["-e", "-v"])
  func everyCommand(_ mode: String) throws {
    let commands = try answer(of: "--commands").filter { !Self.ending.contains($0) }
    // The letters from U+00A1 on.
    let keys = commands.indices.map { Character(Unicode.Scalar(UInt8(0xA1 + $0))) }
    var settings = ["bind \(mode)", "bind -a \"0\" ed-argument-digit"]
    for (key, command) in zip(keys, commands) {
      let code = String(key.unicodeScalars.first?.value ?? 0, radix: 8)
      settings += ["bind \"\\\(code)\" \(command)", "bind -a \"\\\(code)\" \(command)"]
    }
    let folder = try home(settings)
    let terminal = try probe(
      arguments: ["--whole", "--moves", folder.file("moves")], environment: ["HOME": folder.path])

    var moving: Set<String> = []
    var told = 0
    for (index, (key, command)) in zip(keys, commands).enumerated() {
      for text in ["", "a", "one (\n  b) c"] {
        for prefix in mode == "-v" ? ["", "3", "0", "d", "y0"] : ["", Key.alt("3"), Key.alt("0")] {
          let start = mode == "-v" ? Key.escape : ""
          // The letter is the argument of a command such as `f`, or another command.
          let rest = mode == "-v" ? "b" + Key.escape + "ix" : "bx" + Key.control("G")
          try terminal.type(
            Key.paste(text) + start + prefix + String(key) + rest + Key.enter)
        }
      }
      let mark = "<mark \(index)>"
      try terminal.type("mark \(index)" + Key.enter)
      try terminal.wait(for: "\(mark) after \(command)") { $0.screen.text.contains(mark) }
      let count = (folder.read("moves") ?? "").split(separator: "\n").count
      if count > told { moving.insert(command) }
      told = count
    }

    #expect(moving.subtracting(Self.misplacing).isEmpty)
    #expect(mode == "-e" || moving.contains("ed-move-to-end"))
  }

  @Test(
    "in vi's command mode the end of an empty line is its start",
    arguments: ["$i", "$a", "3$i", "$$I", "\u{5}i", "d$i", "y$$i", "c$"])
  func emptyLine(_ keys: String) throws {
    let folder = try home("bind -v")
    let terminal = try probe(environment: ["HOME": folder.path])

    try terminal.type(Key.escape + keys + "print 1" + Key.enter, showing: "<print 1>")
  }

  @Test(
    "after a search, vi's command mode has the cursor on a character",
    arguments: [Key.escape, Key.control("G")])
  func searched(_ end: String) throws {
    let folder = try home("bind -v")
    let terminal = try probe(environment: ["HOME": folder.path])
    try terminal.type("ab" + Key.enter, showing: "<ab>")
    try terminal.wait(forPrompt: "frc> ")

    for key in ["ab", Key.escape, "/bz", end] { try terminal.typeAndWaitUntilRead(key) }
    try terminal.type("ix" + Key.enter, showing: "<axb>")
  }

  @Test(
    "a new size in a search, and a paste of several rows, leave the cursor in the text",
    arguments: ["-e", "-v"])
  func sizeInSearch(_ mode: String) throws {
    let folder = try home("bind \(mode)")
    let terminal = try probe(
      arguments: ["--whole", "--moves", folder.file("moves")], environment: ["HOME": folder.path])
    try terminal.type(Key.paste("one {\n  two three\n}") + Key.enter)
    try terminal.wait(forText: "<one {|  two three|}>")
    try terminal.wait(forPrompt: "frc> ")

    try terminal.type(Key.control("R") + "thr", showing: "(search 'thr')")
    for (columns, rows) in [(7, 3), (1, 1), (30, 20)] {
      terminal.resize(columns: columns, rows: rows)
      try terminal.typeAndWaitUntilRead("e")
      try terminal.typeAndWaitUntilRead(Key.backspace)
    }
    try terminal.wait(for: "the match") { $0.screen.cursorRow == "...>   two three" }
    try terminal.type(Key.paste("(\n)") + Key.left + "x" + Key.enter)

    try terminal.wait(forText: "<one {|  two (|x)three|}>")
    #expect(folder.read("moves") == "")
  }

  // MARK: Memory

  @Test("a long text is deleted to the right, by vi's commands too")
  func longDeletion() throws {
    let folder = try home("bind -v")
    let terminal = try probe(environment: ["HOME": folder.path])

    try terminal.type(Key.paste(String(repeating: "((", count: 30_000)))
    for key in [Key.escape, "0", "d", "$", "i", "x"] { try terminal.typeAndWaitUntilRead(key) }
    try terminal.type(Key.enter, showing: "<x>")
  }

  @Test("a word as long as libedit's memory is copied")
  func longWord() throws {
    let terminal = try probe()
    let word = String(repeating: "a", count: 700)

    try terminal.type(word + Key.alt("\u{1F}") + Key.enter)

    try terminal.wait(for: "the word twice") {
      String(decoding: $0.output, as: UTF8.self).contains("<\(word)\(word)>")
    }
  }

  // MARK: Replaced functions

  @Test(
    "a function that does harm is replaced, whatever key it has",
    arguments: ["em-inc-search-next", "em-inc-search-prev", "vi-search-next", "vi-search-prev"],
    ["-e", "-v"])
  func search(_ function: String, mode: String) throws {
    let folder = try home("bind \(mode)", "bind \"^T\" \(function)")
    let terminal = try probe(environment: ["HOME": folder.path])

    try terminal.type(Key.control("T"), showing: "(search '')")
  }

  @Test("a key that changes the next key does nothing, so a text that this one types is seen")
  func metaMacro() throws {
    let folder = try home(
      "bind -v", "bind \"^T\" em-meta-next", "bind -s \"\\344\" \"\\e$ix\"")
    let terminal = try probe(
      arguments: ["--moves", folder.file("moves")], environment: ["HOME": folder.path])

    try terminal.type(Key.control("T") + "d" + Key.enter, showing: "<d>")
    #expect(folder.read("moves") == "")
  }

  @Test("a long line comes back whole after an older entry", arguments: ["", "search-"])
  func longDraft(_ kind: String) throws {
    let folder = try home(
      "bind \"^T\" ed-\(kind)prev-history", "bind \"^Y\" ed-\(kind)next-history")
    let terminal = try probe(environment: ["HOME": folder.path])
    try terminal.type("old" + Key.enter, showing: "<old>")
    try terminal.wait(forPrompt: "frc> ")

    let text = String(repeating: "a", count: 1100)
    try terminal.type(text + Key.control("A") + Key.control("T"))
    try terminal.wait(for: "the entry") { $0.screen.cursorRow == "frc> old" }
    try terminal.type(Key.control("Y") + Key.enter)

    try terminal.wait(for: "the long line") {
      String(decoding: $0.output, as: UTF8.self).contains("<\(text)>")
    }
  }

  @Test("the editor opens outside raw mode, on any key")
  func draft() throws {
    let folder = try home("bind -v", "bind -a \"g\" vi-histedit")
    let terminal = try probe(arguments: ["--assist"], environment: ["HOME": folder.path])

    try terminal.type("abc" + Key.escape + "g", showing: ["[N] frc> abc edited"])
    try terminal.type("v", showing: ["[N] frc> abc edited edited"])
  }

  @Test("of two keys in a row with a harmful function, both are replaced")
  func range() throws {
    let folder = try home(
      "bind -v", "bind -a \"g\" vi-undo", "bind -a \"h\" vi-undo", "bind -a \"^[g\" vi-undo")
    let terminal = try probe(environment: ["HOME": folder.path])

    for key in ["ab", Key.escape, "h"] { try terminal.typeAndWaitUntilRead(key) }
    try terminal.wait(forRows: ["[N] frc>"])
    try terminal.type("iabc d")
    for key in [Key.escape, "g"] { try terminal.typeAndWaitUntilRead(key) }
    try terminal.wait(forRows: ["[N] frc> abc"])
  }

  @Test("libedit's command line and vi's searches again and . do nothing, on any key")
  func refused() throws {
    let functions = ["ed-command", "vi-repeat-search-next", "vi-repeat-search-prev", "vi-redo"]
    let folder = try home(
      ["bind -v"] + zip("QZVg", functions).map { "bind -a \"\($0)\" \($1)" })
    let terminal = try probe(environment: ["HOME": folder.path])

    try terminal.type("a1" + Key.escape + "xQZVg:nN.", showing: ["[N] frc> a"])
    try terminal.type(Key.enter, showing: "<a>")
  }

  // MARK: Keys that type a text

  @Test("the commands in a text that a key types leave the cursor in the line")
  func macro() throws {
    let folder = try home(
      "bind -v", "bind -s \"^T\" \"\\e$iab\"", "bind -a -s \"\\312\" \"$aef\"")
    let terminal = try probe(
      arguments: ["--moves", folder.file("moves")], environment: ["HOME": folder.path])

    try terminal.type(Key.control("T"), showing: ["frc> ab"])
    try terminal.type("cd" + Key.escape + "0\u{CA}" + Key.enter, showing: "<abcdef>")

    #expect(folder.read("moves") == "cursor -1 of 0\n")
  }

  @Test("a key that types a text keeps the count before it, and its keys may type texts too")
  func nestedMacro() throws {
    let folder = try home("bind -v", "bind -a -s \"g\" \"xz\"", "bind -a -s \"z\" \"ib\\ea\"")
    let terminal = try probe(environment: ["HOME": folder.path])

    try terminal.type("aaaa" + Key.escape + "02gc" + Key.enter, showing: "<bcaa>")
  }

  @Test("in emacs, keys of one and of several characters type a text")
  func emacsMacro() throws {
    let folder = try home(
      "bind -s \"^T\" \"日本 \\e[D\"", "bind -s \"\\e[15~\" \"x\"", "bind -s \"^Xa\" \"y\"")
    let terminal = try probe(environment: ["HOME": folder.path])

    try terminal.type("\u{1B}[15~" + Key.control("T") + Key.control("X") + "a")

    try terminal.wait(forRows: ["frc> x日本y"])
  }

  @Test("Ctrl-C ends a text that types itself again")
  func endlessMacro() throws {
    let folder = try home("bind -s \"^T\" \"a^T^T\"")
    let terminal = try probe(environment: ["HOME": folder.path])

    try terminal.typeAndWaitUntilRead(Key.control("T"))
    try terminal.type(Key.control("C"), showing: "interrupted")
    try terminal.wait(forPrompt: "frc> ")
    try terminal.type("b" + Key.enter, showing: "<b>")
  }

  // MARK: Other settings of the user

  @Test("with 'edit off' in the user's settings, lines are read without editing")
  func editOff() throws {
    let folder = try home("edit off")
    let terminal = try PseudoTerminal(
      PseudoTerminal.builtProgram("LineEditorProbe"), environment: ["HOME": folder.path])

    try terminal.wait(forText: "frc>")
    #expect(!terminal.isRaw)
    try terminal.type("ab\n", showing: "<ab>")
  }

  @Test("settings of the terminal's mode do not keep the keys from the editor")
  func mode() throws {
    let folder = try home("setty -d +icanon +echo")
    let terminal = try probe(environment: ["HOME": folder.path])

    try terminal.type("ab" + Key.left + "c", showing: ["frc> acb"])
    try terminal.type(Key.enter, showing: "<acb>")
  }
}
