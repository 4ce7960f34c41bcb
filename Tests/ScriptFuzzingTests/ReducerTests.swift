import ScriptFuzzing
import ScriptRuntime
import ScriptSyntax
import ScriptWorlds
import Testing

struct ReducerTests {
  private func reduce(_ text: String) -> (text: String, failure: TrialFailure)? {
    let script = ScriptParser.parse(SourceText(name: "a.frc", text: text))
    #expect(script.diagnostics.map(\.message) == [])
    let trial = Trial(environment: { StoreFiles() })
    return Reducer.reduce(script, test: trial.failure).map {
      (String(decoding: $0.script.source.bytes, as: UTF8.self), $0.failure)
    }
  }

  @Test("a script that breaks no law is not reduced")
  func lawful() {
    #expect(reduce("entity A { n: Int }\ninsert A(n: 1)\ncount A\n#> 1\n") == nil)
  }

  @Test("of an error what leads to it is left")
  func error() throws {
    let reduced = try #require(
      reduce(
        """
        # A comment.
        entity Book { title: String, pages: Int = 3, author: String? = "none" }
        entity Other { name: String }
        controller books = Book where pages > 1 sort by title desc, pages section by title limit 10
        fetch books   # shows nothing
        insert 20 Other(name: "x\\(i)")
        perform {
          insert Book(title: "Dune", pages: 412)
          for i in 1...3 {
            insert Book(title: "T\\(i)")
            if i == 2 { print "b"; print Book/2.pages / 0 }
          }
        }
        print "never"
        """))

    #expect(reduced.failure.kind == .error("division by zero"))
    #expect(
      reduced.text == "entity Book { pages: Int = 0 }\ninsert Book()\nprint Book/1.pages / 0\n")
  }

  @Test("of output that is not what stands under it, the very same is kept")
  func golden() throws {
    let reduced = try #require(
      reduce(
        """
        entity Book { title: String, pages: Int = 0 }
        insert Book(title: "Dune", pages: 412)
        insert Book(title: "Emma", pages: 300)
        count Book
        #> 2
        print Book/1.pages + Book/2.pages
        #> 700
        print "done"
        #> done
        """))

    #expect(reduced.failure.kind == .golden(expected: ["700"], actual: ["712"]))
    #expect(
      reduced.text == """
        entity Book { pages: Int = 0 }
        insert Book(pages: 412)
        insert Book(pages: 300)
        print Book/1.pages + Book/2.pages
        #> 700

        """)
  }

  @Test("output that meets its patterns, in any order where that is asked, is no failure")
  func patterns() {
    #expect(
      reduce(
        """
        entity Book { title: String }
        #@ unordered
        for i in 1...2 { print "Book/\\(i) of some" }
        #> Book/2 of [..]
        #> Book/1 of some
        """) == nil)
  }

  @Test("what 'explain' shows is what it shows in a test")
  func explained() {
    #expect(
      reduce(
        """
        entity A { n: Int = 0 }
        insert A(n: 1)
        explain A/1
        #> turn: insert A(n: 1)
        #> nothing is sent about A/1
        #>   rule no-controller: there is no controller
        """) == nil)
  }

  @Test("a batch request that is not merged breaks no law")
  func batch() {
    #expect(
      reduce(
        """
        entity Book { title: String }
        controller books = Book sort by title
        fetch books
        try batch insert Book(title: "a"), Book(title: "b")
        fetch Book
        merge batch into main
        insert Book(title: "c")
        save
        """) == nil)
  }

  @Test("what a directive skips or expects to fail is not what a script fails by")
  func excused() throws {
    let excused = """
      entity Book { title: String, pages: Int = 0 }
      #@ skip slow
      print 1 / 0
      #@ xfail known
      print 2 / 0
      #@ xfail known
      print 3
      #> 4

      """
    #expect(reduce(excused) == nil)
    #expect(reduce("#@ skip slow\nprint 1 / 0\n") == nil)
    let other = excused.replacing("#@ xfail known\nprint 3", with: "# a comment\nprint 3")
    #expect(try #require(reduce(other)).text == "print 3\n#> 4\n")
    #expect(reduce(excused.replacing("xfail", with: "xfail store=memory")) == nil)
    let elsewhere = try #require(reduce(excused.replacing("xfail", with: "xfail store=sqlite")))
    #expect(elsewhere.failure.kind == .error("division by zero"))
  }

  @Test("a script runs on the stores that it names")
  func namedStores() throws {
    let script = """
      entity Book { title: String? }
      set nil apple
      insert Book()
      save
      print count(Book where title != "a")

      """
    #expect(reduce("#@ requires sqlite\n" + script + "#> 0\n") == nil)
    #expect(reduce("#@ requires memory\n" + script + "#> 1\n") == nil)
    let failing = try #require(reduce("#@ requires sqlite\n" + script + "#> 1\n"))
    #expect(failing.failure.kind == .golden(expected: ["1"], actual: ["0"]))
    let both = try #require(reduce("#@ matrix store=memory,sqlite\n" + script + "#> 1\n"))
    #expect(both.failure.kind == failing.failure.kind)
  }

  @Test("what the naive model reads does not count as read by the script")
  func unread() {
    let script = """
      entity Task { title: String, done: Bool = YES }
      insert Task(title: "pay")
      save
      reset
      controller open = Task where done == NO sort by title
      fetch open
      context bg
      perform bg { Task/1.done = NO; save }
      merge bg into main
      explain Task/1
      #> turn: merge bg into main
      #> open didChange object insert Task/1 "pay" -> [0, 0]
      #>   rule started-matching: the object existed, and matches the predicate only now
      #>   title: now "pay" (sort key)
      #>   the old values are unknown: the context had never loaded the object
      #>   where done == NO: now true
      #>   after: [0, 0], the only row

      """
    #expect(reduce(script) == nil)
  }

  @Test("what is read for an observer of the run does not count as read by the script")
  func unreadMerge() {
    let script = """
      entity Author { name: String, books: [Book] inverse author on delete cascade }
      entity Book { title: String, author: Author? inverse books }
      let lem = insert Author(name: "Lem")
      save
      context bg
      insert Book(title: "Solaris", author: lem)
      perform bg { insert Book(title: "Eden", author: lem); save }
      merge bg into main
      save
      perform bg { reset; delete lem; save }
      merge bg into main
      objects Book
      #> Book/1 "Solaris" deleted
      #> Book/2 "Eden" deleted

      """
    #expect(reduce(script) == nil)
  }

  @Test("the naive model follows what a SUBQUERY reads from related objects")
  func subquery() {
    let script = """
      entity Shelf { name: String, books: [Book] inverse shelf }
      entity Book { title: String, shelf: Shelf? inverse books, notes: [Note] inverse book }
      entity Note { stars: Int = 0, book: Book? inverse notes }
      insert Shelf(name: "old")
      for title in ["x", "y"] { insert Book(title: title, shelf: Shelf/1) }
      for book in fetch Book { insert Note(book: book) }
      controller full = Shelf where SUBQUERY(books, $b, $b.title == "x" AND ANY $b.notes.stars > 0).@count > 0 sort by name track related
      fetch full
      Note/1.stars = 1
      Note/2.stars = 1
      Book/1.title = "z"

      """
    #expect(reduce(script) == nil)
  }

  @Test("a failure names the file's store, on which a test may not run")
  func placeOfFailure() throws {
    let trial = Trial(environment: { StoreFiles() }, stores: TrialStore.all)
    func reason(_ text: String) -> String? {
      trial.failure(of: ScriptParser.parse(SourceText(name: "a.frc", text: text)))?.reason
    }
    let note = "set sql on\n#> note: the store in memory runs no statement"
    #expect(reason(note + "s\n") == "on sqlite, line 1 does not print the text below it")
    #expect(reason(note + "\n") == "line 1 does not print the text below it")
  }

  @Test("reducing twice gives the same")
  func idempotent() throws {
    let once = try #require(reduce("let a = 1\nif a == 1 { try save; print nothing.there }\n"))
    let twice = try #require(reduce(once.text))

    #expect(once.text == twice.text)
    #expect(once.text == "print nothing\n" || once.text == "print nothing.there\n")
  }
}
