import Foundation
import Testing

@Suite struct TimeTravelTests {
  private func library() throws -> TerminalSession {
    let session = try TerminalSession(columns: 160)
    try session.enterEach([
      "entity Book { title: String, pages: Int = 0 }",
      "controller books = Book sort by title; fetch books",
      "let dune = insert Book(title: \"Dune\")", "save", "dune.title = \"Arrakis\"",
    ])
    return session
  }

  @Test("each statement is a point; what was defined, stored and shown comes back")
  func undo() throws {
    let session = try library()

    #expect(
      try session.answer(to: ":undo 3").first == "# at 3 of 6, after: fetch books")
    #expect(try session.answer(to: "count Book") == ["0"])
    #expect(try session.answer(to: "print dune").first == "error: unknown name 'dune'")
    #expect(
      try session.answer(to: ":redo").first
        == "# at 4 of 6, after: let dune = insert Book(title: \"Dune\")")
    #expect(try session.answer(to: "show books").last?.contains("[0, 0] Book/1 \"Dune\"") == true)
    #expect(
      try session.answer(to: ":redo 9").first == "# at 6 of 6, after: dune.title = \"Arrakis\"")
    #expect(try session.answer(to: "print dune.title") == ["Arrakis"])
  }

  @Test(":timeline lists the points; a new statement in the past drops what was undone")
  func branch() throws {
    let session = try library()

    try session.enter(":goto 3")
    #expect(
      try session.answer(to: ":timeline") == [
        "  0  the beginning", "  1  entity Book { title: String, pages: Int = 0 }",
        "  2  controller books = Book sort by title", "> 3  fetch books",
        "  4  let dune = insert Book(title: \"Dune\")  # undone", "  5  save  # undone",
        "  6  dune.title = \"Arrakis\"  # undone",
      ])
    // A statement that only looks is not a change, and the future statements stay.
    try session.enter("count Book")
    #expect(try session.answer(to: ":redo").first?.hasPrefix("# at 4 of 6") == true)
    try session.enter(":undo")
    #expect(
      try session.answer(to: "insert Book(title: \"Emma\")").contains(
        "books didChange object insert Book/1 \"Emma\" -> [0, 0]"))
    #expect(try session.answer(to: ":redo") == ["nothing to redo: this is the last point"])
  }

  @Test("on a store in a file it says why not, and nothing changes")
  func file() throws {
    let home = try TemporaryHome()
    let session = try TerminalSession(
      arguments: ["--allow-write", home.path], home: home, columns: 200)
    try session.enterEach([
      "store sqlite \"\(home.path)/l.sqlite\"", "entity Book { title: String }",
      "insert Book(title: \"A\")", "save",
    ])

    let answer = try session.answer(to: ":undo")
    #expect(
      answer.joined().hasSuffix(
        "what was saved there cannot be undone; going back needs the store in memory"))
    #expect(try session.answer(to: "count Book") == ["1"])
  }

  @Test("a file of a script that ran alone keeps what was saved, and :undo says so")
  func fileOfAnotherSession() throws {
    let home = try TemporaryHome()
    try home.write(
      "store sqlite \"l.sqlite\"\nentity Book { title: String }\ninsert Book(title: \"A\")\n"
        + "save\ncount Book\n",
      to: "a.frc")
    let session = try TerminalSession(
      arguments: ["--allow-read", home.path, "--allow-write", home.path], home: home,
      columns: 200)
    #expect(try session.answer(to: "include \"\(home.path)/a.frc\" alone") == ["1"])

    let answer = try session.answer(to: ":undo")
    #expect(
      answer.joined().hasSuffix(
        "what was saved there cannot be undone; going back needs the store in memory"))
    #expect(try session.answer(to: "include \"\(home.path)/a.frc\" alone") == ["2"])
  }

  @Test("the clock says the same again, and a file that has changed is as it was")
  func surroundings() throws {
    let home = try TemporaryHome()
    try home.write("let n = 1\n", to: "a.frc")
    let session = try TerminalSession(
      arguments: ["--allow-read", home.path], home: home, columns: 160)
    try session.enterEach([
      "let moment = now()", "include \"\(home.path)/a.frc\"", "print 1", "let last = 1",
    ])
    let moment = try session.answer(to: "print moment")
    try home.write("let n = 2\n", to: "a.frc")

    try session.enter(":goto 3")

    #expect(try session.answer(to: "print moment") == moment)
    #expect(try session.answer(to: "print n") == ["1"])
  }

  @Test("a recorded session passes at once, with what failed left out")
  func record() throws {
    let session = try library()
    let home = session.home
    try session.enterEach(["print dune.titel", "print now()"])
    try session.enter("print \"a", "b\"")
    try session.enter("perform {", "print \"c", "d\"", "print 1", "}")

    #expect(
      try session.answer(to: ":record ~/s.frc").last?
        .hasSuffix("s.frc: 9 statements; one that failed is left out") == true)
    let script = try #require(home.read("s.frc"))
    #expect(script.contains("#> books didChange object insert Book/1 \"Dune\" -> [0, 0]\n"))
    #expect(script.contains("print \"a\\nb\"\n#> a\n#> b\n"))
    // Only the line end in the string is not one in the script.
    #expect(script.contains(/perform \{\n *print "c\\n *d"\n *print 1\n *\}\n#> c\n/))
    #expect(!script.contains("titel"))
    let result = try FRCProgram().run(["test", home.path + "/s.frc"])
    #expect(result.status == 0, "\(result)\n\(script)")
  }

  @Test("a point has one row, however narrow the window is")
  func narrow() throws {
    let session = try TerminalSession(columns: 40)
    try session.enterEach([
      "let a = \"" + String(repeating: "本", count: 30) + "\"",
      "print nothingAtAll + anotherNameWithoutMeaning",
    ])

    #expect(
      try session.answer(to: ":goto 1") == [
        "# at 1 of 2, after: let a = \"本本本本 …"
      ])
    #expect(
      try session.answer(to: ":timeline") == [
        "  0  the beginning", "> 1  let a = \"本本本本本本本本本本本本 …",
        "  2  print nothing …  # failed  # undone",
      ])
  }

  @Test("what failed is kept with try, as asked, or where it did something first")
  func recordFailures() throws {
    let session = try library()
    let home = session.home
    try session.enter("perform {", "insert Book(title: \"half\")", "print nothing", "}")
    try session.enter("count Book")

    let answer = try session.answer(to: ":record ~/kept.frc")
    #expect(answer.joined().contains("one that failed is kept with try, for what"))
    let script = try #require(home.read("kept.frc"))
    #expect(script.contains("try perform {"))
    #expect(script.contains("#> error: unknown name 'nothing'"))
    #expect(try FRCProgram().run(["test", home.path + "/kept.frc"]).status == 0)

    // Messages about what is written in Swift, also those that 'try' makes shorter.
    try session.enterEach([
      "print dune.titel", "print UUID()", "return true", "controller unsorted = Book",
      "  show Book", ":record ~/asked.frc try",
    ])
    let asked = try #require(home.read("asked.frc"))
    #expect(asked.contains("try print dune.titel"))
    #expect(asked.contains("#> error: a script has no random values"))
    #expect(try FRCProgram().run(["test", home.path + "/asked.frc"]).status == 0)
  }

  @Test("a result that is used later is recorded after the fetch that printed it")
  func recordUsedResult() throws {
    let session = try TerminalSession(columns: 200)
    try session.enterEach([
      "entity Book { title: String; on awakeFromFetch { print \"hook\" } }",
      "insert Book(title: \"Dune\")", "save", "reset", "fetch Book", "_.count",
    ])

    #expect(try session.answer(to: ":record ~/r.frc").joined().hasSuffix("r.frc: 6 statements"))
    let script = try #require(session.home.read("r.frc"))
    #expect(
      script.contains(
        "#> hook\n#> Book/1 title: \"Dune\"\nlet _1 = fetch Book\nlet _ = _1\n"))
    #expect(try FRCProgram().run(["test", session.home.path + "/r.frc"]).status == 0)
  }

  @Test("a value after try is recorded as a print, also if its result is used later")
  func recordTriedValue() throws {
    let session = try TerminalSession(columns: 200)
    try session.enterEach([
      "entity Book { title: String }", "insert Book(title: \"Dune\")", "try Book/9", "try 40 + 2",
      "try Book/1", "print _.title", "try fetch Book", "print _1", "_.count",
    ])

    #expect(try session.answer(to: ":record ~/r.frc").joined().hasSuffix("r.frc: 9 statements"))
    let script = try #require(session.home.read("r.frc"))
    #expect(script.contains("try print Book/9\n#> error: there is no Book/9"))
    #expect(script.contains("let _2 = Book/1\nlet _ = _2\nprint _2\n#> Book/1\n"))
    #expect(script.contains("try fetch Book\n#> Book/1 title: \"Dune\"\nlet _3 = fetch Book\n"))
    #expect(try FRCProgram().run(["test", session.home.path + "/r.frc"]).status == 0)
  }

  @Test("a session without a statement is not recorded, also after all were undone")
  func recordNothing() throws {
    let session = try TerminalSession(columns: 200)

    #expect(
      try session.answer(to: ":record ~/r.frc") == ["nothing to record yet: no statement has run"])
    try session.enterEach(["let a = 1", ":goto 0"])
    #expect(
      try session.answer(to: ":record ~/r.frc") == ["nothing to record yet: no statement has run"])
    #expect(session.home.read("r.frc") == nil)
  }

  @Test("a session on a file is recorded without another write to it; what it found is missed")
  func recordStore() throws {
    let home = try TemporaryHome()
    let store = home.path + "/\"l.sqlite"
    let session = try TerminalSession(arguments: ["--store", store], home: home, columns: 200)
    try session.enterEach([
      "entity Book { title: String }", "insert Book(title: \"Dune\")", "save", "count Book",
    ])

    #expect(
      try session.answer(to: ":record ~/a.frc").map { $0.hasSuffix("a.frc: 4 statements") }
        == [true])
    #expect(try session.answer(to: "count Book") == ["1"])

    let again = try TerminalSession(arguments: ["--store", store], home: home, columns: 200)
    try again.enterEach(["entity Book { title: String }", "count Book"])
    let answer = try again.answer(to: ":record ~/b.frc").joined()
    #expect(answer.contains("so frc test fails there; a test begins with an empty '"))
    #expect(answer.hasSuffix("l.sqlite', whatever this session found in it"))
  }

  @Test("what is recorded may use the files of its own folder only, as in frc test")
  func recordElsewhere() throws {
    let session = try TerminalSession(columns: 200)
    let home = session.home
    try home.makeFolder("sub")
    try home.write("print 1\n", to: "outer.frc")
    try home.write("print 2\n", to: "sub/a  b.frc")
    // This lets the session, but not a script elsewhere, use the files of both folders.
    try session.enterEach([":load ~/outer.frc", ":load ~/sub/a  b.frc"])

    try session.enter("include \"\(home.path)/sub/a  b.frc\"")
    let inner = try session.answer(to: ":record ~/sub/x  1.frc try").joined()
    #expect(inner.hasSuffix("x  1.frc: 3 statements"))
    #expect(try #require(home.read("sub/x  1.frc")).contains("include \"a  b.frc\"\n"))
    #expect(try FRCProgram().run(["test", home.path + "/sub/x  1.frc"]).status == 0)

    try session.enter("include \"\(home.path)/outer.frc\"")
    let outer = try session.answer(to: ":record ~/sub/y.frc").joined()
    #expect(outer.contains("line 8 of '\(home.path)/sub/y.frc': uncaught error: cannot include '"))
    #expect(try FRCProgram().run(["test", home.path + "/sub/y.frc"]).status == 1)
  }

  @Test(
    "a word of other commands is not the name of a file, unless it is written as a path",
    arguments: [
      ("off", ":record writes the session so far, and is never on or off"),
      ("On try", ":record writes the session so far, and is never on or off"),
      ("try", ":record needs a file before 'try'"),
    ])
  func recordOff(word: String, mistake: String) throws {
    let session = try TerminalSession(columns: 160)
    let name = String(word.prefix { $0 != " " })
    try session.enter("print 0")

    let answer = try session.answer(to: ":record \(word)").joined()
    #expect(answer == "\(mistake); ':record ./\(name)' writes a file called '\(name)'")
  }

  @Test("a file that the session has not written is left alone")
  func recordOver() throws {
    let session = try TerminalSession(columns: 160)
    try session.home.write("precious", to: "x.frc")
    try session.enter("print 0")

    #expect(
      try session.answer(to: ":record ~/x.frc").joined().hasSuffix(
        "this session has not written it"))
    #expect(session.home.read("x.frc") == "precious")
    #expect(
      try session.answer(to: ":record ~/no/x.frc").joined()
        .hasSuffix("': there is no folder '\(session.home.path)/no'"))
    try session.enterEach(["print 1", ":record ~/y.frc", "print 2"])
    try session.enter(":record ~/y.frc")
    #expect(session.home.read("y.frc")?.contains("print 2") == true)
  }
}
