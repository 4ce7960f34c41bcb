import PseudoTerminal
import Testing

@Suite struct SearchPreviewTests {
  private func searched(columns: Int = 60) throws -> PseudoTerminal {
    let terminal = try probe(columns: columns)
    for text in ["insert a", "fetch 日本", "insert b", "insert c"] {
      try terminal.type(text + Key.enter, showing: "<\(text)>")
      try terminal.wait(forPrompt: "frc> ")
    }
    try terminal.type(Key.control("L"), showing: ["frc>"])
    return terminal
  }

  @Test("Ctrl-R shows the match and older ones under it")
  func preview() throws {
    let terminal = try searched()

    try terminal.type(Key.control("R") + "ins")

    try terminal.wait(forRows: [
      "(search 'ins') insert c", "> insert c", "  insert b", "  insert a",
    ])
  }

  @Test("Up and Down go from match to match, and the search goes on")
  func arrows() throws {
    let terminal = try searched()

    try terminal.type(Key.control("R") + "ins" + Key.up)
    try terminal.wait(forRows: ["(search 'ins') insert b", "> insert b", "  insert a"])
    try terminal.type("\u{1B}OA", showing: ["(search 'ins') insert a"])
    try terminal.type(Key.down + Key.down)
    try terminal.wait(for: "the newest") { $0.screen.rows.first == "(search 'ins') insert c" }
    try terminal.type("ert b", showing: ["(search 'insert b') insert b"])
    try terminal.type(Key.enter, showing: ["frc> insert b", "<insert b>", "frc>"])
  }

  @Test("Left and Right end the search and move in what was found")
  func sideways() throws {
    let terminal = try searched()

    try terminal.type(Key.control("R") + "日" + Key.right + "x" + Key.left + Key.left)
    try terminal.wait(forRows: ["frc> fetch 日x本"])
    try terminal.type(Key.enter, showing: "<fetch 日x本>")
  }

  @Test("nothing of the preview is left behind Enter, Ctrl-G or Ctrl-C")
  func residue() throws {
    let terminal = try searched(columns: 40)

    try terminal.type(Key.control("R") + "ins")
    try terminal.wait(for: "the preview") { $0.screen.rows.count == 4 }
    try terminal.type(Key.control("G"), showing: ["frc>"])
    try terminal.type(Key.control("R") + "ins")
    try terminal.wait(for: "the preview") { $0.screen.rows.count == 4 }
    try terminal.type(Key.control("C"))
    try terminal.wait(for: "the prompt") {
      $0.screen.rows == ["frc> insert c^C", "interrupted", "frc>"]
    }
  }
}
