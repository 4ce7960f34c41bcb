import PseudoTerminal
import Testing

@Suite struct DumbTerminalTests {
  @Test("a terminal that can nothing works", arguments: ["dumb", nil, "", "no-such-terminal"])
  func dumb(_ kind: String?) throws {
    let terminal = try probe(environment: ["TERM": kind])

    try terminal.type("名前 {" + Key.enter + "x" + Key.backspace + "}" + Key.enter)
    try terminal.wait(forText: "<名前 {|}>")
    try terminal.wait(forPrompt: "frc> ")
    try terminal.type("abc" + Key.control("C"))
    try terminal.wait(forText: "interrupted")
    try terminal.wait(forPrompt: "frc> ")
    #expect(!terminal.output.contains(0x1B))
    try terminal.type(Key.control("D"))
    #expect(try terminal.waitForExit() == .code(0))
  }

  @Test("where the terminal edits for us lines, blocks, Ctrl-C and Ctrl-D work")
  func emacs() throws {
    let terminal = try PseudoTerminal(
      PseudoTerminal.builtProgram("LineEditorProbe"), environment: ["TERM": "emacs"])

    try terminal.wait(for: "the prompt") { $0.screen.cursorRow == "frc>" }
    #expect(!terminal.isRaw)
    try terminal.type("a {" + Key.enter)
    try terminal.wait(for: "the prompt") { $0.screen.cursorRow == "...>" }
    try terminal.type("b")
    try terminal.wait(for: "the line") { $0.screen.cursorRow == "...> b" }
    try terminal.type(Key.control("C"))
    try terminal.wait(for: "the prompt") {
      $0.screen.rows.suffix(4) == ["frc> a {", "...> b^C", "interrupted", "frc>"]
    }
    try terminal.type("c" + Key.enter)
    try terminal.wait(forText: "<c>")
    try terminal.wait(for: "the prompt") { $0.screen.cursorRow == "frc>" }
    try terminal.type(Key.control("D"))
    #expect(try terminal.waitForExit() == .code(0))
  }
}
