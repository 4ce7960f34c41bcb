import Basics
import Glibc
import PseudoTerminal
import Testing

/// Whole screens of the prompt, in a wide and in a narrow window.
@Suite struct PromptScreensTests {
  static let widths = [80, 40]

  init() {
    // The system determines the widths of characters.
    setlocale(LC_CTYPE, "C.UTF-8")
  }

  private func session(_ columns: Int, rows: Int = 12) throws -> TerminalSession {
    let session = try TerminalSession(columns: columns, rows: rows)
    try session.terminal.type(Key.control("L"), showing: ["frc>"])
    return session
  }

  /// Returns the rows of a text in a window.
  ///
  /// A wide character is not split.
  private func wrapped(_ text: String, _ columns: Int) -> [String] {
    var rows = [""]
    for character in text {
      let row = rows[rows.count - 1] + String(character)
      if DisplayWidth.width(of: row) > columns { rows.append("") }
      rows[rows.count - 1].append(character)
    }
    // Blanks at the end of a row are not visible.
    return rows.map { row in String(row.reversed().drop { $0 == " " }.reversed()) }
  }

  @Test("Japanese and Korean are edited across a wrapped line", arguments: widths)
  func wideText(_ columns: Int) throws {
    let session = try session(columns)
    let words = String(repeating: "日本語の本、한국어 책。", count: columns / 16)
    let entry = "print \"x\(words)\""

    try session.terminal.type(entry, showing: wrapped("frc> " + entry, columns))
    // An insertion into the first row moves every character after it.
    try session.terminal.type(
      Key.home + String(repeating: Key.right, count: 8) + Key.backspace + "가")
    let edited = "print \"가\(words)\""
    try session.terminal.wait(forRows: wrapped("frc> " + edited, columns))
    #expect(session.terminal.screen.cursor == (row: 0, column: 14))
    try session.terminal.type(Key.end + Key.backspace + Key.backspace + "\"")
    let shorter = "print \"가\(words.dropLast())\""
    try session.terminal.wait(forRows: wrapped("frc> " + shorter, columns))
    try session.type(Key.enter, untilPrompt: "frc> ")

    #expect(
      session.terminal.screen.rows
        == wrapped("frc> " + shorter, columns)
        + wrapped("가" + String(words.dropLast()), columns) + ["frc>"])
  }

  @Test("on the last row the list makes room, and nothing is left behind Enter", arguments: widths)
  func lastRow(_ columns: Int) throws {
    let session = try session(columns, rows: 5)
    try session.enterEach(["entity Book { title: String }", "print 1"])
    #expect(session.terminal.screen.cursor.row == 4)

    try session.terminal.type("refresh a" + Key.backspace + Key.backspace + Key.backspace)
    try session.terminal.wait(for: "the line") { $0.screen.cursor.column == 11 }
    try session.terminal.type(Key.control("U") + "re" + Key.tab)
    try session.terminal.wait(for: "the list") {
      $0.screen.rows.count == 5 && $0.screen.rows[0] == "frc> re" && $0.screen.cursor.row == 0
    }
    let seen = session.terminal.screen.rows
    #expect(seen[1...].allSatisfy { $0.hasPrefix("  re") && DisplayWidth.width(of: $0) < columns })
    try session.terminal.type(Key.control("G") + Key.control("U") + "print 2" + Key.enter)
    try session.terminal.wait(forRows: ["frc> print 2", "2", "frc>"])
  }

  @Test("a resized window shows the line and its list for its new width")
  func resize() throws {
    let session = try session(80)
    let entry = "print \"" + String(repeating: "日本 한국 ", count: 5) + "\""

    try session.terminal.type(entry, showing: wrapped("frc> " + entry, 80))
    session.terminal.resize(columns: 40, rows: 12)
    try session.terminal.wait(for: "the narrow line") { [wrapped] in
      Array($0.screen.rows.suffix(2)) == wrapped("frc> " + entry, 40)
    }
    session.terminal.resize(columns: 80, rows: 12)
    try session.terminal.wait(for: "the wide line") { $0.screen.rows.last == "frc> " + entry }
    try session.type(Key.enter, untilPrompt: "frc> ")
    #expect(session.terminal.screen.rows.suffix(1) == ["frc>"])
    try session.terminal.type(Key.control("L") + ":mode " + Key.tab)
    try session.terminal.wait(for: "the list") {
      $0.screen.rows.count == 6 && $0.screen.cursor.row == 0
    }
    session.terminal.resize(columns: 30, rows: 12)

    try session.terminal.wait(forRows: [
      "frc> :mode", "  text      as scripts print…", "  table     rows and section…",
      "  csv       rows and section…", "  markdown  rows and section…",
      "  json      one JSON object …",
    ])
  }

  @Test("a pasted session loses its prompts, its answers and its #> lines", arguments: widths)
  func paste(_ columns: Int) throws {
    let session = try session(columns)

    try session.terminal.type(
      Key.paste(
        """
        frc> perform {
        ...>   print 1
        ...> }
        1
        frc> print 2
        2
        #> 2
        frc>
        """))
    try session.terminal.wait(forRows: [
      "frc> perform {", "...>   print 1", "...> }", "...> print 2",
    ])
    try session.terminal.type(Key.enter)

    try session.terminal.wait(forRows: [
      "frc> perform {", "...>   print 1", "...> }", "...> print 2", "1", "2", "frc>",
    ])
  }

  @Test("a pasted script loses its expected output")
  func pastedScript() throws {
    let session = try session(80)

    try session.terminal.type(Key.paste("print 1\n#> 1\n# why\nprint 2\n#> 2") + Key.enter)

    try session.terminal.wait(forRows: [
      "frc> print 1", "...> # why", "...> print 2", "1", "2", "frc>",
    ])
  }

  @Test("Ctrl-R and the arrows find a block, and leave no trace", arguments: widths)
  func search(_ columns: Int) throws {
    let session = try session(columns)
    try session.enter("perform {", "print 1", "}")
    try session.enterEach(["print 22", "print 23"])
    try session.terminal.type(Key.control("L"), showing: ["frc>"])

    try session.terminal.type(Key.control("R") + "print")
    try session.terminal.wait(forRows: [
      "(search 'print') print 23", "> print 23", "  print 22", "  perform {⏎  print 1⏎}",
    ])
    try session.terminal.type(Key.up + Key.up)
    try session.terminal.wait(forRows: ["(search 'print') perform {", "...>   print 1", "...> }"])
    try session.terminal.type(Key.down)
    try session.terminal.wait(forRows: [
      "(search 'print') print 22", "> print 22", "  perform {⏎  print 1⏎}",
    ])
    try session.terminal.type(Key.end + Key.backspace + Key.backspace + "42" + Key.enter)

    try session.terminal.wait(forRows: ["frc> print 42", "42", "frc>"])
  }

  @Test("a hint is only seen, and names are only coloured")
  func hint() throws {
    let session = try session(80)
    try session.enter("entity Book { title: String }")

    try session.terminal.type("insert ")
    try session.terminal.wait(for: "the hint") {
      $0.screen.cursorRow == "frc> insert Book(" && $0.screen.cursor.column == 12
    }
    try session.type(Key.right + "title: \"A\")" + Key.enter, untilPrompt: "frc> ")
    #expect(session.terminal.screen.rows.suffix(2) == ["# Book/1", "frc>"])

    let before = session.terminal.output.count
    try session.terminal.type("insert Bok(title: 3)", showing: "insert Bok(title: 3)")
    let drawn = String(decoding: session.terminal.output[before...], as: UTF8.self)
    #expect(drawn.contains("\u{1B}[4;91mBok"), "\(drawn.debugDescription)")
  }

  @Test("a bracket that closes nothing, and one that nothing closes, are marked")
  func brackets() throws {
    let session = try session(80)

    try session.terminal.type("print (1]", showing: "frc> print (1]")

    let drawn = String(decoding: session.terminal.output, as: UTF8.self)
    #expect(drawn.contains("\u{1B}[1;93m("))
    #expect(drawn.contains("\u{1B}[1;91m]"))
  }

  @Test(
    "a light terminal gets darker colours, by COLORFGBG or FRC_THEME",
    arguments: [
      ["COLORFGBG": "0;15"], ["FRC_THEME": "light"],
    ])
  func light(_ environment: [String: String]) throws {
    let session = try TerminalSession(environment: environment)

    try session.terminal.type("print 1", showing: "frc> print 1")

    #expect(String(decoding: session.terminal.output, as: UTF8.self).contains("\u{1B}[1;34mprint"))
  }

  @Test(
    "without colours nothing is coloured as it is typed; what is chosen has a mark",
    arguments: [([], ["NO_COLOR": "1"]), (["--color", "never"], [:])]
      as [([String], [String: String])])
  func plain(_ arguments: [String], _ environment: [String: String]) throws {
    let session = try TerminalSession(arguments: arguments, environment: environment)

    try session.terminal.type(":mode " + Key.tab + Key.tab, showing: "> text ")
    try session.type(Key.enter + Key.enter, untilPrompt: "frc> ")

    let output = String(decoding: session.terminal.output, as: UTF8.self)
    #expect(
      !output.split(separator: "\u{1B}[").dropFirst().contains { part in
        part.first { !($0.isNumber || $0 == ";") } == "m"
      })
  }

  @Test(
    "a terminal that the system does not know is taken for an xterm, and one line says so",
    arguments: ["terminal-of-tomorrow", "xterm-ghostty"])
  func unknownTerminal(_ kind: String) throws {
    let terminal = try PseudoTerminal(
      PseudoTerminal.builtProgram("frc"), environment: ["TERM": kind, "FRC_HISTORY": ""])

    try terminal.wait(forPrompt: "frc> ")
    try terminal.type("pri" + Key.tab)
    try terminal.wait(forRows: [
      "# frc 0.1.0  :help for help",
      "# TERM=\(kind) is unknown on this system; it is treated as an xterm", "frc> print",
    ])
    try terminal.type("1" + Key.left + "2" + Key.enter, untilPrompt: "frc> ")
    #expect(terminal.screen.rows.suffix(3) == ["frc> print 21", "21", "frc>"])
    #expect(try terminal.exit(afterTyping: Key.control("D")) == .code(0))
    #expect(String(decoding: terminal.output, as: UTF8.self).contains("\u{1B}[1;94mprint"))
  }
}
