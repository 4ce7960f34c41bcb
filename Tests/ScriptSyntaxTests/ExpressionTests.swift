import Testing

@Suite("Expressions")
struct ExpressionTests {
  @Test("products bind tighter than sums, sums than ranges, ranges than comparisons")
  func arithmetic() {
    #expect(expression("1 + 2 * 3 - 4") == "(1 + (2 * 3)) - 4")
    #expect(expression("a / b % c") == "(a / b) % c")
    #expect(expression("a + 1 == b - 1") == "(a + 1) == (b - 1)")
    #expect(expression("1...2 == r") == "(1...2) == r")
    #expect(expression("(1 + 2) * 3") == "(1 + 2) * 3")
  }

  @Test("NOT binds tighter than AND, AND than OR")
  func logic() {
    #expect(expression("a OR b AND NOT c") == "a OR (b AND (NOT c))")
    #expect(expression("NOT a == b") == "NOT (a == b)")
    #expect(expression("!a == b") == "(NOT a) == b")
    #expect(expression("a || b && !c") == "a OR (b AND (NOT c))")
    #expect(expression("a and b or not c") == "(a AND b) OR (NOT c)")
    #expect(expression("NOT NOT !a") == "NOT (NOT (NOT a))")
  }

  @Test("minus is a sign of numbers and of everything else")
  func negation() {
    #expect(expression("-3") == "-3")
    #expect(expression("-x") == "-x")
    #expect(expression("1 - -2") == "1 - -2")
    #expect(expression("1-2") == "1 - 2")
    #expect(expression("- -x") == "-(-x)")
    #expect(expression("-(1 + 2)") == "-(1 + 2)")
    #expect(expression("-x.y") == "-x.y")
  }

  @Test("members, indices and calls follow one another")
  func postfix() {
    #expect(expression("books[0, 1].title") == "books[0, 1].title")
    #expect(expression("books.sections[0].name") == "books.sections[0].name")
    #expect(expression("books.fetchedObjects.count") == "books.fetchedObjects.count")
    #expect(expression("books.indexPath(forObject: dune)") == "books.indexPath(forObject: dune)")
    #expect(
      expression("books.section(forSectionIndexTitle: \"A\", at: 0)")
        == "books.section(forSectionIndexTitle: \"A\", at: 0)")
    #expect(expression("uppercase(substring(title, 0, 1))") == "uppercase(substring(title, 0, 1))")
    #expect(expression("now()") == "now()")
    #expect(expression("$x.name") == "$x.name")
  }

  @Test("count, fetch and insert are values")
  func requests() {
    #expect(expression("count(Book where pages > 100)") == "count(Book where pages > 100)")
    #expect(expression("count(Book) + 1") == "count(Book) + 1")
    #expect(expression("count(\nBook\nsort by title\n)") == "count(Book sort by title)")
    #expect(expression("count(author.books)") == "count(author.books)")
    #expect(
      shapes("let big = fetch Book where pages > 100 sort by title")
        == ["let big = fetch Book where pages > 100 sort by title"])
    #expect(shapes("let b = insert Book(title: \"x\")") == ["let b = insert Book(title: \"x\")"])
    #expect(
      shapes("insert Book(author: fetch Author sort by name, pages: 3)")
        == ["insert Book(author: fetch Author sort by name, pages: 3)"])
  }

  @Test("their words are names where nothing of that kind follows")
  func wordsAsNames() {
    #expect(expression("count + insert * fetch") == "count + (insert * fetch)")
    #expect(expression("count.x == fetch") == "count.x == fetch")
    #expect(expression("limit + where") == "limit + where")
    #expect(expression("print") == "print")
    #expect(expression("not + 1") == "not + 1")
    #expect(expression("x.insert") == "x.insert")
  }

  @Test("comparisons cannot be chained")
  func chained() {
    #expect(
      heads("print a < b < c") == ["1:13 comparisons cannot be chained; join them with 'AND'"])
    #expect(heads("print 1...2...3") == ["1:12 unexpected '...'"])
  }

  @Test("operators of other languages are explained")
  func otherOperators() {
    #expect(heads("if a = 3 { save }") == ["1:6 unexpected '=' in an expression; use '=='"])
    #expect(heads("print f(a = 3)") == ["1:11 unexpected '=' in an expression; use '=='"])
    #expect(heads("expect a <> b") == ["1:10 unexpected '<>' in an expression; use '!='"])
    #expect(heads("expect a =< b") == ["1:10 unexpected '=<' in an expression; use '<='"])
    #expect(heads("expect a => b") == ["1:10 unexpected '=>' in an expression; use '>='"])
  }
}
