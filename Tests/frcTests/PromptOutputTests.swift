import PseudoTerminal
import Testing

@Suite struct PromptOutputTests {
  private static let statements = [
    "entity Book { title: String }", "controller books = Book sort by title", "fetch books",
    "insert Book(title: \"Dune\")",
  ]

  private func bytes(_ session: TerminalSession) -> String {
    String(decoding: session.terminal.output, as: UTF8.self)
  }

  /// Whether a sequence that begins with `ESC [` ends with `m`.
  private func hasColors(_ session: TerminalSession) -> Bool {
    bytes(session).split(separator: "\u{1B}[").dropFirst().contains { part in
      part.first { !($0.isNumber || $0 == ";") } == "m"
    }
  }

  @Test("at a terminal the words of changes have colours, which change no letter")
  func colors() throws {
    let session = try TerminalSession(entering: Self.statements + ["delete Book/1", "nonsense"])

    #expect(hasColors(session))
    let output = bytes(session)
    #expect(output.contains("\u{1B}[32minsert\u{1B}[0m Book/1"))
    #expect(output.contains("\u{1B}[31mdelete\u{1B}[0m Book/1"))
    #expect(output.contains("\u{1B}[2mbooks willChangeContent\u{1B}[0m"))
    #expect(output.contains("\u{1B}[1;31merror:\u{1B}[0m"))
    #expect(
      session.terminal.screen.text.contains(
        "\nbooks didChange object insert Book/1 \"Dune\" -> [0, 0]\n"))
  }

  @Test(
    "NO_COLOR and --color never switch the colours off, TERM=dumb too",
    arguments: [
      ([], ["NO_COLOR": "1"]), (["--color", "never"], [:]), ([], ["TERM": "dumb"]),
    ] as [([String], [String: String?])])
  func noColors(_ arguments: [String], _ environment: [String: String?]) throws {
    let session = try TerminalSession(arguments: arguments, environment: environment)
    try session.enterEach(Self.statements + ["nonsense"])

    #expect(!hasColors(session))
    #expect(session.terminal.screen.text.contains("object insert Book/1"))
  }

  @Test("--color always wins over NO_COLOR")
  func always() throws {
    let session = try TerminalSession(
      arguments: ["--color", "always"], environment: ["NO_COLOR": "1"])
    try session.enterEach(Self.statements)

    #expect(bytes(session).contains("\u{1B}[32minsert"))
  }

  @Test("control characters in what print prints are shown, not obeyed")
  func controlCharacters() throws {
    let session = try TerminalSession(entering: [#"print "a\u{1b}[31mb\u{9b}32mc\u{202e}d\te""#])

    #expect(
      session.terminal.screen.text.contains("\n" + #"a\u{1b}[31mb\u{9b}32mc\u{202e}d"#))
    #expect(!bytes(session).contains("a\u{1B}[31mb"))
    #expect(!bytes(session).contains("\u{9B}"))
  }

  @Test("a comparison that tells nothing is warned of under the entry, without a place")
  func warning() throws {
    let session = try TerminalSession()
    try session.enterEach(Self.statements + ["count Book where title > 3 AND 1 == 2"])

    #expect(
      session.terminal.screen.text.contains(
        "\nwarning: never true, and an error for a value that is not nil: 'title' is a\n"
          + "string, but 3 is a number; write \"3\"\n"))
  }

  @Test("a terminal that knows no sequences gets none")
  func dumb() throws {
    let session = try TerminalSession(environment: ["TERM": "dumb"], entering: Self.statements)
    try session.terminal.type("perform stepping { insert Book(title: \"Zama\") }" + Key.enter)
    try session.terminal.wait(forText: "# step 1")
    try session.type("q", untilPrompt: "frc> ")
    try session.enterEach([":clear", ":keys"])

    #expect(!session.terminal.output.contains(0x1B))
    #expect(
      session.rows(below: ":keys").first?.hasPrefix("Only the system edits lines here") == true)

    // There are no keys to complete or to search with.
    try session.terminal.type("nosuch" + Key.enter)
    try session.terminal.wait(forText: "# :help start shows a first session\n")
    try session.terminal.type(":help" + Key.enter)
    try session.terminal.wait(forText: "Ctrl-C drops what was typed, Ctrl-D or :quit leaves.\n")
    let said = String(decoding: session.terminal.output, as: UTF8.self)
    #expect(!said.contains("Tab ") && !said.contains("Ctrl-R"))
  }

  @Test("--format json prints events alone, without a word of the prompt's own")
  func json() throws {
    let session = try TerminalSession(arguments: ["--format", "json"], columns: 120)

    try session.enterEach(Array(Self.statements.dropLast()))
    #expect(
      try session.answer(to: Self.statements[3]) == [
        #"{"event":"willChangeContent","controller":"books"}"#,
        #"{"event":"didChangeObject","controller":"books","type":"insert","object":"Book/1","#
          + #""newIndexPath":[0,0]}"#,
        #"{"event":"didChangeContent","controller":"books"}"#,
      ])
    let error =
      #"{"event":"error","message":"nothing has the name 'nonsense', and no statement begins "#
      + #"with it; define it first, for example with 'let nonsense = 1'","file":"<prompt>","#
      + #""line":1,"column":1}"#
    #expect(try session.answer(to: "nonsense").prefix(2).joined() == error)
  }

  @Test("where standard output is a file, only what statements print goes there")
  func file() throws {
    let home = try TemporaryHome()
    let terminal = try PseudoTerminal(
      "/bin/sh",
      arguments: [
        "-c", "exec \"$1\" > \"$2\"", "sh", PseudoTerminal.builtProgram("frc"), home.path + "/out",
      ], environment: ["HOME": home.path])

    try terminal.type(Self.statements.map { $0 + "\n" }.joined() + "print 7\n" + Key.control("D"))

    #expect(try terminal.waitForExit() == .code(0))
    #expect(
      home.read("out") == """
        books willChangeContent
        books didChange object insert Book/1 "Dune" -> [0, 0]
        books didChangeContent
        7

        """)
  }

  @Test("show marks what the last turn did to a controller's rows, and what it has not followed")
  func marks() throws {
    let session = try TerminalSession(arguments: ["--color", "never"])
    try session.enterEach(
      [
        "entity Book { title: String, pages: Int = 0 }", "controller books = Book sort by title",
        "insert 3 Book(title: \"Part \\(i)\")", "fetch books",
        "perform { delete Book/1; Book/2.pages = 1; Book/3.title = \"Part 0\" }",
      ])

    #expect(
      try session.answer(to: "show books") == [
        "section 0 \"\" 2 objects", "> [0, 0] Book/3 \"Part 0\"", "- [0, 0] Book/1 \"Part 1\"",
        "* [0, 1] Book/2 \"Part 2\"",
      ])
    try session.enterEach(["delegate books none", "Book/2.pages = 2"])
    #expect(try session.answer(to: "show books")[2] == "! [0, 1] Book/2 \"Part 2\"")
  }

  @Test("show lists removed sections and rows where they were")
  func marksOfRemovedSections() throws {
    let session = try TerminalSession(arguments: ["--color", "never"])
    try session.enterEach(
      [
        "entity Book { title: String, pages: Int }",
        "controller books = Book sort by pages, title section by pages",
        "for i in 0...11 { insert Book(title: \"\\(i + 10)\", pages: i / 3) }", "fetch books",
        "perform { for b in fetch Book where pages IN {1, 3} { delete b }; delete Book/1; "
          + "delete Book/3; insert Book(title: \"x\", pages: 9); Book/8.pages = 9 }",
      ])

    let lines: [String] = [
      "section 0 \"0\" 1 object", "- [0, 0] Book/1 \"10\"", "  [0, 0] Book/2 \"11\"",
      "- [0, 2] Book/3 \"12\"", "- section 1 \"1\"", "- [1, 0] Book/4 \"13\"",
      "- [1, 1] Book/5 \"14\"", "- [1, 2] Book/6 \"15\"", "section 1 \"2\" 2 objects",
      "  [1, 0] Book/7 \"16\"", "  [1, 1] Book/9 \"18\"", "+ section 2 \"9\" 2 objects",
      "> [2, 0] Book/8 \"17\"", "+ [2, 1] Book/13 \"x\"", "- section 3 \"3\"",
      "- [3, 0] Book/10 \"19\"", "- [3, 1] Book/11 \"20\"", "- [3, 2] Book/12 \"21\"",
    ]
    #expect(try session.answer(to: "show books") == lines)
  }

  @Test("show marks what the last turn removed, also if no section is left")
  func marksWithoutSections() throws {
    let session = try TerminalSession(arguments: ["--color", "never"])
    try session.enterEach(
      [
        "entity Book { title: String, publisher: String = \"Ace\" }",
        "controller books = Book sort by publisher section by publisher",
        "insert Book(title: \"Dune\")", "fetch books", "delete Book/1",
      ])

    #expect(
      try session.answer(to: "show books") == [
        "- section 0 \"Ace\"", "- [0, 0] Book/1 \"Dune\"", "no sections",
      ])
    try session.enter("insert Book(title: \"Emma\")")
    #expect(try session.answer(to: "show books").first == "+ section 0 \"Ace\" 1 object")
  }
}
