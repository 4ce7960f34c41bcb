import ScriptSyntax
import Testing

@Suite("Line ends")
struct LineEndTests {
  @Test("each line is a statement, and a semicolon separates two on one")
  func linesAndSemicolons() {
    #expect(
      shapes("save\nreset; process;\n\n;rollback") == ["save", "reset", "process", "rollback"])
  }

  @Test("a carriage return belongs to the line end")
  func carriageReturn() {
    #expect(shapes("save\r\nprint \"a\"\r\n\r\nreset\r\n") == ["save", "print \"a\"", "reset"])
  }

  @Test("a file without a last line end, an empty one and one of blanks are all right")
  func edges() {
    #expect(shapes("save") == ["save"])
    #expect(shapes("") == [])
    #expect(shapes(" \n\t\n") == [])
  }

  @Test("line ends do not count inside parentheses and brackets")
  func insideBrackets() {
    #expect(
      shapes("insert Book(\n  title: \"a\"\n,\n\npages: 3\n)\nsave")
        == ["insert Book(title: \"a\", pages: 3)", "save"])
    #expect(shapes("print [1\n,\n2\n]\nsave") == ["print [1, 2]", "save"])
    #expect(shapes("print books[\n0,\n1\n].title") == ["print books[0, 1].title"])
    #expect(shapes("print (1\n+ 2\n)") == ["print 1 + 2"])
    #expect(shapes("print \"a\\(\n1\n)b\"") == ["print \"a\\(1)b\""])
  }

  @Test("line ends do not count inside the brackets around a predicate")
  func aroundPredicate() {
    #expect(
      shapes("print count(Book\n  where pages\n  > 3 # more\n  # and\n  AND price\n < 5\n)\nsave")
        == ["print count(Book where pages > 3 AND price < 5)", "save"])
  }

  @Test("line ends do not count inside a predicate's braces")
  func insidePredicate() {
    #expect(
      shapes("fetch Book where pages IN {\n1,\n2\n}\nsave")
        == ["fetch Book where pages IN {1, 2}", "save"])
  }

  @Test("a clause word on the next line belongs to a request that can have it, and to nothing else")
  func clauseWordsAfterOthers() {
    /// The place of the only error.
    func place(_ text: String) -> [String] { heads(text).map { String($0.prefix(4)) } }
    #expect(place("fetch books\ncache \"x\"") == ["2:1 "])
    #expect(place("count Book\nsection by a") == ["2:1 "])
    for statement in ["save", "print 1", "reset", "show books", "undo", "expect true"] {
      for clause in ["where a == 1", "sort by a", "limit 2", "offset 2", "cache \"x\""] {
        let text = "\(statement)\n\(clause)"
        #expect(place(text) == ["2:1 "], "\(text)")
      }
      // A batch request begins with the same word.
      #expect(place("\(statement)\nbatch 2") == ["2:7 "])
    }
    #expect(
      shapes("delete Book\nwhere a == 1\nlet x = fetch Book\n  limit 2\nsave").count == 3)
    #expect(shapes("change books\n  where a == 1\n  sort by a").count == 1)
    #expect(shapes("if a { save }\nelse.title = \"x\"").count == 2)
  }

  @Test("a line goes on behind a comma, a backslash and a binary operator")
  func trailing() {
    #expect(shapes("fetch Book sort by title,\n  pages") == ["fetch Book sort by title, pages"])
    #expect(shapes("print \\\n  1") == ["print 1"])
    #expect(shapes("print 1 \\  # why\n  + 2") == ["print 1 + 2"])
    for sign in ["+", "-", "*", "/", "%", "==", "!=", "<", "<=", ">", ">=", "AND", "OR"] {
      #expect(shapes("print a \(sign)\n\n  # so\n  b") == ["print a \(sign) b"])
    }
    #expect(shapes("print a &&\nb ||\nc") == ["print (a AND b) OR c"])
    #expect(shapes("print 1 ...\n 3") == ["print 1...3"])
    #expect(shapes("fetch Book where pages >\n 3") == ["fetch Book where pages > 3"])
  }

  @Test("a line goes on where the next begins with a clause word")
  func clauseWords() {
    let script = """
      request r = Book
        where pages > 3

        # by title
        sort by title
        section by publisher
        limit 1
        offset 2
        batch 3
      controller c = Book
      sort by title
      cache "x"
      """
    #expect(
      shapes(script) == [
        "request r = Book where pages > 3 sort by title section by publisher limit 1 offset 2 "
          + "batch 3",
        "controller c = Book sort by title cache \"x\"",
      ])
  }

  @Test("a line goes on where the next begins with AND, OR, && or ||")
  func logicalOperators() {
    #expect(shapes("print a\nAND b\n  OR c") == ["print (a AND b) OR c"])
    #expect(shapes("print a\n&& b\n|| c") == ["print (a AND b) OR c"])
    #expect(
      shapes("fetch Book where a == 1\n  AND b == 2\n  OR c == 3\nsave")
        == ["fetch Book where (a == 1 AND b == 2) OR c == 3", "save"])
    #expect(
      shapes("fetch Book where a == 1\n  && b == 2\n  || c == 3")
        == ["fetch Book where (a == 1 AND b == 2) OR c == 3"])
  }

  @Test("a clause word before a colon, a dot or an assignment is a name")
  func clauseWordsAsNames() {
    for word in ["where", "limit", "offset", "batch", "cache", "section", "sort"] {
      for sign in ["=", "+=", "-="] {
        #expect(
          shapes("fetch Book\n\(word).x \(sign) 1") == ["fetch Book", "\(word).x \(sign) 1"])
        #expect(
          shapes("update Book { a = 1\n\(word) \(sign) 2 }")
            == ["update Book { a = 1, \(word) \(sign) 2 }"])
      }
      #expect(
        shapes("entity Book { a: Int\n\(word): Int }") == ["entity Book { a: Int, \(word): Int }"])
    }
  }

  @Test("the line of another word does not continue the one before")
  func otherWords() {
    #expect(heads("fetch Book\nsorted by title") == ["2:1 unknown statement 'sorted'"])
    #expect(heads("fetch Book\nsort title").count == 1)
  }

  @Test("a file needs its operands on the line of their word")
  func operandsInFiles() {
    #expect(
      heads("fetch Book where\nsave") == [
        "1:17 expected a predicate, found the end of the line; write a predicate after 'where', such as "
          + "pages > 100"
      ])
    #expect(heads("let x =\nsave") == ["1:8 expected a value, found the end of the line"])
  }

  @Test("a value may stand on the line behind its sign, but no statement does")
  func behindAssignment() {
    #expect(
      shapes("let x =\n  3\nlet y =\n insert Book(\n)\nrequest r =\n  Book") == [
        "let x = 3", "let y = insert Book()", "request r = Book",
      ])
    #expect(
      shapes("a.b =\n  c\nupdate Book { a =\n 1 }\nentity Book { a: Int =\n 1 }") == [
        "a.b = c", "update Book { a = 1 }", "entity Book { a: Int = 1 }",
      ])
  }

  @Test("at the prompt a line end does not count where more must follow")
  func prompt() {
    #expect(
      shapes("fetch Book where\npages > 3 sort by\ntitle", as: .prompt)
        == ["fetch Book where pages > 3 sort by title"])
    #expect(shapes("let\nx\n=\n3", as: .prompt) == ["let x = 3"])
    #expect(shapes("if a\n{\nsave\n}", as: .prompt) == ["if a { save }"])
    #expect(shapes("dune.title =\n\"x\"", as: .prompt) == ["dune.title = \"x\""])
  }

  @Test("blocks end lines too")
  func blocks() {
    #expect(
      shapes("perform {\nsave\nfetch Book\n  where a > 1\nreset; process }")
        == ["perform { save; fetch Book where a > 1; reset; process }"])
  }
}
