import Glibc
import LineEditor
import PseudoTerminal
import Testing

@Suite struct CompletionTests {
  @Test("a single candidate is inserted with its blank")
  func unique() throws {
    let terminal = try probe()

    try terminal.type("fe" + Key.tab + "x" + Key.enter)

    try terminal.wait(forText: "<fetch x>")
  }

  @Test("what the candidates have in common is inserted, then they are listed")
  func common() throws {
    let terminal = try probe()

    try terminal.type("in" + Key.tab)
    try terminal.wait(forRows: ["frc> ins"])
    try terminal.type(Key.tab)
    try terminal.wait(forRows: ["frc> ins", "insert   inspect", "frc> ins"])
    try terminal.type("e" + Key.tab + Key.enter)

    try terminal.wait(forText: "<insert >")
  }

  @Test("Japanese is completed and listed")
  func japanese() throws {
    let terminal = try probe()

    try terminal.type("日" + Key.tab)
    try terminal.wait(forRows: ["frc> 日", "日本  日曜", "frc> 日"])
    try terminal.type("曜" + Key.tab + "だ" + Key.enter)

    try terminal.wait(forText: "<日曜 だ>")
  }

  @Test("the word before the cursor is completed, what is behind it stays")
  func inTheMiddle() throws {
    let terminal = try probe()

    try terminal.type("del(名前)" + String(repeating: Key.left, count: 4) + Key.tab)

    try terminal.wait(forRows: ["frc> delete (名前)"])
    #expect(terminal.screen.cursor.column == 12)
  }

  @Test(
    "a list in the midst of a line of several rows writes over none of them",
    arguments: ["1234567890123456789", "12345678901234567890"])
  func listInWrappedLine(_ secondRow: String) throws {
    let terminal = try probe(columns: 20)

    try terminal.type("ins 01234567890" + secondRow + Key.home)
    try terminal.type(String(repeating: Key.right, count: 3) + Key.tab)

    let rows = ["frc> ins 01234567890", secondRow]
    try terminal.wait(forRows: rows + ["insert   inspect"] + rows)
    #expect(terminal.screen.cursor.row == 3)
    #expect(terminal.screen.cursor.column == 8)
  }

  @Test("in a block the lines before are part of what is asked about")
  func inABlock() throws {
    let terminal = try probe()

    try terminal.type("日{" + Key.enter + "fe" + Key.tab + "}" + Key.enter)

    try terminal.wait(forText: "<日{|fetch }>")
  }

  @Test("a list longer than the screen is cut and says so")
  func longList() throws {
    let terminal = try probe(columns: 30, rows: 10)

    try terminal.type("many" + Key.tab)

    try terminal.wait(forText: "... and 479 more")
    try terminal.wait(for: "the line again") { $0.screen.cursorRow == "frc> many" }
  }

  @Test("no candidate rings the bell and changes nothing")
  func nothing() throws {
    let terminal = try probe()

    try terminal.type("zz" + Key.tab)
    try terminal.wait(for: "the bell") { $0.screen.bellCount == 1 }

    #expect(terminal.screen.rows == ["frc> zz"])
  }
}

@Suite struct CandidateListTests {
  init() {
    setlocale(LC_CTYPE, "C.UTF-8")
  }

  @Test("columns are read downwards and aligned by display width")
  func columns() {
    let list = CandidateList(
      ["a", "日本語", "bb ", "한국", "c"], fitting: TerminalSize(columns: 20, rows: 24))

    #expect(list.rows == ["a       한국", "日本語  c", "bb"])
  }

  @Test("a candidate wider than the screen has a row of its own")
  func wide() {
    let list = CandidateList(
      ["abcdefghij", "b"], fitting: TerminalSize(columns: 5, rows: 24))

    #expect(list.rows == ["abcdefghij", "b"])
  }

  @Test("nothing gives no rows")
  func empty() {
    #expect(CandidateList([], fitting: TerminalSize(columns: 5, rows: 24)).rows.isEmpty)
  }
}
