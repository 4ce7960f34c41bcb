import Testing

/// The completions of values, and of members after their dots.
@Suite struct CompletionOfValuesTests {
  private func candidates(_ marked: String) throws -> [String] {
    try CompletionPlaces.candidates(marked)
  }

  // MARK: Values

  @Test(
    "where a value stands, variables, controllers and entities are offered",
    arguments: ["print |", "let x = |", "if |", "expect 1 == |", "insert Book(title: |"])
  func values(_ text: String) throws {
    #expect(
      try candidates(text)
        == ["dune", "words", "books", "Author/", "Book/", "count(", "insert ", "fetch "])
  }

  @Test("the language's own functions and words are offered once a letter is typed")
  func functions() throws {
    #expect(try candidates("print up|") == ["uppercase("])
    #expect(try candidates("print n|") == ["now(", "nil"])
  }

  @Test("with a dollar, variables alone")
  func variables() throws {
    #expect(try candidates("print $|") == ["$dune", "$words"])
    #expect(try candidates("print $d|") == ["$dune"])
  }

  @Test("in an interpolation stand values")
  func interpolations() throws {
    #expect(try candidates("print \"a \\(du|") == ["dune"])
    #expect(try candidates("print \"a \\(dune.|") == attributes)
    #expect(try candidates("print \"a \\(dune.title) b|") == [])
  }

  @Test("the variables of the text itself are known, in their scopes")
  func locals() throws {
    #expect(try candidates("for bo in [1] { print bo|") == ["bo", "books", "Book/"])
    #expect(try candidates("for bo in [1] { print 1 }; print bo|") == ["books", "Book/"])
    #expect(try candidates("let number = 1; print nu|") == ["number"])
    #expect(try candidates("insert 10 Book(title: \"\\(i|") == ["i", "insert "])
  }

  // MARK: Members

  @Test(
    "behind an object's dot stand its attributes",
    arguments: [
      "dune.|", "print dune.|", "Book/1.|", "print books[0, 0].|", "print $dune.|",
      "print books.fetchedObjects.first.|", "print books.object(at: [0, 0]).|",
      "for b in books.fetchedObjects { print b.|", "let x = insert Book(title: \"\"); print x.|",
      "let x = fetch Book; print x[0].|", "perform { let y = dune; y.|",
      "for b in fetch recent { b.|", "expect dune.|",
    ])
  func objects(_ text: String) throws {
    #expect(try candidates(text) == attributes)
  }

  @Test("behind a controller's dot stand its members and methods, with their first label")
  func controllers() throws {
    #expect(
      try candidates("print books.|") == [
        "cacheName", "fetchedObjects", "sectionIndexTitles", "sectionNameKeyPath", "sections",
        "indexPath(forObject: ", "object(at: ", "section(forSectionIndexTitle: ",
        "sectionIndexTitle(forSectionName: ",
      ])
  }

  @Test("where a label must stand, it alone is offered")
  func labels() throws {
    #expect(try candidates("print books.indexPath(|") == ["forObject: "])
    #expect(try candidates("print books.section(forSectionIndexTitle: \"A\", |") == ["at: "])
  }

  @Test("behind the dots of sections, lists, texts and ranges")
  func others() throws {
    let section = ["indexTitle", "name", "numberOfObjects", "objects"]
    #expect(try candidates("print books.sections[0].|") == section)
    #expect(try candidates("for s in books.sections { print s.|") == section)
    #expect(try candidates("print books.sections.|") == ["count"])
    #expect(try candidates("print words.|") == ["count", "first", "isEmpty", "last"])
    #expect(try candidates("print dune.title.|") == ["count", "isEmpty", "length"])
    #expect(try candidates("print 12.|") == [])
  }

  // MARK: Predicates

  @Test(
    "where a predicate's value stands, attributes and variables are offered",
    arguments: [
      "fetch Book where |", "update Book where |", "change books where |", "fetch Book where (|",
      "fetch Book where title == 'a' AND |", "fetch Book where NOT |",
      "fetch Book where pages == 1 OR ((|", "fetch Book where TERNARY(|",
      "fetch Book where pages == TERNARY(|", "fetch Book where SUBQUERY(words, $w, |",
      "perform {\n  delete Book\n  where |",
    ])
  func operands(_ text: String) throws {
    #expect(try candidates(text) == attributes + ["$dune", "$words", "NOT "])
  }

  @Test(
    "where a predicate cannot begin, no word is offered that begins one",
    arguments: [
      "fetch Book where pages == |", "fetch Book where pages > (|",
      "fetch Book where title CONTAINS[c] |", "fetch Book where ANY |",
      "fetch Book where NOT title == |", "fetch Book where (pages + |",
      "fetch Book where pages == -(|", "fetch Book where pages BETWEEN {1, |",
      "fetch Book where abs(|", "evaluate 1 < |",
    ])
  func valuesAlone(_ text: String) throws {
    let known = text.hasPrefix("evaluate") ? ["name"] : []
    let found = try candidates(text).filter { !$0.hasPrefix("\"") && Int($0) == nil }

    #expect(found == known + attributes + ["$dune", "$words"])
    let typed = text.replacing("|", with: "n|")
    #expect(try candidates(typed).contains("nil"))
    #expect(try candidates(typed).allSatisfy { !["NOT ", "NONE "].contains($0) })
  }

  @Test("evaluate does not know its object yet, and offers the attributes of all entities")
  func evaluated() throws {
    let all = ["name"] + attributes + ["$dune", "$words", "NOT "]
    #expect(try candidates("evaluate |") == all)
    #expect(try candidates("evaluate pages > 1 AND (ti|") == ["title"])
    #expect(try candidates("evaluate pages > 1 |") == ["AND ", "OR ", "on"])
    #expect(try candidates("evaluate pages |").first == "== ")
    #expect(try candidates("evaluate pages > 1 on d|").first == "dune")
    #expect(try candidates("evaluate pages > 1 on |").contains("Book/"))
  }

  @Test("behind a predicate's value stand comparisons")
  func comparisons() throws {
    #expect(
      try candidates("fetch Book where title |") == [
        "== ", "!= ", "CONTAINS ", "BEGINSWITH ", "ENDSWITH ", "LIKE ", "MATCHES ", "IN ", "< ",
        "<= ", "> ", ">= ", "BETWEEN ",
      ])
    #expect(try candidates("fetch Book where title b|") == ["BEGINSWITH ", "BETWEEN "])
    #expect(
      try candidates("fetch Book where pages |")
        == ["== ", "!= ", "< ", "<= ", "> ", ">= ", "BETWEEN ", "IN "])
  }

  @Test("behind a comparison stand AND, OR and, outside brackets, clauses")
  func joints() throws {
    #expect(
      try candidates("fetch Book where pages > 1 |")
        == ["AND ", "OR "] + clauses.filter { $0 != "where " })
    #expect(try candidates("fetch Book where (pages > 1 |") == ["AND ", "OR "])
  }

  @Test("in a predicate's strings and options nothing is offered, in their interpolations values")
  func strings() throws {
    #expect(try candidates("fetch Book where title MATCHES \"d|") == [])
    #expect(try candidates("fetch Book where title == 'x|") == [])
    #expect(try candidates("fetch Book where title CONTAINS[c|") == [])
    #expect(try candidates("fetch Book where title == \"\\(dune.|") == attributes)
    #expect(try candidates("fetch Book where title == $d|") == ["$dune"])
  }
}
