import PseudoTerminal
import Testing

/// Hints, indentation and pastes, with an assistant that knows braces.
@Suite struct AssistanceTests {
  private func assisted(columns: Int = 60, rows: Int = 20) throws -> PseudoTerminal {
    try probe(arguments: ["--assist"], columns: columns, rows: rows)
  }

  @Test("a new line in a block is indented, and a closing brace goes back")
  func indentation() throws {
    let terminal = try assisted()

    // Text that arrives at once is not indented, so the column shows that Enter was read.
    for (keys, row, column) in [
      ("a {" + Key.enter, "...>", 7), ("b {" + Key.enter, "...>", 9), ("c", "...>     c", 10),
      (Key.enter, "...>", 9), ("}", "...>   }", 8), (Key.enter, "...>", 7), ("}", "...> }", 6),
    ] {
      try terminal.type(keys)
      try terminal.wait(for: "'\(row)' and column \(column)") {
        $0.screen.cursorRow == row && $0.screen.cursor.column == column && $0.isRaw
      }
    }
    try terminal.type(Key.enter)

    try terminal.wait(forRows: [
      "frc> a {", "...>   b {", "...>     c", "...>   }", "...> }",
      "<a {|  b {|    c|  }|}>", "frc>",
    ])
  }

  @Test("blanks that are typed at a line's start are those that stand there already")
  func ownIndentation() throws {
    let terminal = try assisted()

    for (keys, row, column) in [
      ("a {" + Key.enter, "...>", 7), (" ", "...>", 7), (" ", "...>", 7), (" ", "...>", 8),
      ("b", "...>    b", 9), (Key.enter, "...>", 7), ("c {", "...>   c {", 10),
      (Key.enter, "...>", 9), ("  ", "...>", 9), ("}", "...>   }", 8), (" ", "...>   }", 9),
    ] {
      try terminal.typeAndWaitUntilRead(keys)
      try terminal.wait(for: "'\(row)' and column \(column)") {
        $0.screen.cursorRow == row && $0.screen.cursor.column == column && $0.isRaw
      }
    }
  }

  @Test("what comes in one go without marks has its own blanks")
  func unmarkedPaste() throws {
    let terminal = try assisted()

    try terminal.type("a {\r  b\r}\r", showing: "<a {|  b|}>")
  }

  @Test("the newest entry that begins so stands behind the text; right arrow takes it")
  func hint() throws {
    let terminal = try assisted()
    for text in ["insert 日本語", "insert x"] {
      try terminal.type(text + Key.enter, showing: "<\(text)>")
      try terminal.wait(forPrompt: "frc> ")
    }
    try terminal.type(Key.control("L"), showing: ["frc>"])

    try terminal.type("ins", showing: ["frc> insert x"])
    #expect(terminal.screen.cursor.column == 8)
    try terminal.type("ert 日", showing: ["frc> insert 日本語"])
    try terminal.type(Key.right + "!", showing: ["frc> insert 日本語!"])
    try terminal.type(Key.control("U") + "insert", showing: ["frc> insert x"])
    // A hint that is not accepted does not belong to the statement.
    try terminal.type(Key.enter, showing: ["frc> insert", "<insert>", "frc>"])
  }

  @Test("a word of the hint is taken by Alt-F, all of it by End")
  func words() throws {
    let terminal = try assisted()
    try terminal.type("one two three" + Key.enter, showing: "<one two three>")
    try terminal.wait(forPrompt: "frc> ")

    try terminal.type("o" + Key.alt("f") + Key.alt("f"))
    try terminal.wait(for: "two words") { $0.screen.cursor.column == 12 }
    try terminal.type(Key.end + "!" + Key.enter, showing: "<one two three!>")
  }

  @Test("where the history knows nothing, the language gives the hint")
  func languageHint() throws {
    let terminal = try assisted()

    try terminal.type("fe", showing: ["frc> fetch"])
    try terminal.type(Key.right + Key.enter, showing: "<fetch>")
  }

  @Test("a hint that wraps leaves nothing behind, in a narrow window")
  func wrappedHint() throws {
    let terminal = try assisted(columns: 20, rows: 6)
    try terminal.type("insert 日本語の本と한국어" + Key.enter, showing: "<insert")
    try terminal.wait(forPrompt: "frc> ")
    try terminal.type(Key.control("L"), showing: ["frc>"])

    try terminal.type("ins", showing: ["frc> insert 日本語の", "本と한국어"])
    try terminal.type("x", showing: ["frc> insx"])
    try terminal.type(Key.enter, showing: ["frc> insx", "<insx>", "frc>"])
  }

  @Test("a paste is passed through whoever knows what it means")
  func paste() throws {
    let terminal = try assisted()

    try terminal.type(Key.paste("frc> a\nfrc> b") + Key.enter, showing: "<a|b>")
  }
}
