import PseudoTerminal
import Testing

@Suite struct UndoTests {
  private func vi(_ arguments: [String] = []) throws -> (PseudoTerminal, TemporaryFolder) {
    let home = try TemporaryFolder()
    try home.write("frc:bind -v\n".utf8, to: ".editrc")
    return (try probe(arguments: arguments, environment: ["HOME": home.path]), home)
  }

  @Test("Ctrl-_ takes words back, and Alt-/ brings them again")
  func words() throws {
    let terminal = try probe()

    try terminal.type("fetch Book where", showing: ["frc> fetch Book where"])
    try terminal.type(Key.control("_"), showing: ["frc> fetch Book"])
    try terminal.type(Key.control("_"), showing: ["frc> fetch"])
    try terminal.type(Key.alt("/"), showing: ["frc> fetch Book"])
    try terminal.type("x" + Key.control("_") + Key.control("_") + Key.control("_"))
    try terminal.wait(forRows: ["frc>"])
    let bells = terminal.screen.bellCount
    try terminal.type(Key.control("_"))
    try terminal.wait(for: "a bell") { $0.screen.bellCount > bells }
  }

  @Test("what was killed, pasted, recalled or completed comes back in one step each")
  func others() throws {
    let terminal = try probe()
    try terminal.type("older" + Key.enter, showing: "<older>")

    try terminal.type("one two")
    try terminal.wait(for: "the text") { $0.screen.cursorRow == "frc> one two" }
    try terminal.type(Key.control("U"), untilPrompt: "frc> ")
    try terminal.type(Key.control("X") + Key.control("U"))
    try terminal.wait(for: "the text") { $0.screen.cursorRow == "frc> one two" }
    try terminal.type(Key.control("U"), untilPrompt: "frc> ")
    try terminal.type(Key.paste("a\nb"))
    try terminal.wait(for: "the paste") { $0.screen.cursorRow == "...> b" }
    try terminal.type(Key.control("_") + Key.up)
    try terminal.wait(for: "the older entry") { $0.screen.cursorRow == "frc> older" }
    try terminal.type(Key.control("_"), untilPrompt: "frc> ")
    try terminal.type("fet")
    try terminal.wait(for: "the letters") { $0.screen.cursorRow == "frc> fet" }
    try terminal.type(Key.tab)
    try terminal.wait(for: "the word") { $0.screen.cursorRow == "frc> fetch" }
    try terminal.type(Key.control("_"))
    try terminal.wait(for: "what was typed") { $0.screen.cursorRow == "frc> fet" }
  }

  @Test("an emoji and a letter with an accent are taken back whole")
  func wide() throws {
    let terminal = try probe()

    try terminal.type("日本 e\u{301}👍", showing: ["frc> 日本 e\u{301}👍"])
    try terminal.type(Key.backspace + Key.backspace, showing: ["frc> 日本"])
    try terminal.type(Key.control("_"), showing: ["frc> 日本 e\u{301}👍"])
    #expect(terminal.screen.cursor.column == 13)
  }

  @Test("Ctrl-X Ctrl-E puts the statement through an editor, and Ctrl-_ takes that back")
  func editor() throws {
    let terminal = try probe(arguments: ["--assist"])

    try terminal.type("abc" + Key.control("X") + Key.control("E"), showing: ["frc> abc edited"])
    try terminal.type(Key.control("_"), showing: ["frc> abc"])
    try terminal.type(Key.control("X") + "q" + Key.enter, showing: "<abc>")
  }

  @Test("a sign before the prompt tells vi's command mode, on every line of the entry")
  func sign() throws {
    let (terminal, home) = try vi()
    defer { withExtendedLifetime(home) {} }

    try terminal.type("a {" + Key.enter + "bc", showing: ["frc> a {", "...> bc"])
    try terminal.type(Key.escape, showing: ["[N] frc> a {", "    ...> bc"])
    try terminal.type("a", showing: ["frc> a {", "...> bc"])
    try terminal.type("}" + Key.escape, showing: ["[N] frc> a {", "    ...> bc}"])
    // The remaining text is the statement.
    try terminal.type(Key.enter, showing: ["frc> a {", "...> bc}", "<a {|bc}>", "frc>"])
  }

  @Test("vi's k and j move between lines and then entries; u takes changes back")
  func viMoves() throws {
    let (terminal, home) = try vi()
    defer { withExtendedLifetime(home) {} }
    try terminal.type("older" + Key.enter, showing: "<older>")

    try terminal.type("abc {" + Key.enter + "de" + Key.escape)
    try terminal.wait(for: "the command mode") { $0.screen.cursorRow == "    ...> de" }
    try terminal.type("kx")
    try terminal.wait(for: "the first line") { $0.screen.cursorRow == "[N] frc> ac {" }
    try terminal.type("u")
    try terminal.wait(for: "the change back") { $0.screen.cursorRow == "[N] frc> abc {" }
    try terminal.type("jx")
    try terminal.wait(for: "the second line") { $0.screen.cursorRow == "    ...> d" }
    try terminal.type(Key.control("C"), untilPrompt: "frc> ")
    try terminal.type(Key.escape + "k")
    try terminal.wait(for: "the older entry") { $0.screen.cursorRow == "[N] frc> older" }
    try terminal.type("j")
    try terminal.wait(for: "the empty entry") { $0.screen.cursorRow == "[N] frc>" }
  }

  @Test("vi's f, t and counts are not disturbed by the question which mode is on")
  func viArguments() throws {
    let (terminal, home) = try vi()
    defer { withExtendedLifetime(home) {} }

    try terminal.type("abcabc", showing: ["frc> abcabc"])
    try terminal.type(Key.escape, showing: ["[N] frc> abcabc"])
    for key in ["0", "2", "f", "c", "x"] { try terminal.typeAndWaitUntilRead(key) }
    try terminal.wait(forRows: ["[N] frc> abcab"])
    for key in ["0", "d", "t", "c"] { try terminal.typeAndWaitUntilRead(key) }
    try terminal.wait(forRows: ["[N] frc> cab"])
    for key in ["2", "x"] { try terminal.typeAndWaitUntilRead(key) }
    try terminal.wait(forRows: ["[N] frc> b"])
    try terminal.type("rz", showing: ["[N] frc> z"])
    // All keys arrive at once.
    try terminal.type("aabc" + Key.escape, showing: ["[N] frc> zabc"])
    try terminal.type("0fbx", showing: ["[N] frc> zac"])
  }
}
