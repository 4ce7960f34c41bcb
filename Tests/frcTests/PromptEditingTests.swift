import PseudoTerminal
import Testing

@Suite struct PromptEditingTests {
  private func library() throws -> TerminalSession {
    let session = try TerminalSession()
    try session.enterEach([
      "entity Book { title: String, publisher: String = \"\", pages: Int = 0 }",
      "controller books = Book sort by title", "let dune = insert Book(title: \"Dune\")",
    ])
    try session.terminal.type(Key.control("L"), showing: ["frc>"])
    return session
  }

  @Test("Japanese is typed, moved in, deleted and run")
  func japanese() throws {
    let session = try TerminalSession()

    try session.terminal.type("print \"日本誤語の本\"")
    // The cursor moves over the quote and four characters, and then one is deleted.
    try session.terminal.type(String(repeating: Key.left, count: 4) + Key.backspace)
    try session.terminal.wait(for: "the text") {
      $0.screen.cursorRow == "frc> print \"日本語の本\"" && $0.screen.cursor.column == 16
    }
    try session.type(Key.enter, untilPrompt: "frc> ")

    #expect(session.rows(below: "frc> print") == ["日本語の本"])
  }

  @Test("Tab completes a statement word by word")
  func completion() throws {
    let session = try library()

    try session.terminal.type("ins\tB\tp\t")
    try session.terminal.wait(for: "the attribute's first letters") {
      $0.screen.cursorRow == "frc> insert Book(p"
    }
    try session.type("a\t3)" + Key.enter, untilPrompt: "frc> ")

    #expect(session.rows(below: "frc> insert").contains("# Book/2"))
    #expect(session.terminal.screen.text.contains("frc> insert Book(pages: 3)"))
  }

  @Test("a bracket that Tab has written is not written again by who types it")
  func typedBracket() throws {
    let session = try library()

    try session.terminal.type("insert Bo\t(pages: 3)")
    try session.terminal.wait(for: "one bracket") {
      $0.screen.cursorRow == "frc> insert Book(pages: 3)"
    }
    try session.terminal.type(Key.control("U") + "print (1)((")
    try session.terminal.wait(for: "typed brackets") { $0.screen.cursorRow == "frc> print (1)((" }
    // A second bracket, and one after another key, are meant.
    try session.terminal.type(Key.control("U") + "insert Bo\t((")
    try session.terminal.wait(for: "two brackets") { $0.screen.cursorRow == "frc> insert Book((" }
    try session.terminal.type(
      Key.control("U") + "insert Bo\t" + Key.backspace + "(" + Key.backspace + "((")
    try session.terminal.wait(for: "brackets again") { $0.screen.cursorRow == "frc> insert Book((" }
  }

  @Test("Tab lists what can stand there and what it is, and Enter takes what is chosen")
  func listing() throws {
    let session = try library()

    try session.terminal.type("print dune.\t")
    try session.terminal.wait(forRows: [
      "frc> print dune.", "  title      String", "  publisher  String = \"\"",
      "  pages      Int = 0",
    ])
    try session.terminal.type("\t" + Key.down + Key.down)
    try session.terminal.wait(forRows: [
      "frc> print dune.pages", "  title      String", "  publisher  String = \"\"",
      "> pages      Int = 0",
    ])
    try session.terminal.type(Key.enter, showing: ["frc> print dune.pages"])
    try session.terminal.type(Key.enter, showing: ["frc> print dune.pages", "0", "frc>"])
  }

  @Test("Tab knows a block's own variables")
  func completionInBlock() throws {
    let session = try library()

    try session.enter("for volume in fetch Book {", ends: false)
    try session.terminal.type("print vo\t", showing: "...>   print volume")
    try session.type(".ti\t" + Key.enter, untilPrompt: "...> ")
    try session.enter("}")

    #expect(session.terminal.screen.text.contains("...>   print volume.title"))
    #expect(session.rows(below: "...> }") == ["Dune"])
  }

  @Test("Tab completes commands and topics")
  func commands() throws {
    let session = try library()

    try session.terminal.type(":he\tins\t", showing: "frc> :help insert")
    try session.terminal.type(Key.control("U") + ":q\t", showing: ["frc> :quit"])
  }

  @Test("Tab in a string does nothing")
  func strings() throws {
    let session = try library()

    try session.terminal.typeAndWaitUntilRead("print \"ins\t")
    try session.type("x\"" + Key.enter, untilPrompt: "frc> ")

    #expect(session.rows(below: "frc> print") == ["insx"])
  }

  @Test("a pasted script is one entry and runs as a whole")
  func paste() throws {
    let session = try TerminalSession()

    try session.terminal.type(
      Key.paste("entity Memo { text: String }\n\n# two of them\ninsert 2 Memo(text: \"\\(i)\")\n"))
    try session.terminal.wait(forText: "insert 2 Memo")
    try session.terminal.type(Key.enter, showing: "# 2 inserted")
    try session.waitForPrompt()

    #expect(try session.answer(to: "count Memo") == ["2"])
  }
}
