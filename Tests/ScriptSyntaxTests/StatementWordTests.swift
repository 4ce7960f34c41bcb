import Testing

@Suite("Statement words")
struct StatementWordTests {
  static let words = [
    "abstract", "batch", "caches", "change", "controller", "count", "delegate", "delete", "entity",
    "expect", "fetch", "for", "if", "include", "insert", "let", "objects", "perform", "print",
    "process", "repeat", "request", "reset", "rollback", "save", "set", "show", "store", "try",
    "update", "evaluate", "table", "model", "undo", "redo", "stats", "swift",
    "merge", "automerge", "context", "refresh", "observe", "obtain", "history", "extension",
    "observer",
  ]

  @Test("a statement's word is none before a dot or an assignment", arguments: words)
  func assigned(word: String) {
    for sign in ["=", "+=", "-="] {
      #expect(shapes("\(word).title \(sign) 1") == ["\(word).title \(sign) 1"])
    }
    #expect(heads("\(word) = 1") == ["1:1 a variable is set with 'let \(word) = …'"])
  }

  @Test("a statement's word is a name in any other place", arguments: words)
  func elsewhere(word: String) {
    #expect(shapes("let \(word) = 1") == ["let \(word) = 1"])
    #expect(shapes("print $\(word)") == ["print $\(word)"])
    #expect(shapes("insert Book(\(word): 1)") == ["insert Book(\(word): 1)"])
    #expect(shapes("entity Book {\n\(word): Int\n}") == ["entity Book { \(word): Int }"])
    #expect(shapes("update Book {\n\(word) = 1\n}") == ["update Book { \(word) = 1 }"])
    #expect(shapes("fetch Book sort by \(word)") == ["fetch Book sort by \(word)"])
  }

  @Test("clause words are names where no expression stands before them")
  func clauseWords() {
    #expect(shapes("fetch limit limit 3") == ["fetch limit limit 3"])
    #expect(
      shapes("fetch Book where limit > 3 limit limit") == ["fetch Book where limit > 3 limit limit"]
    )
    #expect(shapes("print limit") == ["print limit"])
    #expect(shapes("let offset = batch") == ["let offset = batch"])
    #expect(
      shapes("fetch Book sort by sort, section section by section")
        == ["fetch Book sort by sort, section section by section"])
    #expect(shapes("delete cache") == ["delete cache"])
    #expect(shapes("delete cache.x") == ["delete cache.x"])
    #expect(shapes("let updates = saves") == ["let updates = saves"])
    #expect(
      shapes("observer o = updates sort by updates updates turns")
        == ["observer o = updates sort by updates updates turns"])
  }

  @Test("an observer's clauses may begin lines, and are refused elsewhere")
  func observers() {
    #expect(
      shapes("observer o = Book\n  section by publisher\n  updates turns")
        == ["observer o = Book section by publisher updates turns"])
    #expect(
      shapes("observer o = history of Book,\n  Author by a,\n  b")
        == ["observer o = history of Book, Author by a, b"])
    let elsewhere = "'updates' is a part of observers only; write 'observer NAME = Book updates …'"
    #expect(heads("controller c = Book updates turns") == ["1:21 \(elsewhere)"])
    #expect(heads("fetch Book updates saves") == ["1:12 \(elsewhere)"])
    #expect(heads("updates turns") == ["1:1 \(elsewhere)"])
    #expect(
      heads("observer o = Book updates turn") == [
        "1:27 unknown kind of updates 'turn'; did you mean 'turns'?"
      ])
    #expect(
      heads("observer o = Book updates saves updates turns") == [
        "1:33 clause 'updates' given twice"
      ])
    #expect(
      heads("observer o = history of book") == [
        "1:25 an entity's name begins with a capital letter, 'book' does not; did you mean 'Book'?"
      ])
    #expect(heads("observer o") == ["1:11 expected '=', but the text ends here"])
    #expect(
      heads("extension { observer o = Book }").allSatisfy {
        $0.contains("in the block of an extension")
      })
  }

  @Test("a request returns one kind of result, and only a batch request none")
  func results() {
    let ofBatches = "'statusOnly' is a result of batch requests only; write 'objectIDs' or 'count'"
    #expect(heads("fetch Book returning statusOnly") == ["1:22 \(ofBatches)"])
    #expect(heads("count Book returning statusOnly") == ["1:22 \(ofBatches)"])
    #expect(heads("let n = count(Book returning statusOnly)") == ["1:30 \(ofBatches)"])
    #expect(heads("update Book returning statusOnly { a = 1 }") == ["1:23 \(ofBatches)"])
    #expect(heads("batch update Book returning statusOnly { a = 1 }") == [])
    #expect(heads("batch delete Book returning statusOnly") == [])

    let both = "gives dictionaries, so it cannot be in a request with 'returning'"
    #expect(heads("fetch Book values a returning count") == ["1:21 'values' \(both)"])
    #expect(heads("request r = Book distinct returning objectIDs") == ["1:27 'distinct' \(both)"])
    #expect(heads("fetch Book returning count values a") == ["1:28 'values' \(both)"])
    #expect(heads("fetch Book returning count group by a") == ["1:28 'group by' \(both)"])
    let batch = "gives dictionaries, so it cannot be in a batch request"
    #expect(heads("batch delete Book values a") == ["1:19 'values' \(batch)"])
    #expect(heads("batch update Book distinct { a = 1 }") == ["1:19 'distinct' \(batch)"])
    #expect(heads("batch delete Book limit count(Author values b)") == [])
  }

  @Test("words are lower case")
  func capitals() {
    #expect(heads("Save") == ["1:1 unknown statement 'Save'; did you mean 'save'?"])
    #expect(
      heads("fetch Book LIMIT 3") == [
        "1:12 expected a clause or the end, found 'LIMIT'; did you mean 'limit'?"
      ])
  }

  @Test("an unknown statement names the nearest one")
  func unknown() {
    #expect(
      messages("save\ninser Book(title: \"x\")") == """
        test.frc:2:1: error: unknown statement 'inser'; did you mean 'insert'?
        inser Book(title: "x")
        ^~~~~
        """)
    #expect(heads("xyzzy 3") == ["1:1 unknown statement 'xyzzy'"])
  }

  @Test("a clause in first place belongs to no statement")
  func clauseAlone() {
    #expect(
      heads("where a == 1") == ["1:1 'where' is a part of a request; write 'fetch Book where …'"])
    #expect(
      heads("save;sort by x")
        == ["1:6 'sort by' is a part of a request; write 'fetch Book sort by …'"])
  }

  @Test("a value alone is no statement")
  func valueAlone() {
    for text in [
      "dune.title", "1 + 2", "\"a\"", "[1]", "Book/3", "a == b", "count(Book)", "true", "NO", "nil",
    ] {
      #expect(
        heads(text) == [
          "1:1 a value is not a statement in a script; write 'print' before it"
        ])
    }
  }

  @Test(
    "what Swift, Core Data or SQL write otherwise is told with what it is here",
    arguments: [
      ("books.performFetch()", "1:1 this call is not a statement; use 'fetch books'"),
      ("try bg.save()", "1:5 this call is not a statement; use 'save bg'"),
      ("viewContext.save()", "1:1 this call is not a statement; use 'save'"),
      ("context.delete(dune)", "1:1 this call is not a statement; use 'delete dune'"),
      ("view.reloadData()", "1:1 this call is not a statement; use 'reload view'"),
      (
        "books.indexPath(forObject: dune)",
        "1:1 a value is not a statement in a script; write 'print' before it"
      ),
      ("Book(title: \"Dune\")", "1:1 unknown statement 'Book'; did you mean 'insert Book'?"),
      ("var x = 1", "1:1 frc has no 'var'; write 'let x = 1'"),
      ("order by title", "1:1 unknown clause 'order by'; write 'sort by title'"),
      ("fetch Book ORDER BY title", "1:12 unknown clause 'ORDER BY'; write 'sort by title'"),
      (
        "print count(Book where a == 1 order by title)",
        "1:31 unknown clause 'order by'; write 'sort by title'"
      ),
      (
        "fetch Book sort by title descending, pages",
        "1:26 unknown direction 'descending'; did you mean 'desc'?"
      ),
      ("request r = Book sort by a ASC", "1:28 unknown direction 'ASC'; did you mean 'asc'?"),
      (
        "fetch Book wher a == 1",
        "1:12 expected a clause or the end, found 'wher'; did you mean 'where'?"
      ),
      ("// why", "1:1 a comment begins with '#', not with '//'"),
      ("/* why */", "1:1 a comment begins with '#', not with '/*'"),
      ("print 1 // why", "1:9 a comment begins with '#', not with '//'"),
      ("for i in 1..3 { }", "1:11 a range has three dots; write '1...3'"),
    ])
  func foreign(_ text: String, _ head: String) {
    #expect(heads(text) == [head])
  }

  @Test("only attributes can be set")
  func targets() {
    #expect(heads("x = 3") == ["1:1 a variable is set with 'let x = …'"])
    #expect(
      heads("books[0] = 3") == ["1:1 only an attribute can be set, as in 'book.title = …'"])
    #expect(
      shapes("Book/3.title = \"x\"\nbooks[0, 1].title = \"y\"\n$b.pages += 1") == [
        "Book/3.title = \"x\"", "books[0, 1].title = \"y\"", "$b.pages += 1",
      ])
  }
}
