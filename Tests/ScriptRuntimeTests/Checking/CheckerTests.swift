import ScriptRuntime
import ScriptSyntax
import ScriptWorlds
import Testing

/// What `frc check` finds without running a script.
struct CheckerTests {
  /// Returns the findings as `file:line:column: message`.
  private func findings(in text: String, files: [String: String] = [:]) throws -> [String] {
    let script = ScriptParser.parse(SourceText(name: "test.frc", text: text))
    try #require(!script.hasErrors, "\(script.diagnostics)")
    return Checker(environment: ScriptFiles(files)).check(script).map { finding in
      let place = finding.source.position(of: finding.diagnostic.range.lowerBound)
      return "\(finding.source.name):\(place): \(finding.diagnostic.message)"
    }
  }

  private static let model = "entity Book { title: String, pages: Int = 0 }\n"
  private static let dictionaries =
    "'titles' gives dictionaries, so it cannot be in a batch request or one with 'returning'"

  @Test(
    "a name that nothing has is found",
    arguments: [
      ("insert Bok()", "8: unknown entity 'Bok'; did you mean 'Book'?"),
      ("insert Book(titel: 1)", "13: Book has no attribute 'titel'; did you mean 'title'?"),
      ("insert Book(pages: 1, pages: 2)", "23: 'pages' given twice"),
      ("print dune", "7: unknown name 'dune'"),
      (
        "print Book",
        "7: expected a value, but 'Book' is an entity; write 'fetch Book' for its objects, or Book/1 for one"
      ),
      ("print $dune", "7: unknown variable '$dune'"),
      ("print upercase(\"a\")", "7: unknown function 'upercase'; did you mean 'uppercase'?"),
      (
        "show books",
        "6: unknown controller 'books'; write 'controller NAME = ENTITY sort by KEY' first"
      ),
      (
        "delegate books none",
        "10: unknown controller 'books'; write 'controller NAME = ENTITY sort by KEY' first"
      ),
      ("fetch recent", "7: unknown request or controller 'recent'; there is Book"),
      ("fetch Book where page > 3", "18: Book has no attribute 'page'; did you mean 'pages'?"),
      ("fetch Book where pages > $n", "26: unknown variable '$n'"),
      ("fetch Book sort by name", "20: Book has no attribute 'name'; it has title and pages"),
      (
        "fetch Book values count(title) as n group by pages having total > 1",
        "7: 'having' names values of the result; 'total' is not one of n"
      ),
      (
        "print count(Book values title, pages group by pages)",
        "13: SELECT clauses in queries with GROUP BY components can only contain properties named in "
          + "the GROUP BY or aggregate functions (title is not in {pages}); "
          + "write 'group by pages, title'"
      ),
      (
        "let totals = fetch Book values sum(pages)",
        "20: the request returns dictionaries, not objects; write 'fetch' as a statement to print it"
      ),
      (
        "request titles = Book values title\nlet totals = fetch titles",
        "20: the request returns dictionaries, not objects; write 'fetch' as a statement to print it"
      ),
      ("request titles = Book values title\nfetch titles returning count", "7: \(dictionaries)"),
      ("request titles = Book distinct\ncount titles returning count", "7: \(dictionaries)"),
      ("request titles = Book values title\nbatch delete titles limit 1", "14: \(dictionaries)"),
      (
        "request titles = Book values title\nbatch update titles returning count { pages = 1 }",
        "14: \(dictionaries)"
      ),
      (
        "count Book values title sort by pages",
        "7: 'sort' names values of the result; 'pages' is not one of title"
      ),
      ("update Book { name = 1 }", "15: Book has no attribute 'name'; it has title and pages"),
      ("update Book { pages = page }", "23: unknown name 'page'; did you mean 'pages'?"),
      (
        "let b = insert Book()\nprint b.name",
        "9: Book has no attribute 'name'; it has title and pages"
      ),
      (
        "for b in fetch Book { print b.name }",
        "31: Book has no attribute 'name'; it has title and pages"
      ),
      (
        "controller books = Book sort by title\nprint books.object(at: [0, 0]).name",
        "32: Book has no attribute 'name'; it has title and pages"
      ),
      (
        "controller books = Book sort by title\n"
          + "for s in books.sections { print s.objects[0].name }",
        "46: Book has no attribute 'name'; it has title and pages"
      ),
      ("if false { print nothing }", "18: unknown name 'nothing'"),
      ("perform { print \"\\(nothing)\" }", "20: unknown name 'nothing'"),
      ("repeat 3 { let x = 1 }\nprint x", "7: unknown name 'x'"),
      ("entity Book { a: Int }", "8: 'Book' is already an entity; choose another name"),
      (
        "entity Other { a: Nothing }",
        "19: relationship 'a' of Other leads to 'Nothing', which is not an entity"
      ),
      ("include \"a.frc\"", "9: cannot include 'a.frc': no such file"),
      ("include nothing", "9: unknown name 'nothing'"),
      ("model \"\\(nothing)\"", "10: unknown name 'nothing'"),
      // Another process has no context of the app.
      ("context q; extension { save q }", "29: unknown context 'q'; there is main"),
    ])
  func finding(text: String, message: String) throws {
    let line = text.contains("\n") ? 3 : 2

    #expect(try findings(in: Self.model + text) == ["test.frc:\(line):\(message)"])
  }

  @Test(
    "an extension has no controller, observer or table of the app",
    arguments: [
      ("print books", "books", "a controller"), ("fetch books", "books", "a controller"),
      ("print count(books)", "books", "a controller"), ("show books", "books", "a controller"),
      ("print books[0, 0].nothing", "books", "a controller"),
      ("for b in books.fetchedObjects { print b }", "books", "a controller"),
      ("delegate books none", "books", "a controller"), ("show list", "list", "an observer"),
      ("print sync.eventCounter", "sync", "an observer"), ("reload view", "view", "a table"),
    ])
  func ofOtherProcess(statement: String, name: String, meaning: String) throws {
    let app = """
      controller books = Book sort by title; observer list = Book; table view = books
      observer sync = history

      """
    let message = "'\(name)' is \(meaning) of the app; an extension has only the context 'main'"
    let range = try #require(statement.firstRange(of: name))
    let column = statement.distance(from: statement.startIndex, to: range.lowerBound) + 13

    let found = try findings(in: Self.model + app + "extension { \(statement) }; show books")

    #expect(found == ["test.frc:4:\(column): \(message)"])
    #expect(
      try findings(in: Self.model + app + "extension { let books = 3; print books }; show books")
        == [])
  }

  @Test("every fault is found, in order")
  func several() throws {
    let found = try findings(in: Self.model + "print a\nprint b; insert Book(c: d)")

    #expect(
      found == [
        "test.frc:2:7: unknown name 'a'", "test.frc:3:7: unknown name 'b'",
        "test.frc:3:22: Book has no attribute 'c'; it has title and pages",
        "test.frc:3:25: unknown name 'd'",
      ])
  }

  @Test(
    "what depends on values, and what try takes, is left to the run",
    arguments: [
      "print 1 / 0", "print Book/99.title", "try print nothing", "try insert Bok()",
      "include \"\\(\"a\")\"", "let p = \"a.frc\"\ninclude p\nfetch Other\nprint other",
      "let p = \"a.xcdatamodel\"\nmodel p\nfetch Other",
      "let p = \"a.frc\"\ntry include p\nfetch Other",
      "let p = \"a.xcdatamodel\"\ntry model p\nfetch Other",
      "if false { entity Other { a: Int } }\nfetch Other",
      "let n = 3\nentity Other { a: Int = n }",
      "let n = 3\nfetch Book where pages > $n", "insert 3 Book(title: \"\\(i)\")",
      "fetch Book where SUBQUERY({1, 2}, $x, $x == 1).@count > 0",
      "controller books = Book sort by title\nfor b in books.fetchedObjects { print b.title }",
      "request books = Book\ncontroller books = books sort by title\nfetch books",
      "request old = Book where pages == 0\ndelete old",
      "context q; extension { save main; print 1 }; save q",
    ])
  func nothing(text: String) throws {
    #expect(try findings(in: Self.model + text) == [])
  }

  /// A controller, an observer, an observer of the history, a request and a table.
  private static let named = """
    store memory history
    entity Book { title: String, pages: Int = 0 }
    controller old = Book sort by title
    fetch old
    observer new = Book sort by title
    observer sync = history of Book
    request saved = Book sort by title includesPendingChanges off
    table view = old

    """

  @Test(
    "what a thing of this kind cannot do is found, in the words and at the place of the run",
    arguments: [
      // An observer is no controller.
      "fetch new", "fetch new where pages > 1", "let found = fetch new",
      "for b in fetch new { }", "print (fetch new).count", "delegate new didChange",
      "delegate new snapshot", "delegate new { didChangeContent { save } }",
      "change new limit 3", "change new where pages > 1 section by title", "change new cache \"C\"",
      "observer other = Book cache \"C\"", "observer other = Book includesPendingChanges off",
      "observer other = saved", "observer Book = Book", "print new.fetchedObjects",
      "print new.sectionIndexTitles", "print new.object(at: [0, 0])", "suspend new",
      "perform new { }", "save new", "observe new",
      // An observer of the history is neither.
      "fetch sync", "let found = fetch sync", "count sync", "change sync where pages > 1",
      "delegate sync none", "delegate sync { didChangeContent { save } }", "table other = sync",
      "show sync.request", "print sync.results", "observer other = sync", "suspend sync",
      "delete Book where title == sync.title",
      // A controller is no observer, and its clauses are those of the definition.
      "fetch old where pages > 1", "let found = fetch old sort by pages",
      "change old section by title", "change old cache \"C\"",
      "change old includesPendingChanges off", "controller other = Book",
      "controller other = Book sort by title includesPendingChanges off",
      "controller other = saved", "controller other = new limit 3 includesPendingChanges off",
      "print old.results", "print old.element(at: [0, 0])", "suspend old",
      // Neither a table nor a request is a controller.
      "fetch view", "change view where pages > 1", "delegate view none", "change saved limit 3",
      "delegate saved none", "table other = saved", "table other = view", "suspend saved",
      "swift view", "swift saved",
    ])
  func wrongKind(statement: String) throws {
    let failure = try #require(Playback(Self.named + statement).failure, "the run refuses it")

    let found = try findings(in: Self.named + statement)

    let error = String(failure.prefix { $0 != "\n" })
    #expect(found == [error.replacing(" error:", with: "")])
  }

  @Test(
    "what a thing of this kind can do is no fault",
    arguments: [
      "change new where pages > 1 sort by pages", "delegate new none", "delegate new counts",
      "count new", "count old where pages > 1", "let new = [1]\nprint new.first",
      "controller new = Book sort by title\nfetch new\nprint new.fetchedObjects",
      "try fetch new", "change old limit 3 offset 1", "print new.results.count",
      "print sync.eventCounter", "delete new.results", "observer other = old",
      "controller other = new sort by title\nfetch other", "fetch saved", "table other = new",
    ])
  func rightKind(statement: String) throws {
    #expect(try findings(in: Self.named + statement) == [])
    #expect(Playback(Self.named + statement).failure == nil)
  }

  @Test("an included file's definitions count, and its faults are found there")
  func include() throws {
    let files = ["a.frc": "entity A { x: Int }\nprint nothing", "b.frc": "print A/1.y"]

    let found = try findings(in: "include \"a.frc\"\ninclude \"b.frc\"\nfetch A", files: files)

    #expect(
      found == [
        "a.frc:2:7: unknown name 'nothing'", "b.frc:1:11: A has no attribute 'y'; it has x",
      ])
  }

  @Test("an included file that does not parse is told of, and its names are not looked up")
  func includedSyntax() throws {
    let found = try findings(
      in: "include \"a.frc\"", files: ["a.frc": "entity A { x: }\nfetch A"])

    #expect(found == ["a.frc:1:15: expected a type, found '}'"])
  }

  @Test(
    "names that a file may define are not looked up if it cannot be read",
    arguments: [
      ("include \"a.frc\"", "a.frc:1:22: expected a type, found '}'"),
      ("include \"b.frc\"", "test.frc:2:9: cannot include 'b.frc': no such file"),
    ])
  func incomplete(_ include: String, _ message: String) throws {
    let found = try findings(
      in: """
        let a = nothing
        \(include)
        let b = Book/1
        insert Book(title: x)
        controller shelf = Book sort by title
        show shelf
        entity Author { books: [Book] inverse author }
        entity Comic : Book { volume: Int }
        insert Author(nam: 1)
        """, files: ["a.frc": "entity Book { title: }"])

    let rest = "test.frc:9:15: Author has no attribute 'nam'; it has books"
    #expect(found == ["test.frc:1:9: unknown name 'nothing'", message, rest])
    #expect(
      try findings(in: "try \(include)\nprint x", files: ["a.frc": "}"])
        == ["test.frc:2:7: unknown name 'x'"])
  }

  @Test("a file that includes itself is found once each time it does")
  func circle() throws {
    let found = try findings(
      in: "include \"a.frc\"", files: ["a.frc": "include 'a.frc'\ninclude 'a.frc'"])

    #expect(
      found == ["a.frc:1:9: 'a.frc' includes itself", "a.frc:2:9: 'a.frc' includes itself"])
  }

  @Test(
    "what Apple's parser refuses of a predicate is a warning at its place",
    arguments: [
      (
        "fetch Book where title NOT IN {'a'}",
        "18: Apple's parser refuses 'x NOT IN y'; write 'NOT x IN y'"
      ),
      (
        "fetch Book where SUBQUERY(SELF.parts, $p, $p.pages NOT IN {1}).@count > 0",
        "43: Apple's parser refuses 'x NOT IN y'; write 'NOT x IN y'"
      ),
      (
        "count Book where größe > 3",
        "18: Apple's parser refuses the key 'größe', which is not ASCII; use %K in an app"
      ),
    ])
  func refused(text: String, message: String) throws {
    let model =
      "entity Book { title: String, pages: Int = 0, größe: Int = 0, parts: [Book] }\n"

    #expect(try findings(in: model + text) == ["test.frc:2:\(message)"])
  }

  @Test("NOT before the comparison, and letters in strings, are in Apple's grammar")
  func accepted() throws {
    #expect(try findings(in: Self.model + "fetch Book where NOT title IN {'größe'}") == [])
  }

  @Test(
    "a controller of an observer is sorted if the observer is",
    arguments: [
      ("sort by title", nil), ("section by title", nil),
      (
        "",
        "20: NSInvalidArgumentException: An instance of NSFetchedResultsController requires a "
          + "fetch request with sort descriptors"
      ),
    ])
  func controllerOfObserver(clauses: String, message: String?) throws {
    let definitions = "observer rows = Book \(clauses)\ncontroller books = rows"

    let expected = [message].compactMap(\.self).map { "test.frc:3:\($0)" }
    #expect(try findings(in: Self.model + definitions) == expected)
    let changed = "observer rows = Book\nchange rows sort by title\ncontroller books = rows"
    #expect(try findings(in: Self.model + changed) == [])
  }

  @Test(
    "a derived attribute is computed from keys that exist, also of entities that come later",
    arguments: [
      ("'books.@count'", nil), ("'canonical:(name)'", nil), ("'now()'", nil),
      ("'books.pages.@sum'", nil), ("'home.name'", nil), ("'mood'", nil),
      ("'books.@max.pages'", nil),
      (
        "'nosuch.@count'",
        "Author has no property 'nosuch'; it has 'name', 'n', 'mood', 'home', 'books'"
      ),
      ("'canonical:(nam)'", "Author has no property 'nam'; did you mean 'name'?"),
      ("'books.page.@sum'", "Book has no property 'page'; did you mean 'pages'?"),
      ("'books.@max.page'", "Book has no property 'page'; did you mean 'pages'?"),
      ("'home.nam'", "Place has no property 'nam'; did you mean 'name'?"),
      ("'style'", "Author has no property 'style'; it has 'name', 'n', 'mood', 'home', 'books'"),
    ])
  func derivations(derivation: String, reason: String?) throws {
    let model = """
      abstract entity Person { name: String, home: Place? }
      entity Author : Person {
        derived n: Int? = \(derivation), transient mood: String?, books: [Book] inverse author
      }
      entity Poet : Author { style: String? }
      entity Book { pages: Int = 0, author: Author? inverse books }
      entity Place { name: String }
      """
    let message = reason.map { "derived attribute 'n' of Author never has a value: \($0)" }

    #expect(try findings(in: model) == [message].compactMap(\.self).map { "test.frc:3:21: \($0)" })
    for entity in ["Author", "Poet"] {
      let playback = Playback("\(model)\ninsert \(entity)(name: \"a\")\nsave")
      let first = playback.failure.map { String($0.prefix { $0 != "\n" }) }
      #expect(first == message.map { "test.frc:8:8: error: \($0)" })
    }
  }

  @Test(
    "what always fails is found with the message of the run",
    arguments: [
      ("if true { return 3 }", "11", "'return' has a meaning only inside a delegate's callback"),
      ("Item/1.upper = 'a'", "16", "'upper' is computed and cannot be set"),
      ("let one = Item/1\none.folded = 'a'", "14", "'folded' is computed and cannot be set"),
      ("update Item { upper = 'a' }", "23", "'upper' is computed and cannot be set"),
      ("insert Item(name: 'b', folded: 'c')", "32", "'folded' is computed and cannot be set"),
      (
        "batch update Item { home = nil }", "21",
        "'home' is a relationship; a batch request sets attributes only, without objects"
      ),
      (
        "batch insert Item(name: 'b', home: nil)", "30",
        "'home' is a relationship; a batch request sets attributes only, without objects"
      ),
      ("batch update Item { upper = 'a' }", "29", "'upper' is computed and cannot be set"),
      (
        "merge main into main", "17",
        "a context cannot be merged into itself; 'main' has its changes already"
      ),
      (
        "context bg\ncontext kid parent main\nmerge bg into kid", "15",
        "'kid' reads from its parent and not from the store; merge 'bg' into the parent"
      ),
      (
        "context bg\ncontext kid parent main\nmerge kid into bg", "7",
        "'kid' saves into its parent and not into the store; save the parent, and merge that"
      ),
      (
        "context kid parent main\ncontext grandkid parent kid\nmerge grandkid into main", "7",
        "'grandkid' saves into its parent and not into the store; save the parent, and merge that"
      ),
      (
        "observer items = Item section by upper", "34",
        "keypath upper not found in entity Item, "
          + "reason: 'upper' is transient, and a store does not have it"
      ),
    ])
  func failing(text: String, column: String, message: String) throws {
    let model = """
      entity Item {
        name: String, transient upper: String = uppercase(name)
        derived folded: String = 'canonical:(name)', home: Item?
      }
      insert Item(name: "a")
      save

      """
    let line = 7 + text.count { $0 == "\n" }

    #expect(try findings(in: model + text) == ["test.frc:\(line):\(column): \(message)"])
    let first = Playback(model + text).failure.map { String($0.prefix { $0 != "\n" }) }
    #expect(first == "test.frc:\(line):\(column): error: \(message)")
  }

  @Test("a hook and a callback may return a value")
  func returning() throws {
    let text = """
      entity Item { name: String, on validateForDelete { if self.name == "a" { return "no" } } }
      controller items = Item sort by name section by name
      delegate items { sectionIndexTitle name { if true { return name } } }
      """

    #expect(try findings(in: text) == [])
  }

  @Test("count takes a list that has a name")
  func countOfList() throws {
    #expect(try findings(in: "let list = [1]\nprint count(list)\nprint count(list) + 1") == [])
  }

  @Test(
    "a comparison that tells nothing is a warning at its place",
    arguments: [
      (
        "fetch Book where pages == \"x\"",
        "18: never true: 'pages' is a number, but \"x\" is a string"
      ),
      (
        "count Book where title > 3 AND pages > 1",
        "18: never true, and an error for a value that is not nil: 'title' is a string, "
          + "but 3 is a number; write \"3\""
      ),
      (
        "controller c = Book where pages IN {'a'} sort by title",
        "27: never true: 'pages' is a number, but {\"a\"} does not contain one"
      ),
      (
        "delete Book where title == @2026-01-01",
        "19: never true: 'title' is a string, but @2026-01-01 is a date"
      ),
      (
        "print count(Book where pages LIKE 'x')",
        "24: never true, and an error for a value that is not nil: expected a string, "
          + "but 'pages' is a number; compare a number with ==, < or >"
      ),
      (
        "let b = insert Book(title: \"x\"); evaluate title == pages on b",
        "43: true only where both sides are nil: 'title' is a string, but 'pages' is a number"
      ),
    ])
  func warnings(text: String, message: String) throws {
    let script = ScriptParser.parse(SourceText(name: "test.frc", text: Self.model + text))

    let found = Checker(environment: ScriptFiles()).check(script)

    #expect(found.map(\.diagnostic.severity) == [.warning])
    #expect(try findings(in: Self.model + text) == ["test.frc:2:" + message])
  }

  @Test("nothing is run")
  func noRun() throws {
    #expect(try findings(in: "let x = 1\nrepeat 9223372036854775807 { print x }") == [])
  }
}
