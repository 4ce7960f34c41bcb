import Glibc
import PseudoTerminal
import Testing

@Suite struct InterruptTests {
  @Test("Ctrl-C drops the line and keeps the session")
  func line() throws {
    let terminal = try probe()

    // Ctrl-C drops typed text that was not read yet, so look first.
    try terminal.type("insert Per" + Key.left + Key.left)
    try terminal.wait(for: "the cursor") { $0.screen.cursor.column == 13 }
    try terminal.type(Key.control("C"), showing: ["frc> insert Per^C", "interrupted", "frc>"])
    try terminal.type("next" + Key.enter)

    try terminal.wait(forRows: [
      "frc> insert Per^C", "interrupted", "frc> next", "<next>", "frc>",
    ])
  }

  @Test("Ctrl-C in a line of several rows writes over none of them")
  func wrappedLine() throws {
    let terminal = try probe(columns: 20)

    try terminal.type("0123456789012345678901234567890123456789" + Key.home)
    try terminal.wait(for: "the cursor") {
      $0.screen.rows.count == 3 && $0.screen.cursor == (row: 0, column: 5)
    }
    try terminal.type(Key.control("C"))

    try terminal.wait(forRows: [
      "frc> 012345678901234", "56789012345678901234", "56789^C", "interrupted", "frc>",
    ])
  }

  @Test("Ctrl-C drops the whole block")
  func block() throws {
    let terminal = try probe()

    try terminal.type("fetch {" + Key.enter + "a" + Key.enter + "b")
    try terminal.wait(forRows: ["frc> fetch {", "...> a", "...> b"])
    try terminal.type(Key.control("C"))
    try terminal.wait(forRows: ["frc> fetch {", "...> a", "...> b^C", "interrupted", "frc>"])
    try terminal.type("c" + Key.enter, showing: "<c>")
  }

  @Test("Ctrl-C leaves a search, a half-typed key and a paste")
  func everywhere() throws {
    let terminal = try probe()

    try terminal.type("old" + Key.enter, showing: "<old>")
    for start in [Key.control("R") + "ol", Key.escape, "\u{1B}[200~half a paste"] {
      try terminal.wait(forPrompt: "frc> ")
      try terminal.type(Key.control("L"), showing: ["frc>"])
      try terminal.typeAndWaitUntilRead(start)
      try terminal.type(Key.control("C"), showing: "interrupted")
      try terminal.wait(forPrompt: "frc> ")
      try terminal.type("next" + Key.enter, showing: "<next>")
    }
  }

  @Test("Ctrl-C interrupts a statement that runs, and only that")
  func running() throws {
    let terminal = try probe()

    try terminal.type("loop" + Key.enter, showing: "looping")
    try terminal.type(Key.control("C"))

    try terminal.wait(for: "the prompt") { $0.screen.rows.last == "frc>" && $0.isRaw }
    #expect(terminal.screen.rows.filter { $0.hasSuffix("stopped") }.count == 1)
    #expect(!terminal.screen.text.contains("interrupted"))
  }

  @Test("many Ctrl-C in a row each give a prompt or none, and the session lives")
  func many() throws {
    let terminal = try probe()

    try terminal.type(String(repeating: "a" + Key.control("C"), count: 50))
    try terminal.type("alive" + Key.enter, showing: "<alive>")
  }

  @Test("Ctrl-D on an empty line leaves; the terminal is as it was")
  func leave() throws {
    let terminal = try probe()

    #expect(try terminal.exit(afterTyping: Key.control("D")) == .code(0))
    #expect(!terminal.isRaw)
    #expect(terminal.screen.privateModes.isEmpty)
    #expect(terminal.screen.rows == ["frc> ^D", "end"])
  }

  @Test("Ctrl-D within a line deletes, and at its end does nothing")
  func deleteForward() throws {
    let terminal = try probe()

    try terminal.type("abc" + Key.control("D") + Key.home + Key.control("D"), showing: ["frc> bc"])
  }

  @Test("Ctrl-D on an empty line of a block drops the block and leaves")
  func leaveBlock() throws {
    let terminal = try probe()

    try terminal.type("fetch {" + Key.enter, untilPrompt: "...> ")
    #expect(try terminal.exit(afterTyping: Key.control("D")) == .code(0))
    #expect(terminal.screen.rows == ["frc> fetch {", "...> ^D", "end"])
  }

  @Test("a signal that ends the program finds the terminal in order", arguments: [SIGTERM, SIGHUP])
  func fatal(_ signal: Int32) throws {
    let terminal = try probe()

    try terminal.type("abc", showing: ["frc> abc"])
    terminal.send(signal)

    #expect(try terminal.waitForExit() == .signal(signal))
    #expect(!terminal.isRaw)
    #expect(terminal.screen.privateModes.isEmpty)
  }

  @Test("Ctrl-Z stops the program, behind its text, and fg brings back the line")
  func suspended() throws {
    let terminal = try PseudoTerminal(
      "/bin/bash", arguments: ["--norc", "--noprofile", "-i"], environment: ["PS1": "shell$ "],
      columns: 60, rows: 20)

    try terminal.wait(forPrompt: "shell$ ")
    try terminal.type(PseudoTerminal.builtProgram("LineEditorProbe") + Key.enter)
    try terminal.wait(forPrompt: "frc> ")
    try terminal.type("{" + Key.enter + "日本" + Key.up)
    try terminal.wait(for: "the cursor in the first line") {
      $0.screen.rows.last == "...> 日本" && $0.screen.cursorRow == "frc> {"
    }
    try terminal.type(Key.control("Z"), untilPrompt: "shell$ ")
    #expect(terminal.screen.text.contains("frc> {\n...> 日本\n"))
    try terminal.type("fg" + Key.enter)
    try terminal.wait(for: "the line again") {
      $0.screen.rows.suffix(2) == ["frc> {", "...> 日本"] && $0.screen.cursorRow == "frc> {"
        && $0.isRaw && $0.screen.privateModes == [2004]
    }
    try terminal.type("x" + Key.down + "}" + Key.enter)
    // Down keeps the column, which is in the middle of 日本.
    try terminal.wait(forText: "<{x|日}本>")
  }

  @Test("a program that was stopped draws its line again and goes on")
  func stopped() throws {
    let terminal = try probe()

    try terminal.type("abc", showing: ["frc> abc"])
    terminal.send(SIGSTOP)
    terminal.send(SIGCONT)
    try terminal.wait(for: "the line drawn in one go") {
      String(decoding: $0.output, as: UTF8.self).contains("frc> abc")
    }
    try terminal.type("d" + Key.enter, showing: "<abcd>")
  }

  /// Keys that arrive in two parts.
  private static let halves: [(start: String, rest: String)] = [
    ("\u{1B}[1;", "5D"), ("\u{1B}[", "15~"), ("\u{1B}O", "P"),
    ("\u{1B}]11;rgb:1e1e", "/1e1e/1e1e\u{7}"), ("\u{1B}[M!", "!#"),
    ("\u{1B}[200~half\r", "rest\rmore\u{1B}[201~"),
  ]

  @Test("an interrupt by another program amid a key drops all of the key", arguments: halves)
  func amidKey(_ start: String, _ rest: String) throws {
    let terminal = try probe()

    try terminal.typeAndWaitUntilRead("old" + start)
    terminal.send(SIGINT)
    try terminal.wait(forText: "interrupted")
    try terminal.wait(forPrompt: "frc> ")
    try terminal.type(rest + "next" + Key.enter, showing: "<next>")
    #expect(!terminal.screen.text.contains("rest"))
  }

  @Test("an interrupt by another program amid a character drops all of the character")
  func amidCharacter() throws {
    let terminal = try probe()

    try terminal.type(bytes: Array("old".utf8))
    try terminal.wait(forRows: ["frc> old"])
    for count in [1, 2] {
      let character = Array("日".utf8)
      try terminal.typeAndWaitUntilRead(bytes: Array(character.prefix(count)))
      terminal.send(SIGINT)
      try terminal.wait(forText: "interrupted")
      try terminal.wait(forPrompt: "frc> ")
      try terminal.type(bytes: character.dropFirst(count) + Array("next\(count)\r".utf8))
      try terminal.wait(forText: "<next\(count)>")
      try terminal.wait(forPrompt: "frc> ")
    }
  }

  @Test(
    "a new size and a stop amid a key, a character or a paste change nothing of it",
    arguments: [[SIGWINCH], [SIGTSTP, SIGCONT], [SIGCONT]])
  func goesOn(_ signals: [Int32]) throws {
    let terminal = try probe()

    let halves: [(String, String, String)] = [
      ("ab\u{1B}[", "D日", "a日b"), ("\u{1B}[15", "~x", "x"),
      ("\u{1B}[200~half", " rest\u{1B}[201~", "half rest"),
    ]
    for (start, rest, expected) in halves {
      try terminal.typeAndWaitUntilRead(start)
      for signal in signals { terminal.send(signal) }
      try terminal.type(rest)
      try terminal.wait(for: expected) { $0.screen.cursorRow == "frc> \(expected)" }
      try terminal.type(Key.enter, untilPrompt: "frc> ")
    }
    try terminal.type(bytes: [0xE6, 0x97])
    for signal in signals { terminal.send(signal) }
    try terminal.type(bytes: [0xA5] + Array(Key.enter.utf8))
    try terminal.wait(forText: "<日>")
  }
}
