import PseudoTerminal
import Testing

@Suite struct HistoryKeysTests {
  @Test("Up takes older entries and Down comes back to what was being typed")
  func upAndDown() throws {
    let terminal = try probe()
    try enter(["one", "two"], in: terminal)

    try terminal.type(Key.up, showing: ["frc> two"])
    try terminal.type(Key.up, showing: ["frc> one"])
    try terminal.type(Key.up + Key.down, showing: ["frc> two"])
    try terminal.type(Key.down, showing: ["frc>"])
    try terminal.type("dra", showing: ["frc> dra"])
  }

  @Test("Up and Alt-P take the entries that begin as the line does before the cursor")
  func prefix() throws {
    let terminal = try probe()
    try enter(["insert 名前", "fetch a", "insert 名字", "fetch b"], in: terminal)

    try terminal.type("insert 名" + Key.up, showing: ["frc> insert 名字"])
    try terminal.type(Key.alt("p"), showing: ["frc> insert 名前"])
    try terminal.type(Key.alt("n"), showing: ["frc> insert 名字"])
    // The text after the cursor is now the hint.
    try terminal.type(Key.down)
    try terminal.wait(for: "the draft") {
      $0.screen.rows == ["frc> insert 名字"] && $0.screen.cursor.column == 14
    }
    try terminal.type(Key.enter, showing: "<insert 名>")
  }

  @Test("Ctrl-R finds a text anywhere in an entry, and again the one before")
  func search() throws {
    let terminal = try probe()
    try enter(["fetch a[1].名前", "insert 名前", "fetch b[2]"], in: terminal)

    try terminal.type(Key.control("R") + "名前")
    try terminal.wait(
      forRows: ["(search '名前') insert 名前", "> insert 名前", "  fetch a[1].名前"])
    try terminal.type(Key.control("R"), showing: ["(search '名前') fetch a[1].名前"])
    try terminal.type(Key.control("R"), showing: ["(failed search '名前') fetch a[1].名前"])
    try terminal.type(Key.backspace + Key.backspace + "[")
    try terminal.wait(
      forRows: ["(search '[') fetch b[2]", "> fetch b[2]", "  fetch a[1].名前"])
    try terminal.type(Key.end + "x", showing: ["frc> fetch b[2]x"])
    try terminal.type(Key.enter, showing: "<fetch b[2]x>")
  }

  @Test("small letters in a search stand for capitals too, capitals for themselves")
  func searchCase() throws {
    let terminal = try probe()
    try enter(["FETCH É", "fetch é", "x"], in: terminal)

    try terminal.type(Key.control("R") + "ch é")
    try terminal.wait(forRows: ["(search 'ch é') fetch é", "> fetch é", "  FETCH É"])
    try terminal.type(Key.control("R"), showing: ["(search 'ch é') FETCH É"])
    #expect(terminal.screen.cursor.column == 19)
    try terminal.type(Key.control("G") + Key.control("R") + "CH")
    try terminal.wait(forRows: ["(search 'CH') FETCH É"])
  }

  @Test("Enter in a search runs what was found; Ctrl-R twice looks for the same again")
  func searchAndRun() throws {
    let terminal = try probe()
    try enter(["insert a", "fetch b"], in: terminal)

    try terminal.type(Key.control("R") + "INS" + Key.backspace + Key.backspace + Key.backspace)
    try terminal.type("ins" + Key.enter, showing: ["frc> insert a", "<insert a>", "frc>"])
    try terminal.type(Key.control("L") + Key.control("R") + Key.control("R"))
    try terminal.wait(forRows: ["(search 'ins') insert a"])
  }

  @Test("Ctrl-G leaves a search with the line as it was, Escape with what was found")
  func leaveSearch() throws {
    let terminal = try probe()
    try enter(["insert a", "fetch b"], in: terminal)

    try terminal.type("日本" + Key.left + Key.control("R") + "ins")
    try terminal.wait(forRows: ["(search 'ins') insert a"])
    try terminal.type(Key.control("G"), showing: ["frc> 日本"])
    try terminal.wait(for: "the old cursor") { $0.screen.cursor.column == 7 }
    try terminal.type(Key.control("R") + "ins", showing: ["(search 'ins') insert a"])
    try terminal.type(Key.escape, showing: ["frc> insert a"])
    try terminal.type(Key.right + "x", showing: ["frc> ixnsert a"])
  }

  @Test("a search finds and shows a block")
  func searchBlock() throws {
    let terminal = try probe()
    try terminal.type("a {" + Key.enter + "日本" + Key.enter + "}" + Key.enter, showing: "<a {|日本|}>")
    try enter(["c"], in: terminal)

    try terminal.type(Key.control("R") + "本", showing: ["(search '本') a {", "...> 日本", "...> }"])
    try terminal.type(Key.enter, showing: ["frc> a {", "...> 日本", "...> }", "<a {|日本|}>", "frc>"])
  }

  @Test("history comes back in the next session, blocks and Japanese too")
  func twoSessions() throws {
    let folder = try TemporaryFolder()
    let first = try probe(history: folder.file("history"))
    try first.type("insert 名前" + Key.enter + "a {" + Key.enter + "}" + Key.enter)
    try first.wait(forText: "<a {|}>")
    try first.wait(forPrompt: "frc> ")
    #expect(try first.exit(afterTyping: Key.control("D")) == .code(0))

    let second = try probe(history: folder.file("history"))
    try second.type(Key.up, showing: ["frc> a {", "...> }"])
    try second.type(Key.alt("p"), showing: ["frc> insert 名前"])
  }

  @Test("of two sessions at once neither loses what the other wrote")
  func twoAtOnce() throws {
    let folder = try TemporaryFolder()
    let first = try probe(history: folder.file("history"))
    let second = try probe(history: folder.file("history"))

    for round in 1...5 {
      try first.type("first \(round)" + Key.enter)
      try second.type("second \(round)" + Key.enter)
      try first.wait(forText: "<first \(round)>")
      try second.wait(forText: "<second \(round)>")
    }

    let entries = Set((folder.read("history") ?? "").split(separator: "\n").map(String.init))
    #expect(entries == Set((1...5).flatMap { ["first \($0)", "second \($0)"] }))
  }

  @Test("a history that cannot be written is told once and stops nothing")
  func unwritable() throws {
    let terminal = try probe(history: "/dev/null/history")

    try enter(["one"], in: terminal)
    try terminal.type(Key.up, showing: ["frc> one"])
  }

  @Test("vi's keys come by ~/.editrc, with history, completion and Ctrl-C")
  func vi() throws {
    let folder = try TemporaryFolder()
    try folder.write("frc:bind -v\n".utf8, to: ".editrc")
    let terminal = try probe(environment: ["HOME": folder.path])

    try terminal.type("fe" + Key.tab + "日本" + Key.enter, showing: "<fetch 日本>")
    try terminal.wait(forPrompt: "frc> ")
    try terminal.type(Key.escape + "k")
    try terminal.wait(for: "the entry") { $0.screen.rows.last == "[N] frc> fetch 日本" && $0.isRaw }
    try terminal.type("0x$i" + "x" + Key.enter, showing: "<etch 日x本>")
    try terminal.wait(forPrompt: "frc> ")
    try terminal.type(Key.control("L") + Key.escape + "/" + "日")
    try terminal.wait(forRows: ["(search '日') etch 日x本", "> etch 日x本", "  fetch 日本"])
    try terminal.type("本" + Key.backspace + Key.escape, showing: ["[N] frc> etch 日x本"])
    try terminal.type("Dah", showing: ["frc> etch h"])
    try terminal.type(Key.escape + "h" + Key.control("C"), showing: "interrupted")
  }

  /// Enters statements, and clears the screen.
  private func enter(_ statements: [String], in terminal: PseudoTerminal) throws {
    for statement in statements {
      try terminal.type(statement + Key.enter, showing: "<\(statement)>")
    }
    try terminal.wait(forPrompt: "frc> ")
    try terminal.type(Key.control("L"), showing: ["frc>"])
  }
}
