import Glibc
import PseudoTerminal
import Testing

@Suite struct PromptTests {
  private static let book = "entity Book { title: String, pages: Int = 0 }"

  // MARK: Beginning and end

  @Test("who comes for the first time is shown the way to a first callback, and it works")
  func firstStart() throws {
    let session = try TerminalSession(isFirstStart: true)

    let steps = session.terminal.screen.rows.filter { $0.hasPrefix("#   ") }
      .map { String($0.dropFirst(4)) }
    #expect(steps.count == 3)
    try session.enterEach(steps)

    #expect(
      session.terminal.screen.rows.suffix(5) == [
        "books willChangeContent", "books didChange object insert Book/1 \"Dune\" -> [0, 0]",
        "books didChangeContent", "# Book/1", "frc>",
      ])
  }

  @Test("who was here before sees one line")
  func banner() throws {
    let session = try TerminalSession()

    #expect(session.terminal.screen.rows == ["# frc 0.1.0  :help for help", "frc>"])
  }

  @Test("Ctrl-D leaves, and so does :quit", arguments: [Key.control("D"), ":quit\r", ":q\r"])
  func leave(_ keys: String) throws {
    let session = try TerminalSession()

    #expect(try session.terminal.exit(afterTyping: keys) == .code(0))
    #expect(!session.terminal.isRaw)
  }

  // MARK: Statements

  @Test("an insert shows its callbacks and the object's name")
  func callbacks() throws {
    let session = try TerminalSession()

    #expect(try session.answer(to: Self.book) == ["# entity Book: title, pages"])
    #expect(
      try session.answer(to: "controller books = Book sort by title")
        == ["# fetch books to get its results"])
    #expect(try session.answer(to: "fetch books") == ["# books: 0 objects"])
    #expect(
      try session.answer(to: "insert Book(title: \"Dune\")") == [
        "books willChangeContent", "books didChange object insert Book/1 \"Dune\" -> [0, 0]",
        "books didChangeContent", "# Book/1",
      ])
  }

  @Test("that a controller has not fetched is said once")
  func hintOnce() throws {
    let session = try TerminalSession()
    try session.enterEach([Self.book, "controller books = Book sort by title"])

    let insert = "insert Book(title: \"A\")"
    #expect(
      try session.answer(to: insert)
        == ["# Book/1", "# books does not follow changes yet: fetch it first with 'fetch books'"])
    #expect(try session.answer(to: insert) == ["# Book/2"])
    try session.enter("controller books = Book sort by pages")
    #expect(try session.answer(to: insert).count == 2)
  }

  @Test("a block asks for more until it is closed, and is one entry of the history")
  func block() throws {
    let session = try TerminalSession(entering: [Self.book])

    // The editor indents.
    try session.enter("perform {", "insert Book(title: \"A\")", "save", "}")
    #expect(session.rows(below: "...> }") == ["# 1 inserted"])
    try session.terminal.type(Key.up)
    try session.terminal.wait(for: "the whole block") { terminal in
      terminal.screen.rows.suffix(4)
        == ["frc> perform {", "...>   insert Book(title: \"A\")", "...>   save", "...> }"]
    }
  }

  @Test(
    "an unfinished statement asks for more, in strings and behind signs too",
    arguments: [
      (["print 1 +", "2"], ["3"]), (["print \"a", "b\""], ["a", "b"]),
      (["print [1,", "2", "]"], ["[1, 2]"]), (["print 1 \\", "+ 1"], ["2"]),
    ])
  func unfinished(_ lines: [String], _ answer: [String]) throws {
    let session = try TerminalSession()

    for line in lines.dropLast() { try session.type(line + Key.enter, untilPrompt: "...> ") }
    try session.enter(lines[lines.count - 1])

    #expect(Array(session.terminal.screen.rows.dropLast().suffix(answer.count)) == answer)
  }

  @Test("an empty line ends a statement that only lacks its rest, and tells what that is")
  func emptyLine() throws {
    let session = try TerminalSession(columns: 100)

    try session.enter("fetch", "")

    #expect(
      session.rows(below: "frc> fetch").dropFirst() == [
        "error: expected the name of an entity, a request or a controller, but the text ends here",
        "fetch", "     ^",
      ])
    try session.enter("perform {", "", "print 1", "}")
    #expect(session.rows(below: "...> }") == ["1"])
  }

  @Test("a name typed alone is printed, and an unknown one is no statement")
  func names() throws {
    let session = try TerminalSession(entering: ["let n = 1"])

    #expect(try session.answer(to: "n") == ["1"])
    #expect(
      try session.answer(to: "m").first?.hasPrefix("error: nothing has the name 'm'") == true)
  }

  @Test("advice is given behind the last statement of an entry alone")
  func advice() throws {
    let session = try TerminalSession(entering: [Self.book])

    #expect(
      try session.answer(to: "controller books = Book sort by title; fetch books")
        == ["# books: 0 objects"])
  }

  @Test("several statements in an entry run one after the other, up to one that fails")
  func several() throws {
    let session = try TerminalSession()

    #expect(
      try session.answer(to: "print 1; print nothing; print 3") == [
        "1", "error: unknown name 'nothing'", "print 1; print nothing; print 3",
        "               ^~~~~~~",
      ])
  }

  // MARK: Errors

  @Test("an error shows its line, with the caret under it where the text is wide, too")
  func errors() throws {
    let session = try TerminalSession(entering: [Self.book])

    #expect(
      try session.answer(to: "insrt Book") == [
        "error: unknown statement 'insrt'; did you mean 'insert'?", "insrt Book", "^~~~~",
      ])
    #expect(
      try session.answer(to: "insert Book(title: \"砂の惑星\", page: 1)") == [
        "error: Book has no attribute 'page'; did you mean 'pages'?",
        "insert Book(title: \"砂の惑星\", page: 1)", "                               ^~~~",
      ])
  }

  @Test("an entry that does not parse leaves the session as it was")
  func parseErrors() throws {
    let session = try TerminalSession(entering: [Self.book])

    try session.enter("insert Book(title: \"A\"); insert Book(title = \"B\")")
    #expect(try session.answer(to: "count Book") == ["0"])
  }

  @Test("an error in a block is told at its line, and the block asks for no more")
  func errorsInBlocks() throws {
    let session = try TerminalSession()

    try session.enter("perform {", "print 1", "print 2 3")

    #expect(
      session.rows(below: "...>   print 2 3") == [
        "error: unexpected '3'", "  print 2 3", "          ^",
      ])
  }

  @Test("an error within a perform tells what was done before it")
  func partialWork() throws {
    let session = try TerminalSession(entering: [Self.book])

    try session.enter("perform { insert Book(title: \"A\")", "expect false }")

    #expect(session.rows(below: "...> ").last == "# 1 inserted")
  }

  // MARK: Ctrl-C

  @Test("Ctrl-C drops the line and keeps the session")
  func dropLine() throws {
    let session = try TerminalSession(entering: [Self.book])

    try session.terminal.type("insert Bo", showing: "frc> insert Bo")
    try session.type(Key.control("C"), untilPrompt: "frc> ")

    #expect(try session.answer(to: "count Book") == ["0"])
  }

  @Test("Ctrl-C drops a block")
  func dropBlock() throws {
    let session = try TerminalSession()

    try session.enter("perform {", "print 1", ends: false)
    try session.terminal.type("print 2", showing: "...>   print 2")
    try session.type(Key.control("C"), untilPrompt: "frc> ")

    #expect(try session.answer(to: "print 3") == ["3"])
  }

  @Test("Ctrl-C interrupts a statement that runs, and the session goes on")
  func interrupt() throws {
    let session = try TerminalSession(entering: ["let n = 1"])

    try session.terminal.type("repeat 1000000000 { }" + Key.enter)
    try session.terminal.wait(for: "the statement to run") { !$0.isRaw }
    try session.type(Key.control("C"), untilPrompt: "frc> ")

    #expect(session.rows(below: "repeat").contains("# interrupted; the session is as before"))
    #expect(try session.answer(to: "print n") == ["1"])
  }

  @Test("Ctrl-C cuts a long list off, and says so")
  func cutOff() throws {
    let session = try TerminalSession()
    try session.enterEach([Self.book, "insert 30000 Book(title: \"\\(i)\")", ":all on"])

    try session.terminal.type("fetch Book" + Key.enter, showing: "Book/1 title")
    // A signal like Ctrl-C. Typing the key would first read all pending output.
    session.terminal.send(SIGINT)
    try session.waitForPrompt()

    #expect(session.terminal.screen.rows.suffix(2) == ["# the rest is not shown", "frc>"])
    #expect(!session.terminal.screen.text.contains("Book/30000 "))
    let counted = try session.answer(to: "count Book")
    #expect(counted == ["30000"], "\(session.terminal.screen.rows)")
  }

  private static func sum(of count: Int, _ name: String) -> String {
    Array(repeating: name, count: count).joined(separator: " + ")
  }

  @Test("the message that a statement stops is erased if the statement was not stopped")
  func erasedMessage() throws {
    let session = try TerminalSession(entering: [
      "let a = \"0123456789\"", "let b = \(Self.sum(of: 32, "a"))", ":timer on", ":all on",
    ])
    try session.enter("let c = \(Self.sum(of: 32, "b")); let d = \(Self.sum(of: 10, "c"))")

    try session.terminal.type("print \(Self.sum(of: 10, "d"))" + Key.enter)
    try session.terminal.wait(for: "the text") { terminal in
      let row = terminal.screen.rows.dropLast().last ?? ""
      return !terminal.isRaw && !row.isEmpty && row.allSatisfy(\.isNumber)
    }
    // The terminal reads nothing until both the text and the message wait for it.
    session.terminal.send(SIGINT)
    usleep(300_000)
    try session.waitForPrompt()

    let rows = session.terminal.screen.rows.suffix(2)
    #expect(rows.first?.hasPrefix("# ") == true, "\(rows)")
  }

  @Test("what an interrupted statement has done is taken back, numbers too")
  func interruptedWork() throws {
    let session = try TerminalSession(entering: [Self.book, "let old = insert Book(title: \"O\")"])

    try session.terminal.type(
      "for i in 1...1000000000 { insert Book(title: \"A\"); if i == 3 { print \"three\" } }"
        + Key.enter)
    try session.terminal.wait(forText: "\nthree")
    try session.type(Key.control("C"), untilPrompt: "frc> ")

    #expect(session.terminal.screen.text.contains("# interrupted; the session is as before"))
    #expect(try session.answer(to: "print old.title; count Book") == ["O", "1"])
    #expect(try session.answer(to: "insert Book(title: \"B\")").first == "# Book/2")
  }
}
