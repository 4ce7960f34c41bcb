import Glibc
import PseudoTerminal
import Testing

/// Text that must not be typed or stay on the terminal.
@Suite struct LeakTests {
  /// Returns a home folder in which vi's keys are selected or not.
  private func folder(_ mode: String) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try folder.write("frc:bind \(mode)\n".utf8, to: ".editrc")
    return folder
  }

  @Test(
    "keys that mean nothing, and what the terminal tells by itself, type nothing",
    arguments: ["-e", "-v"],
    [
      "\u{1B}[5~", "\u{1B}[15~", "\u{1B}[1;2D", "\u{1B}[57441;1u", "\u{1B}[97;5u", "\u{1B}[<0;3;4M",
      "\u{1B}[M !!", "\u{1B}[12;40R", "\u{1B}]11;rgb:1e1e/1e1e/1e1e\u{7}",
      "\u{1B}P1+r544e=78\u{1B}\\", "\u{1B}[I", "\u{1B}[201~", "\u{1B}OP", "\u{1B}[[A",
    ])
  func unknownKeys(_ mode: String, _ key: String) throws {
    let home = try folder(mode)
    let terminal = try probe(environment: ["HOME": home.path])

    try terminal.type("ab" + key + "c" + Key.enter, showing: ["frc> abc", "<abc>", "frc>"])
  }

  @Test("sequences and characters that come byte by byte are whole", arguments: ["-e", "-v"])
  func split(_ mode: String) throws {
    let home = try folder(mode)
    let terminal = try probe(environment: ["HOME": home.path])

    for byte in Array("a\u{1B}[6~日\u{1B}[1;5Dx".utf8) { try terminal.type(bytes: [byte]) }

    try terminal.wait(forRows: ["frc> xa日"])
  }

  @Test("a key that the user has bound in ~/.editrc does what it is bound to")
  func bound() throws {
    let folder = try TemporaryFolder()
    try folder.write(
      "frc:bind \"\\e[15~\" ed-move-to-beg\nfrc:bind \"\\e[17~\" kill-to-line-end\n".utf8,
      to: ".editrc")
    let terminal = try probe(environment: ["HOME": folder.path])

    try terminal.type("bc\u{1B}[15~a", showing: ["frc> abc"])
    try terminal.type("\u{1B}[17~", showing: ["frc> a"])
  }

  @Test("Ctrl-V inserts the next character, and of a key that sends more nothing")
  func quoting() throws {
    let terminal = try probe()

    try terminal.type("a" + Key.control("V") + "\t" + Key.control("V") + Key.up)
    try terminal.type(Key.control("V") + "\u{1B}[15~b" + Key.enter, showing: "<a")
    #expect(String(decoding: terminal.output, as: UTF8.self).contains("<a\tb>"))

    // libedit gives this key the same meaning.
    try terminal.wait(forPrompt: "frc> ")
    try terminal.type("c\0" + Key.delete + "\0\td" + Key.enter)
    try terminal.wait(for: "the statement") {
      String(decoding: $0.output, as: UTF8.self).contains("<c\td>")
    }
  }

  @Test("vi's . types nothing again, and hangs on no number")
  func redo() throws {
    let home = try folder("-v")
    let terminal = try probe(environment: ["HOME": home.path])

    try terminal.type("1...9", showing: ["frc> 1...9"])
    try terminal.type(Key.escape)
    try terminal.wait(for: "the command mode") { $0.screen.cursor.column == 13 }
    try terminal.type("...x", showing: ["[N] frc> 1..."])
    try terminal.type(Key.control("C"), showing: "interrupted")
  }

  @Test("in vi's command mode Escape takes no key with it, and arrows move")
  func viEscape() throws {
    let home = try folder("-v")
    let terminal = try probe(environment: ["HOME": home.path])

    try terminal.type("abc", showing: ["frc> abc"])
    for _ in 1...3 {
      try terminal.typeAndWaitUntilRead(Key.escape)
      usleep(80_000)
    }
    try terminal.type("x", showing: ["[N] frc> ab"])
    try terminal.type(Key.left + "x", showing: ["[N] frc> b"])
  }

  @Test("Ctrl-S stops no output, and Ctrl-\\ ends no session")
  func flow() throws {
    let terminal = try probe()

    try terminal.type("a" + Key.control("S") + Key.control("\\") + "b" + Key.enter)

    try terminal.wait(forRows: ["frc> ab", "<ab>", "frc>"])
  }

  @Test(
    "a signal ends the program in the midst of a paste, a key or a search, the terminal in order",
    arguments: [SIGTERM, SIGHUP, SIGSEGV, SIGABRT],
    ["\u{1B}[200~half a paste", "\u{1B}", "\u{1B}]11;", Key.control("R") + "a"])
  func signals(_ signal: Int32, _ start: String) throws {
    let terminal = try probe()

    try terminal.type("abc", showing: ["frc> abc"])
    try terminal.typeAndWaitUntilRead(start)
    terminal.send(signal)

    #expect(try terminal.waitForExit() == .signal(signal))
    #expect(!terminal.isRaw)
    #expect(terminal.screen.privateModes.isEmpty)
  }

  @Test("a signal ends a program that does not listen, the terminal in order")
  func deaf() throws {
    let terminal = try probe(arguments: ["--deaf"])

    // The probe never returns from this Tab.
    try terminal.typeAndWaitUntilRead("x\t")
    terminal.send(SIGTERM)

    #expect(try terminal.waitForExit() == .signal(SIGTERM))
    #expect(!terminal.isRaw)
    #expect(terminal.screen.privateModes.isEmpty)
  }

  @Test("a paste without an end is inserted all the same, and Ctrl-C leaves it")
  func endlessPaste() throws {
    let terminal = try probe()

    try terminal.type("\u{1B}[200~one\rtwo", showing: ["frc> one", "...> two"])
    try terminal.type(Key.control("C"), untilPrompt: "frc> ")
    try terminal.type("x" + Key.enter, showing: "<x>")
  }

  @Test("tabs stay in what is pasted while a statement runs")
  func typedAhead() throws {
    let terminal = try probe()

    try terminal.type("loop" + Key.enter, showing: "looping")
    try terminal.type(Key.control("C") + "a\tb\r\tc\r")

    try terminal.wait(for: "both lines") { terminal in
      let output = String(decoding: terminal.output, as: UTF8.self)
      return output.contains("<a\tb>") && output.contains("<\tc>")
    }
  }

  @Test("a control character at the right edge has two cells, like any two characters")
  func controlAtEdge() throws {
    let terminal = try probe(columns: 10)

    // The ^ is in the last cell of the row.
    try terminal.type(Key.paste("abcd\u{1}ef"), showing: ["frc> abcd^", "Aef"])
    try terminal.type(Key.left + Key.left + Key.backspace + "x", showing: ["frc> abcdx", "ef"])
    #expect(terminal.screen.cursor == (row: 1, column: 0))
  }

  @Test("a hint that would look like typed text is not shown, and not taken")
  func plainHint() throws {
    let terminal = try probe(arguments: ["--assist", "--plain"])

    try terminal.type("fe" + Key.right + Key.enter, showing: ["frc> fe", "<fe>", "frc>"])
  }

  @Test("an unknown terminal is taken for an xterm", arguments: ["xterm-of-tomorrow", "ghostty"])
  func unknownTerminal(_ kind: String) throws {
    let terminal = try probe(environment: ["TERM": kind])

    try terminal.type("日本 {" + Key.enter + "x" + Key.left + "y" + Key.end + "}" + Key.enter)

    try terminal.wait(forRows: ["frc> 日本 {", "...> yx}", "<日本 {|yx}>", "frc>"])
  }
}
