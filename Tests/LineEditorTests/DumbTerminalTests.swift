import PseudoTerminal
import Testing

@Suite struct DumbTerminalTests {
  @Test(
    "a terminal that can nothing is left to the system's line editing",
    arguments: ["dumb", nil, "", "emacs"])
  func dumb(_ kind: String?) throws {
    let terminal = try PseudoTerminal(
      PseudoTerminal.builtProgram("LineEditorProbe"), environment: ["TERM": kind])

    try terminal.wait(for: "the prompt") { $0.screen.rows == ["frc>"] }
    try terminal.type("名前 {" + Key.enter)
    try terminal.wait(for: "the prompt") { $0.screen.rows == ["frc> 名前 {", "...>"] }
    try terminal.type("x" + Key.backspace + "y}" + Key.enter, showing: "<名前 {|y}>")
    try terminal.wait(for: "the prompt") { $0.screen.cursorRow == "frc>" }
    try terminal.type("b")
    try terminal.wait(for: "the line") { $0.screen.cursorRow == "frc> b" }
    try terminal.type(Key.control("C"))
    try terminal.wait(for: "the prompt") {
      $0.screen.rows.suffix(3) == ["frc> b^C", "interrupted", "frc>"]
    }
    try terminal.type("c" + Key.enter, showing: "<c>")
    try terminal.wait(for: "the prompt") { $0.screen.cursorRow == "frc>" }
    #expect(try terminal.exit(afterTyping: Key.control("D")) == .code(0))
    #expect(!terminal.output.contains(0x1B))
  }

  @Test("Ctrl-D in a block drops it and leaves, as where lines are edited")
  func leaveBlock() throws {
    let terminal = try PseudoTerminal(
      PseudoTerminal.builtProgram("LineEditorProbe"), environment: ["TERM": "dumb"])

    try terminal.wait(for: "the prompt") { $0.screen.rows == ["frc>"] }
    try terminal.type("a {" + Key.enter)
    try terminal.wait(for: "the prompt") { $0.screen.cursorRow == "...>" }
    #expect(try terminal.exit(afterTyping: Key.control("D")) == .code(0))
    #expect(terminal.screen.rows == ["frc> a {", "...>", "end"])
  }
}
