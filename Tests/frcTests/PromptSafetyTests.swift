import Foundation
import Glibc
import PseudoTerminal
import Testing

/// What the prompt does with escapes in the data, with crashes, with looks, and with its memory.
@Suite struct PromptSafetyTests {
  private static let shelf = [
    "entity Book { title: String, genre: String? }",
    "controller books = Book sort by genre, title section by genre", "fetch books",
  ]

  @Test(
    "escapes in names of sections and in texts are seen, not obeyed", arguments: ["table", "text"])
  func escapes(_ mode: String) throws {
    let session = try TerminalSession(columns: 100, entering: Self.shelf)
    try session.enter(":mode \(mode)")
    try session.enter("insert Book(title: \"\\u{1B}[5;1Hhere\", genre: \"\\u{1B}[2JSF\\u{7}\")")

    let before = session.terminal.output.count
    let shown = try session.answer(to: "show books").joined(separator: "\n")
    #expect(shown.contains(#"\u{1b}[2JSF\u{7}"#), "\(shown)")
    #expect(shown.contains(#"\u{1b}[5;1Hhere"#), "\(shown)")
    #expect(try session.answer(to: "print \"\\u{1B}[2Jx\"") == [#"\u{1b}[2Jx"#])
    let written = String(decoding: session.terminal.output.dropFirst(before), as: UTF8.self)
    #expect(!written.contains("\u{1B}[2JSF") && !written.contains("\u{1B}[2Jx"))
    #expect(!written.contains("\u{1B}[5;1H") && !written.contains("\u{7}"))
  }

  @Test("Ctrl-C while the terminal is asked for its background does not end the program")
  func earlyInterrupt() throws {
    let home = try TemporaryHome()
    try home.makeHistory()
    let terminal = try PseudoTerminal(
      PseudoTerminal.builtProgram("frc"),
      environment: ["HOME": home.path, "COLORFGBG": nil, "TERM": "xterm-256color"])
    try terminal.wait(for: "the question") {
      String(decoding: $0.output, as: UTF8.self).contains("]11;?")
    }

    try terminal.type("lost" + Key.control("C"), untilPrompt: "frc> ")
    try terminal.type("print 1 + 1" + Key.enter, showing: "frc> print 1 + 1\n2\nfrc>")
    #expect(try terminal.exit(afterTyping: Key.control("D")) == .code(0))
  }

  @Test(
    "a signal that ends the program while it asks leaves the terminal as it was",
    arguments: [SIGTERM, SIGHUP, SIGQUIT])
  func earlyEnd(signal: Int32) throws {
    let home = try TemporaryHome()
    let terminal = try PseudoTerminal(
      PseudoTerminal.builtProgram("frc"),
      environment: ["HOME": home.path, "COLORFGBG": nil, "TERM": "xterm-256color"])
    try terminal.wait(for: "the question") {
      String(decoding: $0.output, as: UTF8.self).contains("]11;?")
    }
    #expect(terminal.isRaw)

    terminal.send(signal)

    #expect(try terminal.waitForExit() == .signal(signal))
    #expect(!terminal.isRaw)
  }

  @Test("after a crash the terminal is as it was", arguments: [false, true])
  func crash(_ isRunning: Bool) throws {
    let session = try TerminalSession()
    if isRunning {
      try session.terminal.type("repeat 1000000000 { }" + Key.enter)
      try session.terminal.wait(for: "the statement") {
        !$0.isRaw && $0.screen.text.contains("{ }")
      }
    } else {
      try session.terminal.type("print 1")
      try session.terminal.wait(forRows: session.terminal.screen.rows.dropLast() + ["frc> print 1"])
    }

    session.terminal.send(SIGSEGV)

    #expect(try session.terminal.waitForExit() == .signal(SIGSEGV))
    #expect(!session.terminal.isRaw)
    #expect(session.terminal.screen.privateModes.isEmpty)
  }

  @Test("shrinking to one column and back leaves one prompt, where the terminal wraps rows again")
  func oneColumn() throws {
    let session = try TerminalSession(environment: ["VTE_VERSION": "7600"], rows: 100)
    session.terminal.reflows = true
    try session.enter("print 7")
    try session.terminal.type("print 12")
    try session.terminal.wait(for: "the line") { $0.screen.cursorRow == "frc> print 12" }
    let rows = session.terminal.screen.rows

    for _ in 1...3 {
      for columns in [1, 80] {
        let written = session.terminal.output.count
        session.terminal.resize(columns: columns, rows: 100)
        // Before the program has drawn, the terminal has wrapped the rows by itself.
        try session.terminal.wait(for: "the line in \(columns) columns") { terminal in
          let rows = terminal.screen.rows
          return terminal.output.count > written
            && (columns == 1
              ? rows.suffix(2) == ["1", "2"] && terminal.screen.cursor.row == rows.count
              : terminal.screen.cursorRow == "frc> print 12")
        }
      }
    }

    #expect(session.terminal.screen.rows == rows)
  }

  @Test(":undo skips statements that only look, and says what changed back")
  func undoOverLooks() throws {
    let session = try TerminalSession(entering: Self.shelf)
    try session.enterEach([
      "insert Book(title: \"Dune\")", "insert Book(title: \"Emma\")", "show books", "count Book",
      "fetch Book",
    ])

    #expect(
      try session.answer(to: ":undo").first == "# at 4 of 8, after: insert Book(title: \"Dune\")")
    #expect(try session.answer(to: "count Book") == ["1"])
    // The looks after the insert come back with it.
    #expect(try session.answer(to: ":redo").first == "# at 8 of 8, after: fetch Book")
    #expect(try session.answer(to: "count Book") == ["2"])
  }

  @Test("the outputs of many long statements take bounded memory")
  func memory() throws {
    let session = try TerminalSession(entering: Self.shelf)
    try session.enter("insert 20000 Book(title: \"\\(i) \(String(repeating: "x", count: 100))\")")
    // The first ones fill what is kept once: the rows of a list, and buffers.
    for _ in 1...3 { try session.enter("show books") }
    let before = try #require(session.terminal.residentBytes)

    for _ in 1...36 { try session.enter("show books") }

    // Each of them has over two megabytes of text. How much the C library keeps depends on the time
    // that the terminal takes.
    let after = try #require(session.terminal.residentBytes)
    #expect(after - before < 32 << 20, "\((after - before) >> 20) MB")
  }

  @Test("a long message is broken between words, its source line is not")
  func brokenMessage() throws {
    let session = try TerminalSession(columns: 40, rows: 12)
    try session.terminal.type(Key.control("L"), showing: ["frc>"])

    try session.terminal.type("hello" + Key.enter)

    try session.terminal.wait(forRows: [
      "frc> hello", "error: nothing has the name 'hello', and",
      "no statement begins with it; define it", "first, for example with 'let hello = 1'",
      "hello", "^~~~~",
      "# :help start shows a first session; Tab", " lists what can be typed", "frc>",
    ])
  }

  @Test("a word alone that means nothing is taken for a name; what it resembles is offered")
  func unknownName() throws {
    let session = try TerminalSession(columns: 160)
    #expect(
      try session.answer(to: "books").first
        == "error: nothing has the name 'books', and no statement begins with it; "
        + "define it first, for example with 'let books = 1'")
    try session.enterEach(Self.shelf)

    #expect(
      try session.answer(to: "boks").first
        == "error: nothing has the name 'boks', and no statement begins with it; "
        + "did you mean 'books'?")
    #expect(
      try session.answer(to: "fetc").first
        == "error: unknown statement 'fetc'; did you mean 'fetch'?")
    #expect(try session.answer(to: "hello world").first == "error: unknown statement 'hello'")
  }

  @Test("Book/1? shows the object's values and where controllers show it")
  func askedObject() throws {
    let session = try TerminalSession(entering: Self.shelf)
    try session.enterEach([
      "insert Book(title: \"Dune\", genre: \"SF\")", "save",
      "controller others = Book where genre == \"crime\" sort by title", "fetch others",
      "controller new = Book sort by title",
    ])

    #expect(
      try session.answer(to: "Book/1?") == [
        "Book/1 is a Book", "  title: \"Dune\"", "  genre: \"SF\"", "books shows it at [0, 0]",
        "others does not show it", "new has not fetched yet", "# :help objects explains it",
      ])
    #expect(
      try session.answer(to: "Book/9?").first
        == "there is no Book/9; 'objects Book' lists those that there are")
    #expect(try session.answer(to: "Note/1?").first?.hasPrefix("no help on 'Note/1'") == true)
  }

  @Test("the way back after Ctrl-C is shown as progress")
  func wayBack() throws {
    let session = try TerminalSession(entering: ["entity Book { title: String }"])
    // Progress is shown after half a second, so the session has to be large. How large depends on
    // the machine, and on what else it does.
    var count = 8_000
    var sum = 0
    var isShown = false
    while !isShown, count < 1_000_000 {
      count *= 2
      sum += count
      try session.enter("for i in 1...\(count) { insert Book(title: \"A\") }")
      let start = session.terminal.output.count
      try session.terminal.type(
        "for i in 1...100000000 { insert Book(title: \"B\") }" + Key.enter)
      try session.terminal.wait(for: "the statement") {
        !$0.isRaw && $0.screen.text.contains("\"B\") }")
      }
      try session.terminal.type(Key.control("C"))
      // The answer to an earlier statement may still be on the screen, and the line of progress may
      // be erased before the screen is looked at.
      func shows(_ text: String) -> Bool {
        String(decoding: session.terminal.output[start...], as: UTF8.self).contains(text)
      }
      try session.terminal.wait(for: "the end") { _ in
        shows("# interrupted; the session is as before")
      }
      try session.waitForPrompt()
      isShown = shows("putting the session back: statement ")
    }

    #expect(isShown)
    let rows = session.terminal.screen.rows.suffix(2)
    #expect(
      rows.first?.wholeMatch(
        of: /# interrupted; the session is as before(, without [0-9,]+ insertions?)?/) != nil)
    #expect(rows.last == "frc>")
    #expect(try session.answer(to: "count Book") == ["\(sum)"])
  }
}
