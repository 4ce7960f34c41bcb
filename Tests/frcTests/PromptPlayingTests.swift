import Foundation
import PseudoTerminal
import Testing

@Suite struct PromptPlayingTests {
  private static let world = [
    "entity Book { title: String }", "controller books = Book sort by title", "fetch books",
  ]

  @Test("before a turn the prompt asks, and then grades the answer")
  func predict() throws {
    let session = try TerminalSession(columns: 100, entering: Self.world + [":predict on"])
    let terminal = session.terminal

    try terminal.type("insert Book(title: \"Dune\")\r", untilPrompt: "guess> ")
    try terminal.type("insert Book/1 [0, 0]\r", untilPrompt: "...> ")
    try session.type("\r", untilPrompt: "frc> ")
    #expect(terminal.screen.rows.suffix(3) == ["# ✓ insert Book/1 [0, 0]", "# right", "frc>"])

    try terminal.type("Book/1.title = \"Emma\"\r", untilPrompt: "guess> ")
    try session.type("nothing\r", untilPrompt: "frc> ")
    #expect(terminal.screen.rows.suffix(2) == ["# not right", "frc>"])
    #expect(terminal.screen.text.contains("rule kept-place: the object changed"))
    // A statement that only looks is not asked about, and just Enter runs the turn.
    try session.enter("show books")
    try terminal.type("delete Book/1\r", untilPrompt: "guess> ")
    try session.type("\r", untilPrompt: "frc> ")
    #expect(!terminal.screen.rows.suffix(4).contains("# not right"))
    try session.enter(":predict off")
    try session.enter("insert Book(title: \"Kim\")")
  }

  @Test("commands work where a prediction is typed, which goes on after them")
  func commands() throws {
    let session = try TerminalSession(columns: 100, entering: Self.world + [":predict on"])
    let terminal = session.terminal

    try terminal.type("insert Book(title: \"Dune\")\r", untilPrompt: "guess> ")
    try terminal.type("insert Book/1 [0, 0]\r", untilPrompt: "...> ")
    try terminal.type(":theme\r", showing: "# your prediction so far")
    try terminal.wait(forPrompt: "guess> ")
    try session.type("\r", untilPrompt: "frc> ")
    #expect(terminal.screen.rows.suffix(3) == ["# ✓ insert Book/1 [0, 0]", "# right", "frc>"])

    try terminal.type("delete Book/1\r", untilPrompt: "guess> ")
    try session.type(":undo\r", untilPrompt: "frc> ")
    #expect(terminal.screen.text.contains("# the statement did not run"))
    #expect(try session.answer(to: "print count(Book)") == ["1"])
    try terminal.type("delete Book/1\r", untilPrompt: "guess> ")
    try terminal.type("delete Book/1\r", untilPrompt: "...> ")
    #expect(try terminal.exit(afterTyping: ":quit\r") == .code(0))
  }

  @Test("the last entry is the statement, not the guess about it", arguments: [true, false])
  func entries(isEditing: Bool) throws {
    let session = try TerminalSession(
      arguments: isEditing ? [] : ["--plain"], columns: 100, isEditing: isEditing)
    try session.enterEach(Self.world + [":predict on"])
    try session.type("insert Book(title: \"Dune\")\r", untilPrompt: "guess> ")
    try session.type("nothing\r", untilPrompt: "frc> ")
    try session.enter(":predict off")

    try session.enter(":rerun")

    #expect(session.rows(below: "frc> insert Book(title: \"Dune\")").last == "# Book/2")
    #expect(session.home.read(".local/state/frc/history")?.contains("nothing") == false)
  }

  @Test("Ctrl-C at the question drops the statement")
  func interrupt() throws {
    let session = try TerminalSession(entering: Self.world + [":predict on"])

    try session.terminal.type("insert Book(title: \"Dune\")\r", untilPrompt: "guess> ")
    try session.type(Key.control("C"), untilPrompt: "frc> ")

    #expect(try session.answer(to: "print count(Book)") == ["0"])
  }

  @Test(":play shows the session again, a key for each statement")
  func play() throws {
    let session = try TerminalSession(columns: 100)
    try session.enterEach(Self.world + ["insert Book(title: \"Dune\")"])
    let terminal = session.terminal

    try terminal.type(Key.control("L") + ":play\r")
    for number in 1...4 {
      try terminal.wait(forText: "# statement \(number) of 4: any key for the next")
      try terminal.type(" ")
    }
    try session.waitForPrompt()

    #expect(
      terminal.screen.rows.suffix(8) == [
        "frc> fetch books", "frc> insert Book(title: \"Dune\")", "books willChangeContent",
        "books didChange object insert Book/1 \"Dune\" -> [0, 0]", "books didChangeContent",
        "section 0 \"\" 1 object", "+ [0, 0] Book/1 \"Dune\"", "frc>",
      ])
    #expect(try session.answer(to: "print count(Book)") == ["1"])
  }

  @Test(":share writes the session as a page, and overwrites nothing of others")
  func share() throws {
    // The window is wide enough for a message with any folder's path in one row.
    let session = try TerminalSession(columns: 300)
    try session.enterEach(Self.world + ["insert Book(title: \"</script>\")"])

    #expect(
      try session.answer(to: ":share ~/page.html").last?.hasSuffix("page.html: 4 statements")
        == true)
    let page = try #require(session.home.read("page.html"))
    // The files of the session are found from the page's folder, also before the page is there.
    try session.home.makeFolder("sub")
    try session.home.write("title\nEmma\n", to: "sub/books.csv")
    try session.home.write("print 1\n", to: "sub/a.frc")
    // This lets the session use the files of the folder.
    try session.enterEach([
      ":load ~/sub/a.frc", "import \"\(session.home.path)/sub/books.csv\" into Book",
      ":share ~/sub/page.html",
    ])
    #expect(try #require(session.home.read("sub/page.html")).contains("Emma"))
    #expect(page.hasPrefix("<!doctype html>") || page.hasPrefix("<!DOCTYPE html>"))
    #expect(page.contains("didChangeObject"))
    #expect(!page.contains("title: \\\"</script>"))
    try session.home.write("mine", to: "other.html")
    #expect(
      try session.answer(to: ":share ~/other.html").last?.hasSuffix(
        "this session has not written it") == true)
    #expect(session.home.read("other.html") == "mine")
  }
}
