import Testing

@Suite struct PromptHelpTests {
  @Test(":help lists the topics, :help with one explains it")
  func help() throws {
    let session = try TerminalSession(columns: 110)

    let list = try session.answer(to: ":help")
    #expect(list.contains { $0.hasPrefix("  objects ") && $0.contains("insert let update") })
    #expect(
      try session.answer(to: ":help count") == [
        "count ENTITY [CLAUSES] prints how many objects match. count(ENTITY [CLAUSES]) is a value.",
        "",
        "  count Book where pages > 100",
        "  let long = count(Book where pages > 100)", "# :try runs the example",
      ])
  }

  @Test("help is broken between words where the window is narrow, an example is not")
  func narrow() throws {
    let session = try TerminalSession(columns: 40)

    #expect(
      try session.answer(to: ":help print") == [
        "print VALUE prints a value. A controller", "has CONTROLLER[SECTION, ROW], .sections,",
        ".fetchedObjects, .sectionIndexTitles,", ".indexPath(forObject: …). Tab lists",
        "them.", "",
        "  print books[0, 0].title", "  print books.fetchedObjects.count",
        "  print books.indexPath(forObject: Book/", "1)", "# :try runs the example",
      ])
  }

  @Test("a word that is a statement's and a command's is explained as both")
  func both() throws {
    let session = try TerminalSession()

    let help = try session.answer(to: ":help undo")
    #expect(help.first?.hasPrefix("undo reverts the changes of the last turn") == true)
    #expect(help.last == "# :undo [N] undoes the last statement, or the last N")
  }

  @Test(":help keys lists the keys of the editor")
  func keys() throws {
    let session = try TerminalSession(rows: 120)

    let help = try session.answer(to: ":help keys")
    #expect(Array(help.dropFirst(5)) == (try session.answer(to: ":keys")))
    #expect(help.contains("  Ctrl-K             deletes up to the end of the line"))
  }

  @Test(
    "what is unknown gets the nearest name",
    arguments: [
      (":help isnert", "no help on 'isnert'; did you mean ':help insert'?"),
      (":help xyzzy", "no help on 'xyzzy'; :help lists the topics"),
      (":hepl", "unknown command ':hepl'; did you mean ':help'?"),
      (":insert", "unknown command ':insert'; did you mean ':help insert'?"),
      (":xyzzy", "unknown command ':xyzzy'; :help lists what there is"),
    ])
  func unknown(_ entry: String, _ answer: String) throws {
    let session = try TerminalSession()

    #expect(try session.answer(to: entry) == [answer])
  }

  @Test(
    "a word that begins no statement is told where it is known, a command without its colon too",
    arguments: [
      ("clear", "# :clear clears the screen"),
      ("goto 3", "# :goto N goes to the point"),
      ("list books", "# :help show explains it"),
      ("xyzzy", "# :help start shows a first session"),
    ])
  func words(_ entry: String, _ last: String) throws {
    let session = try TerminalSession()

    #expect(try session.answer(to: entry).last?.hasPrefix(last) == true)
  }

  @Test(
    "the words of other programs are told what to type",
    arguments: [
      ("help", "# :help lists the topics, :quit leaves"),
      ("help insert", "# :help insert explains it"),
      ("?", "# :help lists the topics, :quit leaves"),
      ("help xyzzy", "# :help lists the topics, :quit leaves"),
      ("exit", "# :quit leaves, and so does Ctrl-D"),
      ("quit()", "# :quit leaves, and so does Ctrl-D"),
    ])
  func newcomers(_ entry: String, _ answer: String) throws {
    let session = try TerminalSession()

    #expect(try session.answer(to: entry) == [answer])
  }

  @Test("a defined name comes before a word of other programs")
  func names() throws {
    let session = try TerminalSession()

    try session.enterEach(["let q = 3", "let help = 4", "entity Book { title: String }"])
    try session.enter("controller exit = Book sort by title")

    #expect(try session.answer(to: "q") == ["3"])
    #expect(try session.answer(to: "help") == ["4"])
    #expect(try session.answer(to: "help + 1") == ["5"])
    #expect(try session.answer(to: "exit") == ["# fetch exit to get its results"])
    #expect(try session.answer(to: "quit") == ["# :quit leaves, and so does Ctrl-D"])
    #expect(try session.answer(to: "help insert") == ["# :help insert explains it"])
  }
}
