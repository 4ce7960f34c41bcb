import PseudoTerminal
import Testing

@Suite struct CompletionTests {
  @Test("a single candidate is inserted with its blank")
  func unique() throws {
    let terminal = try probe()

    try terminal.type("fe" + Key.tab + "x" + Key.enter, showing: "<fetch x>")
  }

  @Test("what the candidates have in common is inserted, and they are listed below")
  func common() throws {
    let terminal = try probe()

    try terminal.type("in" + Key.tab)
    try terminal.wait(forRows: ["frc> ins", "  insert   a new object", "  inspect  見る"])
    #expect(terminal.screen.cursor == (row: 0, column: 8))
    try terminal.type("e", showing: ["frc> inse", "  insert  a new object"])
    try terminal.type(Key.tab + Key.enter, showing: "<insert >")
  }

  @Test("Japanese is completed and listed")
  func japanese() throws {
    let terminal = try probe()

    try terminal.type("日" + Key.tab, showing: ["frc> 日", "  日本", "  日曜"])
    try terminal.type("曜" + Key.tab + "だ" + Key.enter, showing: "<日曜 だ>")
  }

  @Test("the word before the cursor is completed, what is behind it stays")
  func inTheMiddle() throws {
    let terminal = try probe()

    try terminal.type("del(名前)" + String(repeating: Key.left, count: 4) + Key.tab)

    try terminal.wait(forRows: ["frc> delete (名前)"])
    #expect(terminal.screen.cursor.column == 12)
  }

  @Test(
    "a list stands below a line of several rows, and writes over none of them",
    arguments: ["1234567890123456789", "12345678901234567890"])
  func listInWrappedLine(_ secondRow: String) throws {
    let terminal = try probe(columns: 20)

    try terminal.type("ins 01234567890" + secondRow + Key.home)
    try terminal.type(String(repeating: Key.right, count: 3) + Key.tab)

    let rows = ["frc> ins 01234567890", secondRow]
    let empty = secondRow.count == 20 ? [""] : []
    try terminal.wait(
      forRows: rows + empty + ["  insert   a new o…", "  inspect  見る"])
    #expect(terminal.screen.cursor == (row: 0, column: 8))
    try terminal.type(Key.control("G"), showing: rows)
  }

  @Test("in a block the lines before are part of what is asked about")
  func inABlock() throws {
    let terminal = try probe()

    try terminal.type("日{" + Key.enter + "fe" + Key.tab + "}" + Key.enter, showing: "<日{|fetch }>")
  }

  @Test("a list longer than the menu is walked through")
  func longList() throws {
    let terminal = try probe(columns: 30, rows: 12)

    try terminal.type("many" + Key.tab)
    let first = (1...8).map { "  many\($0)" }
    try terminal.wait(forRows: ["frc> many"] + first + ["  1 to 8 of 500"])
    try terminal.type(String(repeating: Key.tab, count: 9))
    try terminal.wait(
      forRows: ["frc> many9"] + first.dropFirst() + ["> many9", "  2 to 9 of 500"])
    try terminal.type(Key.up)
    try terminal.wait(for: "the one before") { $0.screen.rows[7] == "> many8" }
    // From the first back to what was typed, and on to the last.
    try terminal.type(String(repeating: Key.up, count: 9))
    try terminal.wait(for: "the last") {
      $0.screen.rows.first == "frc> many500" && $0.screen.rows[8] == "> many500"
    }
    try terminal.type(Key.enter, showing: ["frc> many500"])
    try terminal.type(Key.enter, showing: ["frc> many500", "<many500>", "frc>"])
  }

  @Test("on the last row the screen makes room for the list, and what is above stays")
  func lastRow() throws {
    let terminal = try probe(columns: 30, rows: 4)

    for text in ["a", "b"] {
      try terminal.type(text + Key.enter, showing: "<\(text)>")
      try terminal.wait(forPrompt: "frc> ")
    }
    #expect(terminal.screen.cursor.row == 3)
    try terminal.type("in" + Key.tab)
    try terminal.wait(forRows: [
      "<b>", "frc> ins", "  insert   a new object", "  inspect  見る",
    ])
    try terminal.type(Key.tab + Key.tab)
    try terminal.wait(forRows: [
      "<b>", "frc> inspect", "  insert   a new object", "> inspect  見る",
    ])
    // The first Enter takes the candidate, the second the statement.
    try terminal.type(
      Key.enter + Key.enter, showing: ["<b>", "frc> inspect", "<inspect >", "frc>"])
    #expect(terminal.screen.scrolledOff == ["frc> a", "<a>", "frc> b"])
  }

  @Test("in a text higher than the screen the list stands under the cursor's row")
  func tallText() throws {
    let terminal = try probe(columns: 20, rows: 5)

    try terminal.type(Key.paste("1\n2\n3\n4\n5\nin\n7\n8"))
    try terminal.type(Key.up + Key.up + Key.end + Key.tab)

    try terminal.wait(forRows: [
      "...> 4", "...> 5", "...> ins", "  insert   a new o…", "  inspect  見る",
    ])
    try terminal.type(Key.control("G") + Key.control("C"), showing: "interrupted")
  }

  @Test("Escape takes back what was only tried")
  func escape() throws {
    let terminal = try probe()

    try terminal.type("in" + Key.tab + Key.tab)
    try terminal.wait(for: "the choice") { $0.screen.rows.first == "frc> insert" }
    try terminal.type(Key.escape, showing: ["frc> ins"])
  }

  @Test("no candidate rings the bell and changes nothing")
  func nothing() throws {
    let terminal = try probe()

    try terminal.type("zz" + Key.tab)
    try terminal.wait(for: "the bell") { $0.screen.bellCount == 1 }

    #expect(terminal.screen.rows == ["frc> zz"])
  }
}
