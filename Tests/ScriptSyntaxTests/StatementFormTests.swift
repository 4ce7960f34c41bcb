import ScriptSyntax
import Testing

@Suite("Statement forms")
struct StatementFormTests {
  /// A text that is its own normal form.
  @Test(
    "statements are read as they are written",
    arguments: [
      "import \"books.csv\" into Book", "store memory", "store sqlite \"a.sqlite\"",
      "store sqlite \"a.sqlite\" readonly", "store sqlite \"a.sqlite\" history remoteChanges",
      "store sqlite \"a.sqlite\" migrate",
      "store memory history", "save", "set author \"app\"", "merge history into main",
      "merge history by \"widget\" into main", "history", "history after 3",
      "history by \"widget\" after n - 1", "delete history", "delete history before 3",
      "extension { save }", "extension \"widget\" { save; m.pages += 1 }",
      "extension \"w\\(n)\" { if a { save } }",
      "rollback", "reset", "process", "caches",
      "let m = insert Manga(title: \"砂\", volume: 2)",
      "insert Book(title: \"Emma\", publisher: \"Penguin\")",
      "insert 1000 Book(title: \"Book \\(i)\", publisher: \"P\\(i % 7)\")",
      "insert n + 1 Book()",
      "m.title = \"Dune Messiah\"", "m.pages += 10", "m.pages -= 10", "h.books += m",
      "update Book where publisher == \"Ace\" { pages = pages + 1, isAvailable = false }",
      "update Book where a > 1 sort by b limit 3 { c += $d }",
      "fetch Book values publisher, sum(pages) as total group by publisher having total > 3",
      "fetch Book values publisher distinct", "fetch Book returning objectIDs",
      "request r = Book where pages > 3 limit 3 values author.name, average(pages)",
      "obtain permanent ids", "obtain permanent ids for [m, Book/3]",
      "batch insert Book(title: \"A\"), Book(title: \"B\")",
      "batch insert 10 Book(title: \"\\(i)\")",
      "batch update Book where pages > 100 { genre = \"long\", pages += 1 }",
      "batch delete Book where pages > 100 limit 3", "batch delete Book returning count",
      "batch update Book { pages = 1 } returning statusOnly",
      "batch update Book returning count { pages = 1 }", "merge batch into main",
      "delete m", "delete Book/3", "delete books[0, 0]", "delete m.author",
      "delete cache \"Demo\"", "delete caches",
      "perform { save; m.pages += 1 }",
      "save bg", "rollback bg", "reset bg", "perform bg { save }", "undo", "redo",
      "context bg", "context edit parent main", "context edit policy storeTrump",
      "context edit parent main policy rollback", "merge bg into main", "automerge main on",
      "automerge main off", "observe main", "observe main off", "refresh all", "refresh m",
      "refresh m merging",
      "refresh Book/3 merging", "refresh all.first", "perform save { undo }",
      "for i in 1...3 { insert Book(title: \"T\\(i)\") }",
      "for b in books.fetchedObjects { print b.title }",
      "if n == 0 { include \"a.frc\" } else { print \"there\" }",
      "if a { save } else { if b { reset } else { process } }",
      "repeat 10 { process }",
      "set clock @2026-11-21T09:00:00Z", "expect a == b", "include \"setup.frc\"",
      "include \"setup.frc\" alone",
      "try delete Book/3", "try for x in y { save }",
      "request r = Book where a == true sort by b desc, c using localizedStandard limit 100 "
        + "offset 0 batch 20",
      "controller c = r section by publisher cache \"Demo\"",
      "observer o = Book", "observer o = Book.self where pages > $n limit 3",
      "observer o = r sort by title, pages desc section by publisher updates saves",
      "observer o = Book sort by title updates turns", "observer sync = history",
      "observer sync = history of Book, Author", "observer sync = history by \"App\"",
      "observer sync = history of Book by me, \"w\\(n)\"", "observer o = history where pages > 3",
      "observer observer = observe", "show observer", "fetch observer",
      "fetch books", "fetch Book where pages > 100 sort by title", "count Book where pages > 100",
      "count books", "change books where pages > 10", "change books limit nil offset 3",
      "delegate books changes", "delegate books didChange", "delegate books none",
      "delegate books snapshot", "delegate books diff", "delegate books counts",
      "delegate books { didChangeObject { print $type } didChangeContent {} }",
      "delegate books { sectionIndexTitle name { return uppercase(name) } }",
      "show books", "objects Book", "print books[0, 1].title",
      "evaluate pages > 100 AND title CONTAINS[cd] \"dune\" on Book/3", "evaluate on > 3 on on",
    ])
  func normalForms(text: String) {
    let text = text.replacing("== true ", with: "== 1 ")
    let source = text.replacing("a == 1 sort", with: "a == YES sort")
    #expect(shapes(source) == [text])
  }

  @Test(
    "what only an app's own process has is refused in an extension",
    arguments: [
      "entity Book {}", "controller c = Book", "store memory", "automerge main on", "table t = c",
      "extension {}",
    ])
  func misplacedInExtension(statement: String) {
    let word = statement.prefix { $0 != " " }
    #expect(
      heads("extension { if a { \(statement) } }") == [
        "1:20 '\(word)' cannot be in the block of an extension; write it before the block"
      ])
    #expect(
      heads("extension { context bg }") == [
        "1:13 'context' cannot be in the block of an extension, which has only 'main'"
      ])
  }

  @Test("forms with another spelling")
  func spellings() {
    #expect(shapes("show books.request") == ["show request of books"])
    #expect(shapes("set locale ja") == ["set locale \"ja\""])
    #expect(shapes("set locale de-AT") == ["set locale \"de-AT\""])
    #expect(
      shapes("set locale en_US; set locale \"zh\"") == [
        "set locale \"en_US\"", "set locale \"zh\"",
      ])
    #expect(shapes("set policy overwrite") == ["set policy \"overwrite\""])
    #expect(
      shapes("context edit policy error parent main") == ["context edit parent main policy error"])
    #expect(shapes("observe bg on\nobserve off off") == ["observe bg", "observe off off"])
    #expect(shapes("save\nbg.title = 1") == ["save", "bg.title = 1"])
    #expect(shapes("insert Book") == ["insert Book()"])
    #expect(shapes("delete Book where pages < 10") == ["delete matching Book where pages < 10"])
    #expect(shapes("delete Book") == ["delete matching Book"])
    #expect(shapes("delete recent limit 1") == ["delete matching recent limit 1"])
    #expect(shapes("if a { save }\nelse { reset }") == ["if a { save } else { reset }"])
    #expect(shapes("if a {} else if b {\nsave\n}") == ["if a {} else { if b { save } }"])
    #expect(
      shapes("fetch Book sort by a asc, b.c desc using localized")
        == ["fetch Book sort by a, b.c desc using localized"])
    #expect(
      shapes("update Book {\n a = 1\n b = 2;c = 3,\n d = 4\n}")
        == ["update Book { a = 1, b = 2, c = 3, d = 4 }"])
  }

  @Test("explain may stand alone; swift names something, quirk is on or off")
  func reasons() {
    #expect(
      shapes("explain\nexplain Book/3; explain $object # why") == [
        "explain", "explain Book/3", "explain $object",
      ])
    #expect(shapes("if a { explain }") == ["if a { explain }"])
    #expect(shapes("swift books\nswift Book") == ["swift books", "swift Book"])
    #expect(
      shapes("quirk samePathMove on; quirk updateAndMove off")
        == ["quirk samePathMove on", "quirk updateAndMove off"])
    #expect(
      heads("quirk samePath on\nquirk samePathMove\nswift\nquirk samePathMove maybe") == [
        "1:7 unknown quirk 'samePath'; did you mean 'samePathMove'?",
        "2:19 expected 'on' or 'off', found the end of the line",
        "3:6 expected the name of a controller or an entity, found the end of the line",
        "4:20 expected 'on' or 'off', found 'maybe'",
      ])
  }

  @Test("clauses stand in any order, each at most once")
  func clauses() {
    #expect(
      shapes("request r = Book batch 1 limit 2 section by s sort by t where u > 1 cache \"v\"")
        == ["request r = Book where u > 1 sort by t section by s limit 2 batch 1 cache \"v\""])
    #expect(
      messages("fetch Book where a == 1 sort by b where c == 2") == """
        test.frc:1:35: error: clause 'where' given twice
        fetch Book where a == 1 sort by b where c == 2
                                          ^~~~~
        """)
    #expect(heads("fetch Book sort by a sort by b") == ["1:22 clause 'sort by' given twice"])
  }

  @Test("options of requests are on or off, and prefetched relationships are a list")
  func options() {
    #expect(
      shapes("fetch Book prefetch author, tags.owner\n  includesPendingChanges off limit 2")
        == ["fetch Book limit 2 prefetch author, tags.owner includesPendingChanges off"])
    #expect(
      shapes("insert Book(author: fetch Author prefetch books, pages: 3)")
        == ["insert Book(author: fetch Author prefetch books, pages: 3)"])
    #expect(
      heads("fetch Book returnsObjectsAsFaults\nfetch Book prefetch a prefetch b") == [
        "1:34 expected 'on' or 'off', found the end of the line",
        "2:23 clause 'prefetch' given twice",
      ])
  }

  @Test("a script's values stand in predicates as arguments")
  func predicateValues() {
    #expect(
      shapes(
        "fetch Book where a > @2026-01-01 AND b == uuid(\"X\") AND c == Author/1 "
          + "AND d == \"x\\(n)\" AND e == \"y\" AND f == $g") == [
          "fetch Book where a > %@ AND b == %@ AND c == %@ AND d == %@ AND e == \"y\" AND f == $g "
            + "{@2026-01-01, uuid(\"X\"), Author/1, \"x\\(n)\"}"
        ])
    #expect(
      shapes("fetch Book where (a == Author/1 OR b IN {Author/2, Author/3}) limit 3") == [
        "fetch Book where a == %@ OR b IN {%@, %@} limit 3 {Author/1, Author/2, Author/3}"
      ])
    #expect(shapes("fetch Book where uuid == \"x\"") == ["fetch Book where uuid == \"x\""])
    #expect(shapes("fetch Book where Pages / 2 > 1") == ["fetch Book where Pages / 2 > 1"])
  }

  @Test("a predicate ends at what cannot continue it")
  func predicateEnds() {
    #expect(
      shapes("for x in fetch Book where a > 1 { save }\nif count(Book where a > 1) > 2 { save }")
        == [
          "for x in (fetch Book where a > 1) { save }".replacing("(", with: "").replacing(
            ")", with: ""),
          "if count(Book where a > 1) > 2 { save }",
        ])
    #expect(shapes("fetch Book where a > 1; save") == ["fetch Book where a > 1", "save"])
    #expect(shapes("perform { fetch Book where a > 1 }") == ["perform { fetch Book where a > 1 }"])
  }

  @Test("ranges of statements reach from their first word to their last token")
  func ranges() {
    let script = parse("  save # x\n\nfetch Book\n  where a > 1  # y\n;  if a { save } \n")
    #expect(
      script.statements.map { script.source.text(in: $0.range) }
        == ["save", "fetch Book\n  where a > 1", "if a { save }"])
  }
}
