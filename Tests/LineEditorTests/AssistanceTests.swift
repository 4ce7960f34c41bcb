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

    try terminal.type("a {\r  b\r}\r")

    try terminal.wait(forText: "<a {|  b|}>")
  }

  @Test("the newest entry that begins so stands behind the text; right arrow takes it")
  func hint() throws {
    let terminal = try assisted()
    for text in ["insert 日本語", "insert x"] {
      try terminal.type(text + Key.enter)
      try terminal.wait(forText: "<\(text)>")
      try terminal.wait(forPrompt: "frc> ")
    }
    try terminal.type(Key.control("L"))
    try terminal.wait(forRows: ["frc>"])

    try terminal.type("ins")
    try terminal.wait(forRows: ["frc> insert x"])
    #expect(terminal.screen.cursor.column == 8)
    try terminal.type("ert 日")
    try terminal.wait(forRows: ["frc> insert 日本語"])
    try terminal.type(Key.right + "!")
    try terminal.wait(forRows: ["frc> insert 日本語!"])
    try terminal.type(Key.control("U") + "insert")
    try terminal.wait(forRows: ["frc> insert x"])
    // A hint that is not accepted does not belong to the statement.
    try terminal.type(Key.enter)

    try terminal.wait(forRows: ["frc> insert", "<insert>", "frc>"])
  }

  @Test("a word of the hint is taken by Alt-F, all of it by End")
  func words() throws {
    let terminal = try assisted()
    try terminal.type("one two three" + Key.enter)
    try terminal.wait(forText: "<one two three>")
    try terminal.wait(forPrompt: "frc> ")

    try terminal.type("o" + Key.alt("f") + Key.alt("f"))
    try terminal.wait(for: "two words") { $0.screen.cursor.column == 12 }
    try terminal.type(Key.end + "!" + Key.enter)

    try terminal.wait(forText: "<one two three!>")
  }

  @Test("where the history knows nothing, the language gives the hint")
  func languageHint() throws {
    let terminal = try assisted()

    try terminal.type("fe")
    try terminal.wait(forRows: ["frc> fetch"])
    try terminal.type(Key.right + Key.enter)

    try terminal.wait(forText: "<fetch>")
  }

  @Test("a hint that wraps leaves nothing behind, in a narrow window")
  func wrappedHint() throws {
    let terminal = try assisted(columns: 20, rows: 6)
    try terminal.type("insert 日本語の本と한국어" + Key.enter)
    try terminal.wait(forText: "<insert")
    try terminal.wait(forPrompt: "frc> ")
    try terminal.type(Key.control("L"))
    try terminal.wait(forRows: ["frc>"])

    try terminal.type("ins")
    try terminal.wait(forRows: ["frc> insert 日本語の", "本と한국어"])
    try terminal.type("x")
    try terminal.wait(forRows: ["frc> insx"])
    try terminal.type(Key.enter)

    try terminal.wait(forRows: ["frc> insx", "<insx>", "frc>"])
  }

  @Test("a paste is passed through whoever knows what it means")
  func paste() throws {
    let terminal = try assisted()

    try terminal.type(Key.paste("frc> a\nfrc> b") + Key.enter)

    try terminal.wait(forText: "<a|b>")
  }
}
