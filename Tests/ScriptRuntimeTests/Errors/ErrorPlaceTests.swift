import Testing

/// Errors as they are displayed: message, line and caret.
struct ErrorPlaceTests {
  private static let model = "entity Book { title: String, pages: Int = 0 }\n"

  @Test(
    "an error stands under what is wrong",
    arguments: [
      ("insert Bok(title: \"Dune\")", 8, 3, "unknown entity 'Bok'; did you mean 'Book'?"),
      (
        "insert Book(titel: \"Dune\")", 13, 5,
        "Book has no attribute 'titel'; did you mean 'title'?"
      ),
      ("insert Book(title: 1 + 2)", 20, 5, "'title' takes a String, found 3; write \"3\""),
      ("insert Book(title: \"a\", title: \"b\")", 25, 5, "'title' given twice"),
      ("fetch Book where title > 3 AND pages == $n", 41, 2, "unknown variable '$n'"),
      (
        "fetch Book where pages > 3 AND titel == \"a\"", 32, 5,
        "Book has no attribute 'titel'; did you mean 'title'?"
      ),
      (
        "fetch Book sort by pages, name", 27, 4,
        "Book has no attribute 'name'; it has title and pages"
      ),
      ("print 1 + (2 / 0)", 11, 7, "division by zero"),
      ("print [1, 2][5]", 14, 1, "index 5 is out of range: indices run from 0 to 1"),
      ("let x = 3; print xs.title", 18, 2, "unknown name 'xs'; did you mean 'x'?"),
      ("print \"日本 \\(nothing)\"", 13, 7, "unknown name 'nothing'"),
      ("Book/7.title = \"Dune\"", 1, 6, "there is no Book/7; there are no objects of Book"),
      (
        "show books", 6, 5,
        "unknown controller 'books'; write 'controller NAME = ENTITY sort by KEY' first"
      ),
      ("print uppercase(1)", 7, 12, "'uppercase' is called as uppercase(text)"),
      ("print 3.pages.title", 9, 5, "an integer has no 'pages'"),
      ("if 1 { }", 4, 1, "expected true or false, found an integer"),
      ("expect 1 == 2", 8, 6, "expected 1 == 2; the left side is 1, the right side 2"),
      (
        "insert Book(title: \"a\"); save; context bg; merge main into bg", 50, 4,
        "nothing was saved in 'main' while there was another context, so there is nothing to merge"
      ),
      ("perform { let a = 1; print nothing }", 28, 7, "unknown name 'nothing'"),
    ])
  func place(line: String, column: Int, length: Int, message: String) {
    let playback = Playback(Self.model + line)

    let wide = line.prefix(column - 1).count { "日本".contains($0) }
    let caret = String(repeating: " ", count: column - 1 + wide) + "^"
    #expect(
      playback.failure == """
        test.frc:2:\(column): error: \(message)
        \(line)
        \(caret)\(String(repeating: "~", count: length - 1))
        """)
  }

  @Test("a predicate that raises at run time is marked where it raised")
  func predicate() {
    let playback = Playback(
      Self.model + """
        insert Book(title: "Dune")
        fetch Book where pages == 0 AND 1 / pages == 1
        """)

    #expect(
      playback.failure == """
        test.frc:3:33: error: Can't divide by zero
        fetch Book where pages == 0 AND 1 / pages == 1
                                        ^~~~~~~~~~~~~~
        """)
  }

  @Test("a predicate of an earlier statement that raises marks the one that runs it")
  func earlierPredicate() {
    let playback = Playback(
      Self.model + """
        insert Book(title: "Dune")
        controller books = Book where 1 / pages == 1 sort by title
        fetch books
        """)

    #expect(
      playback.failure == """
        test.frc:4:7: error: Can't divide by zero
        fetch books
              ^~~~~
        """)
  }

  @Test("a save's failures are marked at the save")
  func save() {
    let playback = Playback(Self.model + "insert Book()\n  save")

    #expect(
      playback.failure == """
        test.frc:3:3: error: NSCocoaErrorDomain 1570: cannot save: Book/1 'title' is a required value
          save
          ^~~~
        """)
  }

  @Test("an error in an included file is marked there")
  func include() {
    let playback = Playback(
      "include \"a.frc\"", files: ["a.frc": "include 'b.frc'", "b.frc": "print 1\nprint 1 / 0"])

    #expect(playback.lines == ["1"])
    #expect(
      playback.failure == """
        b.frc:2:7: error: division by zero
        print 1 / 0
              ^~~~~
        """)
  }

  @Test("an included file that does not parse is marked where it is wrong, and does not run")
  func includedSyntax() {
    let playback = Playback("include \"a.frc\"", files: ["a.frc": "print 1\nprnt 2"])

    #expect(playback.lines == [])
    #expect(
      playback.failure == """
        a.frc:2:1: error: 'a.frc' has errors: unknown statement 'prnt'; did you mean 'print'?
        prnt 2
        ^~~~
        """)
  }

  @Test("a file that is not there is marked in the include")
  func missing() {
    #expect(
      Playback("include \"a.frc\"").failure == """
        test.frc:1:9: error: cannot include 'a.frc': no such file
        include "a.frc"
                ^~~~~~~
        """)
  }

  @Test("files that include each other are stopped where the circle closes")
  func circle() {
    let playback = Playback(
      "include \"a.frc\"", files: ["a.frc": "include 'b.frc'", "b.frc": "include 'a.frc'"])

    #expect(
      playback.failure == """
        b.frc:1:9: error: 'a.frc' includes itself
        include 'a.frc'
                ^~~~~~~
        """)
  }

  @Test("a chain of too many includes is an error")
  func chain() {
    var files: [String: String] = [:]
    for index in 0...70 { files["\(index).frc"] = "include '\(index + 1).frc'" }

    let playback = Playback("include '0.frc'", files: files)

    #expect(
      playback.failure == """
        63.frc:1:1: error: includes nest deeper than 64 files
        include '64.frc'
        ^~~~~~~~~~~~~~~~
        """)
  }

  @Test("blocks that nest too deep over files are an error, not a crash")
  func nesting() {
    let open = String(repeating: "if true {", count: 180)
    let close = String(repeating: "}", count: 180)
    let playback = Playback(
      open + "include 'a.frc'" + close, files: ["a.frc": open + "print 1" + close])

    #expect(playback.lines == [])
    #expect(
      playback.failure?.hasPrefix(
        "a.frc:1:622: error: statements are nested more than 250 levels deep") == true)
  }

  @Test("contexts that nest too deep are an error, and the deepest that are allowed can fetch")
  func contexts() {
    let contexts = (1...199).map { "context c\($0)\($0 == 1 ? "" : " parent c\($0 - 1)")" }
    let playback = Playback(
      "entity Book { title: String }\n" + contexts.joined(separator: "\n") + """

        context c200 parent c199
        perform c200 { insert Book(title: "a"); print (fetch Book).count }
        context c201 parent c200
        """)

    #expect(playback.lines == ["1"])
    #expect(
      playback.failure?.contains(
        "contexts are nested more than 200 levels deep; name a parent nearer to the store") == true)
  }

  @Test("transient attributes with deep expressions are an error, not a crash", arguments: [62, 5])
  func deepTransients(count: Int) {
    let open = String(repeating: "1 + (", count: 90)
    let close = String(repeating: ")", count: 90)
    let attributes = (1...count).map { "transient x\($0): Int = \(open)x\($0 - 1)\(close)" }
    let playback = Playback(
      "entity Book { x0: Int = 1, \(attributes.joined(separator: ", ")) }\n"
        + "insert Book()\nprint Book/1.x5 > 0\nprint Book/1.x\(count)")

    if count == 5 {
      #expect(playback.lines.suffix(2) == ["true", "451"])
    } else {
      // A name that is read in the failing statement counts as nil.
      #expect(playback.lines.suffix(2) == ["true", "nil"])
      #expect(
        playback.failure?.contains(
          "expressions and the transient attributes they read are nested more than 1000 levels deep"
        )
          == true)
    }
  }

  @Test("a message is one line, whatever the values in it")
  func oneLine() {
    #expect(
      Playback("try include \"a\\nb\"").lines == ["error: cannot include 'a\\nb': no such file"])
    #expect(
      Playback("try expect \"a\\nb\" == \"c\"").lines == [
        "error: expected \"a\\nb\" == \"c\"; the left side is \"a\\nb\", the right side \"c\""
      ])
  }

  @Test("a long value in a message is cut off")
  func longValue() {
    let text = String(repeating: "x", count: 1000)
    let cut = "\"" + String(repeating: "x", count: 100) + "\"…"

    #expect(
      Playback("entity A { n: Int }\ntry insert A(n: \"\(text)\")").lines == [
        "error: 'n' takes an Int, found \(cut)"
      ])
  }

  @Test("a long row of operators and members needs no deep stack")
  func longRow() {
    let row = Array(repeating: "1", count: 1000).joined(separator: " + ")

    #expect(Playback("print \(row)").lines == ["1000"])
  }
}
